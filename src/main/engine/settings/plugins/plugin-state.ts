import { join } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../../shared/result';
import { createMutex } from '../../mutex';
import type { Files, Locks } from '../../ports';

const Source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('git'), url: z.string(), ref: z.string().exactOptional() }),
]);

const State = z.object({
  version: z.literal(1),
  marketplaces: z.record(z.string(), z.object({ source: Source, root: z.string() })),
  plugins: z.record(
    z.string(),
    z.object({
      root: z.string(),
      /** The content that the user said yes to. */
      digest: z.string(),
      /** The words of its marketplace at that time. */
      entry: z.record(z.string(), z.unknown()),
    }),
  ),
  /** Plugins with a repository of their own that were fetched to be looked at, by id. */
  fetched: z.record(z.string(), z.string()),
});

/** The marketplaces and plugins of this machine. */
type PluginState = z.infer<typeof State>;

/** Keeps it in a file. */
export interface PluginStateFile {
  /** Returns it; that of a file which cannot be understood is an error. */
  read(): Promise<Result<PluginState>>;
  change(change: (state: PluginState) => PluginState): Promise<Result<null>>;
}

const LOCKED = fault('plugins_locked', 'The plugins are being changed by another Lathe.');
const NOTHING: PluginState = { version: 1, marketplaces: {}, plugins: {}, fetched: {} };
const MAX_BYTES = 8 * 1024 * 1024;
const PRIVATE = 0o600;

/**
 * Creates it over `plugins.json` in a folder. A file that cannot be understood is never written over, and what another
 * process changes meanwhile stays.
 */
export function createPluginStateFile(
  files: Files,
  folder: string,
  locks: Pick<Locks, 'acquire'>,
): PluginStateFile {
  const file = join(folder, 'plugins.json');
  const writes = createMutex();
  const read: PluginStateFile['read'] = async () => {
    const bytes = await files.read(file, MAX_BYTES);
    if (!bytes.ok) {
      return /^not_(found|directory)$/.test(bytes.error.code)
        ? ok(NOTHING)
        : err(fault(bytes.error.code, bytes.error.message));
    }
    const state = parsed(bytes.value);
    return state === null
      ? err(
          fault(
            'bad_plugins_file',
            `${file} cannot be understood, so no plugin is used.`,
            'Correct or remove it, and install the plugins again.',
          ),
        )
      : ok(state);
  };
  return {
    read,
    change: (change) =>
      writes.run(async () => {
        const lock = await locks.acquire(`${file}.lock`, new AbortController().signal);
        if (!lock.ok) return err(LOCKED);
        try {
          const state = await read();
          if (!state.ok) return state;
          const text = `${JSON.stringify(change(state.value), null, 2)}\n`;
          const written = await files.write(file, text, PRIVATE);
          return written.ok ? ok(null) : err(fault(written.error.code, written.error.message));
        } finally {
          await lock.value();
        }
      }),
  };
}

function parsed(bytes: Uint8Array): PluginState | null {
  try {
    const state = State.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return state.success ? state.data : null;
  } catch {
    return null;
  }
}
