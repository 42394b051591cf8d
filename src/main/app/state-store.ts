import { join } from 'node:path';
import { z } from 'zod';
import { Preferences } from '../../shared/settings';
import type { Files } from '../engine/ports';

/** What Lathe remembers between runs, in `$LATHE_HOME/state.json`. Nothing secret. */
const State = z.object({
  preferences: Preferences.catch({ theme: 'system', zoom: 1, layout: {} }),
  /** Project folders, most recent first. */
  recents: z.array(z.string()).catch([]),
  /** How the person chose to connect: with what the environment or the key store has, a key they entered, or the demo. */
  connection: z.enum(['environment', 'stored', 'demo']).catch('environment'),
});
export type State = z.infer<typeof State>;

/** Enough to find an old project again, few enough to read. */
const MAX_RECENTS = 20;
const MAX_STATE_BYTES = 4 * 1024 * 1024;

export interface StateStore {
  get(): State;
  /** Replaces the given parts and saves. A failed save is reported by `onProblem` and not fatal. */
  update(change: Partial<State>): Promise<void>;
}

/** Puts a folder first among the recents. Pure. */
export const withRecent = (recents: readonly string[], path: string): string[] =>
  [path, ...recents.filter((other) => other !== path)].slice(0, MAX_RECENTS);

/** Opens the state; a file that cannot be read as written starts from defaults, field by field. */
export async function openStateStore(
  files: Files,
  latheHome: string,
  onProblem: (message: string) => void,
): Promise<StateStore> {
  const path = join(latheHome, 'state.json');
  const bytes = await files.read(path, MAX_STATE_BYTES);
  let state = parseState(bytes.ok ? new TextDecoder().decode(bytes.value) : '{}');
  let saving: Promise<void> = Promise.resolve();

  const save = async () => {
    const written = await files.write(path, `${JSON.stringify(state, null, 2)}\n`, 0o600);
    if (!written.ok) onProblem(written.error.message);
  };
  return {
    get: () => state,
    update: (change) => {
      state = { ...state, ...change };
      saving = saving.then(save);
      return saving;
    },
  };
}

function parseState(text: string): State {
  try {
    return State.parse(JSON.parse(text));
  } catch {
    return State.parse({});
  }
}
