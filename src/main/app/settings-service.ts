import { join } from 'node:path';
import type { DefaultsChange } from '../../shared/agent-defaults';
import type { KeyBindings, KeyChange } from '../../shared/key-bindings';
import type { Result } from '../../shared/result';
import type { SettingsProblem } from '../../shared/settings';
import type { Clock, Files } from '../engine/ports';
import { withDefaults } from '../engine/settings/agent-defaults';
import { decodeText } from '../engine/settings/json-text';
import { readKeyBindings, withKeyChanges } from '../engine/settings/key-bindings';
import { lostPlace } from '../engine/settings/lost-place';
import type { SettingsWriter } from '../engine/settings/write';
import type { ProjectRegistry } from './project-registry';

/** The user's own settings, which the settings page shows: `settings.json` and `keybindings.json`. */
export interface SettingsService {
  /** Changes what new sessions begin with, in the user's own settings. */
  setDefaults(change: DefaultsChange): Promise<Result<null>>;
  /** The user's keys as they were read last. */
  keys(): KeyBindings;
  /** Changes entries of the file of keys; they hold at once. A file that cannot be understood is left as it is. */
  changeKeys(changes: readonly KeyChange[]): Promise<Result<null>>;
  /** Calls back with the keys whenever they changed, also by another program. */
  onKeysChanged(listener: (keys: KeyBindings) => void): void;
  close(): void;
}

interface SettingsServiceOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly writer: SettingsWriter;
  readonly configDir: string;
  readonly projects: Pick<ProjectRegistry, 'list' | 'refresh'>;
}

/** Longer files are refused. Bytes. */
const MAX_BYTES = 1024 * 1024;
/** The time between two looks whether the file changed. Milliseconds. */
const LOOK_EVERY_MS = 1_000;

const keysFile = (configDir: string): string => join(configDir, 'keybindings.json');

/** Reads the user's file of keys, with what cannot be used of it. Never fails. */
export async function readKeysFile(files: Files, configDir: string): Promise<KeyBindings> {
  const file = keysFile(configDir);
  const read = await files.read(file, MAX_BYTES);
  const none = (message: string, level: SettingsProblem['level']): KeyBindings => ({
    ...{ file, bindings: [], problems: [{ file, message, level }] },
  });
  if (read.ok && decodeText(read.value).text.trim() === '')
    return none('the file is empty, so it sets no keys', 'warning');
  if (read.ok) return readKeyBindings(read.value, file);
  if (!/^not_(found|directory)$/.test(read.error.code))
    return none(`it could not be read: ${read.error.message}`, 'error');
  const why = await lostPlace(file, files);
  return why === null
    ? { file, bindings: [], problems: [] }
    : none(`it could not be read: ${why.replace(/\.$/, '')}`, 'error');
}

/** Opens the service. The keys are read again whenever their file changes. */
export async function openSettingsService(
  options: SettingsServiceOptions,
): Promise<SettingsService> {
  const { files, clock, writer, configDir, projects } = options;
  const file = keysFile(configDir);
  const closed = new AbortController();
  const listeners = new Set<(keys: KeyBindings) => void>();
  let seen = '';
  let keys: KeyBindings = { file, bindings: [], problems: [] };

  /** Returns what stands for the state of the file; a watch of its folder would not see through links. */
  const lookAt = async (): Promise<string> => {
    const stat = await files.stat(file);
    return stat.ok ? `${stat.value.mtimeMs} ${stat.value.size}` : stat.error.code;
  };
  const refresh = async (): Promise<void> => {
    seen = await lookAt();
    keys = await readKeysFile(files, configDir);
    for (const listener of listeners) listener(keys);
  };
  await refresh();
  const follow = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, closed.signal);
      if (!closed.signal.aborted && (await lookAt()) !== seen) await refresh();
    }
  };
  void follow();
  return {
    setDefaults: async (change) => {
      const settings = join(configDir, 'settings.json');
      const written = await writer.change(settings, (text) => withDefaults(text, settings, change));
      // The file is the user's: it counts in every open folder.
      for (const { path } of projects.list()) await projects.refresh(path);
      return written;
    },
    keys: () => keys,
    changeKeys: async (changes) => {
      const written = await writer.change(file, (text) => withKeyChanges(text, file, changes));
      await refresh();
      return written;
    },
    onKeysChanged: (listener) => {
      listeners.add(listener);
    },
    close: () => closed.abort(),
  };
}
