import path from 'node:path';
import { relativeInside } from '../../../permissions/paths';
import type { ToolEnvironment } from '../../environment';

/** A path is at most this long (PATH_MAX on Linux). Bytes. */
const MAX_PATH_BYTES = 4096;

/**
 * Takes over the folder in which a command ended. Gives a note for the model when it moved or had to go back,
 * because the folder is outside the working directories or gone. The file is removed.
 */
export async function adoptWorkingDirectory(
  file: string,
  env: ToolEnvironment,
): Promise<string | null> {
  // Most commands stay where they are, and a look costs less than a try to open.
  if (!(await env.services.files.stat(file)).ok) return null;
  const read = await env.services.files.read(file, MAX_PATH_BYTES);
  if (!read.ok) return null;
  await env.services.files.remove(file);
  const ended = new TextDecoder().decode(read.value).replace(/\n$/, '');
  // A command can put anything there; what is no path is repeated to nobody.
  if (!path.isAbsolute(ended) || ended.includes('\n') || ended === env.agent.cwd.get()) return null;
  const real = await env.services.files.realPath(ended);
  const found = await env.services.files.stat(ended);
  const usable = real.ok && found.ok && found.value.kind === 'directory';
  if (usable && isAllowed(real.value, env)) {
    env.agent.cwd.set(real.value);
    return `The working directory is now ${real.value}.`;
  }
  env.agent.cwd.set(env.session.project);
  const why = usable ? 'is outside the working directories' : 'no longer exists';
  return `${ended} ${why}; the working directory was set back to ${env.session.project}.`;
}

const isAllowed = (folder: string, env: ToolEnvironment): boolean =>
  env.session
    .workingDirectories()
    .some((allowed) => relativeInside(allowed, folder, false) !== null);
