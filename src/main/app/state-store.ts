import { join } from 'node:path';
import { z } from 'zod';
import { Preferences, type SettingsProblem } from '../../shared/settings';
import { keepCopy } from '../engine/damaged-file';
import { createMutex } from '../engine/mutex';
import type { Files } from '../engine/ports';

/** The state kept between runs, in `$LATHE_HOME/state.json`. Nothing secret. */
const SavedState = z.object({
  preferences: Preferences,
  /** Project folders, most recent first. */
  recents: z.array(z.string()),
  /** The connection that the user chose: what the environment has, a key they entered, or the demo. */
  connection: z.enum(['environment', 'stored', 'demo']),
});
export type SavedState = z.infer<typeof SavedState>;

const DEFAULTS: SavedState = {
  preferences: { theme: 'system', zoom: 1, layout: {} },
  recents: [],
  connection: 'environment',
};

/** Enough to find an old project again, few enough to read. */
const MAX_RECENTS = 20;
const MAX_STATE_BYTES = 4 * 1024 * 1024;
/** Mode of the file: the user's alone. */
const PRIVATE = 0o600;
/** The pause before what could not be saved is tried again. Milliseconds. */
const RETRY_MS = 5000;

export interface StateStore {
  get(): SavedState;
  /** Replaces the given parts and saves. What cannot be saved is told by `onProblem` as long as that lasts, and tried again. */
  update(change: Partial<SavedState>): Promise<void>;
}

/** Puts a folder first among the recents. Pure. */
export const withRecent = (recents: readonly string[], path: string): string[] =>
  [path, ...recents.filter((other) => other !== path)].slice(0, MAX_RECENTS);

/**
 * Opens the state. Fields that cannot be used start from their defaults; the file as it was is then kept beside as
 * `state.json.damaged`, and `onProblem` is told so; what it returns takes back what is over.
 */
export async function openStateStore(
  files: Files,
  latheHome: string,
  onProblem: (problem: SettingsProblem) => () => void,
): Promise<StateStore> {
  const path = join(latheHome, 'state.json');
  const { bytes, state: read, damage } = await readStateFile(files, path);
  const copy = damage === null || bytes === null ? null : await keepCopy(files, path, bytes);
  const kept = damage === null || copy !== null;
  if (damage !== null) onProblem(damageOf(path, damage, copy));
  let state = read;
  let takeBack: (() => void) | null = null;
  let willRetry = false;
  const writes = createMutex();
  const again = () => {
    willRetry = false;
    save().catch(() => {});
  };
  const save = (): Promise<void> =>
    writes.run(async () => {
      const written = await files.write(path, `${JSON.stringify(state, null, 2)}\n`, PRIVATE);
      if (written.ok) {
        takeBack?.();
        takeBack = null;
        return;
      }
      if (!willRetry) setTimeout(again, RETRY_MS).unref();
      willRetry = true;
      const message = `Choices are not saved at the moment: ${written.error.message}`;
      takeBack ??= onProblem({ file: path, message, level: 'warning' });
    });
  return {
    get: () => state,
    update: (change) => {
      state = { ...state, ...change };
      return kept ? save() : Promise.resolve();
    },
  };
}

/** Reads the preferences of the user, and changes nothing. */
export async function savedPreferences(files: Files, latheHome: string): Promise<Preferences> {
  return (await readStateFile(files, join(latheHome, 'state.json'))).state.preferences;
}

/** A state file as it was found; `bytes` is null where there is none or it cannot be read. */
interface FoundState {
  readonly bytes: Uint8Array | null;
  readonly state: SavedState;
  readonly damage: string | null;
}

async function readStateFile(files: Files, path: string): Promise<FoundState> {
  const read = await files.read(path, MAX_STATE_BYTES);
  if (read.ok) return { bytes: read.value, ...readState(new TextDecoder().decode(read.value)) };
  const missing = /^not_(found|directory)$/.test(read.error.code);
  return { bytes: null, state: DEFAULTS, damage: missing ? null : read.error.message };
}

function damageOf(path: string, damage: string, copy: string | null): SettingsProblem {
  const kept =
    copy === null
      ? 'No copy of it could be made, so nothing is saved until you mend or move it.'
      : `What it held is kept in ${copy}.`;
  const message = `${path} could not be used as it was (${damage}), so Lathe starts with its defaults there. ${kept}`;
  return { file: path, message, level: 'warning' };
}

/** Returns what is wrong with the state file, for a report that changes nothing; null when nothing is. */
export async function stateProblem(
  files: Files,
  latheHome: string,
): Promise<SettingsProblem | null> {
  const path = join(latheHome, 'state.json');
  const { damage } = await readStateFile(files, path);
  if (damage === null) return null;
  const message = `${path} cannot be used as it is (${damage}); Lathe starts with its defaults there.`;
  return { file: path, message, level: 'warning' };
}

/** Reads what it can of a state file. `damage` says what could not be used, null when all could. Pure. */
export function readState(text: string): {
  readonly state: SavedState;
  readonly damage: string | null;
} {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { state: DEFAULTS, damage: 'it is no JSON' };
  }
  const fields = z.record(z.string(), z.unknown()).safeParse(json);
  if (!fields.success) return { state: DEFAULTS, damage: 'it is no JSON object' };
  const damaged: string[] = [];
  const take = <Name extends keyof SavedState>(name: Name): SavedState[Name] => {
    if (!Object.hasOwn(fields.data, name)) return DEFAULTS[name];
    const value = SavedState.shape[name].safeParse(fields.data[name]);
    if (value.success) return value.data as SavedState[Name];
    damaged.push(name);
    return DEFAULTS[name];
  };
  const state: SavedState = {
    preferences: take('preferences'),
    recents: take('recents'),
    connection: take('connection'),
  };
  return { state, damage: damaged.length === 0 ? null : `not usable: ${damaged.join(', ')}` };
}
