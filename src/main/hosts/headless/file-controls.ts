import { isUtf8 } from 'node:buffer';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { ControlRequest } from './json-input';
import { asGivenPlugin, GivenPluginLine } from './program-parts';
import { serverStatus } from './session-facts';

/** A file is given as far as this, whatever is asked for. Bytes. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The settings that a program may save, by the file they go to. */
const SAVED: Readonly<Record<string, readonly string[]>> = {
  localSettings: ['outputStyle'],
  userSettings: ['effortLevel'],
};

/** A request about files: what people define in them, what they hold, settings to save; null for something else. */
export async function carryOutFiles(
  request: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json> | null> {
  switch (request.subtype) {
    case 'reload_skills': {
      await session.reload();
      const named = new Set(session.skills());
      return ok({ skills: session.commands().filter(({ name }) => named.has(name)) });
    }
    case 'reload_output_styles':
      await session.reload();
      return ok({ available_output_styles: await session.outputStyles() });
    case 'reload_plugins':
      return reloadPlugins(request, session);
    case 'read_file':
      return readFile(request, session);
    case 'seed_read_state': {
      const { path, mtime } = request;
      if (typeof path !== 'string') return wrong('path', 'the path of a file');
      if (typeof mtime !== 'number') return wrong('mtime', 'a time in milliseconds');
      return session.seedRead(path, mtime);
    }
    case 'update_settings':
      return updateSettings(request, session);
    default:
      return null;
  }
}

const AddedPlugins = z.array(
  GivenPluginLine.refine(({ path }) => isAbsolute(path)).transform(asGivenPlugin),
);

async function reloadPlugins(
  request: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json>> {
  const added = AddedPlugins.safeParse(request['add_plugins'] ?? []);
  if (!added.success) return wrong('add_plugins', 'plugins with absolute paths');
  if (request['refuse_if_busy'] === true && (session.isRunning() || session.agentsAtWork()))
    return err(fault('reload_plugins_busy', 'The session works; ask again when it is idle.'));
  await session.reload(added.data);
  return ok({
    commands: session.commands(),
    agents: session.agents(),
    plugins: session.plugins(),
    mcpServers: session.toolServers().map(serverStatus),
    error_count: session.pluginProblems().length,
    ...(request['hold_on_cache_impact'] === true ? { held: false } : {}),
  });
}

async function readFile(
  request: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json>> {
  const { path, max_bytes: most = MAX_FILE_BYTES, encoding = 'utf-8' } = request;
  if (typeof path !== 'string') return wrong('path', 'the path of a file');
  if (typeof most !== 'number' || !(most > 0)) return wrong('max_bytes', 'a number above 0');
  if (encoding !== 'utf-8' && encoding !== 'base64') return wrong('encoding', 'utf-8 or base64');
  const read = await session.readFile(path, Math.min(Math.floor(most), MAX_FILE_BYTES));
  if (!read.ok) return read;
  const { bytes, path: absPath, truncated } = read.value;
  const about = { absPath, ...(truncated ? { truncated } : {}) };
  return ok(
    encoding === 'base64'
      ? { contents: Buffer.from(bytes).toString('base64'), ...about, encoding }
      : { contents: new TextDecoder().decode(bytes), ...about, lossy: !isUtf8(bytes) },
  );
}

async function updateSettings(
  request: ControlRequest['request'],
  session: HeadlessSession,
): Promise<Result<Json>> {
  const { source, settings } = request;
  if (source !== 'localSettings' && source !== 'userSettings')
    return wrong('source', 'localSettings or userSettings');
  const known = SAVED[source] ?? [];
  const entries = Object.entries(Object(settings) as Record<string, unknown>);
  const foreign = entries.find(([name]) => !known.includes(name));
  if (foreign !== undefined)
    return err(
      fault('not_saved', `"${foreign[0]}" is not saved in ${source}: ${known.join(', ')}.`),
    );
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || value === '') return wrong(name, 'a text');
    const saved = await session.saveSetting(source, name, value);
    if (!saved.ok) return saved;
  }
  return ok({});
}

const wrong = (field: string, expected: string): Result<never> =>
  err(fault('bad_request', `"${field}" must be ${expected}.`));
