import { dirname, join } from 'node:path';
import { MAX_MEMORY, type MemoryPlace } from '../../../shared/memory';
import { err, fault, ok, type Result } from '../../../shared/result';
import { relativeInside } from '../permissions/paths';
import type { Files } from '../ports';
import { MAX_FILE_BYTES } from './memory-loader';

/** The folders that memories are kept in. */
export interface RememberIn {
  /** The project folder, as a real path. */
  readonly project: string;
  /** `~/.claude` or what stands for it. */
  readonly userFolder: string;
}

/** Returns the file that a new memory of a place stands in: for a project the one that is there already. */
export async function memoryFileOf(
  files: Pick<Files, 'stat'>,
  { project, userFolder }: RememberIn,
  place: MemoryPlace,
): Promise<string> {
  if (place === 'user') return join(userFolder, 'CLAUDE.md');
  if (place === 'local') return join(project, 'CLAUDE.local.md');
  const usual = join(project, 'CLAUDE.md');
  for (const file of [usual, join(project, '.claude', 'CLAUDE.md'), join(project, 'AGENTS.md')])
    if ((await files.stat(file)).ok) return file;
  return usual;
}

/** Adds a memory at the end of a place's file, whole or not at all, and returns the file. What stands there stays. */
export async function remember(
  files: Pick<Files, 'stat' | 'locate' | 'read' | 'write' | 'writeAt'>,
  places: RememberIn,
  place: MemoryPlace,
  memory: string,
): Promise<Result<string>> {
  const text = memory.trim();
  if (text === '' || text.length > MAX_MEMORY)
    return err(fault('bad_memory', `A memory has 1 to ${MAX_MEMORY} characters.`));
  const file = await memoryFileOf(files, places, place);
  const at = await files.locate(file);
  if (!at.ok) return notKept(at.error);
  // A repository may hold a link to any file of the user.
  if (place !== 'user' && relativeInside(places.project, at.value.realPath, false) === null)
    return err(fault('leads_out', `${file} is a link that leads out of ${dirname(file)}.`));
  const read = await files.read(at.value.realPath, MAX_FILE_BYTES);
  if (!read.ok && read.error.code !== 'not_found') return notKept(read.error);
  const before = read.ok ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(read.value) : '';
  const after = `${before}${joint(before)}- ${text.replace(/\n/g, '\n  ')}\n`;
  const written =
    place === 'user' && at.value.identity === null
      ? await files.write(file, after)
      : await files.writeAt(at.value, after);
  return written.ok ? ok(file) : notKept(written.error);
}

/** Returns what stands between a text and a new item of a list. */
function joint(before: string): string {
  if (before === '' || /^[-*] .*\n$/.test(before.slice(before.trimEnd().lastIndexOf('\n') + 1)))
    return '';
  return before.endsWith('\n') ? '\n' : '\n\n';
}

const notKept = ({ code, message }: { readonly code: string; readonly message: string }) =>
  err(fault(code, `Nothing was kept: ${message}`));
