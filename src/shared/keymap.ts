import type { KeyBinding, KeyBindings, KeyChange } from './key-bindings';
import { nearestName } from './nearest-name';
import type { SettingsProblem } from './settings';
import { matcherOf, type Press, readShortcut, sameStroke } from './shortcut';
import {
  type AppCommand,
  COMMANDS,
  type CommandId,
  type CommandScope,
  commandOf,
} from './window-commands';

/** The names of the parts of the window in `keybindings.json`. Blocks of other names are other programs'. */
const CONTEXTS: Readonly<Record<CommandScope, string>> = {
  window: 'Lathe',
  composer: 'LatheComposer',
  asking: 'LatheQuestion',
  files: 'LatheFiles',
  terminal: 'LatheTerminal',
};

const SCOPES = Object.keys(CONTEXTS) as readonly CommandScope[];

/** The keys of all commands: ours, and over them those of the user. */
export interface Keymap {
  /** The shortcuts of a command as {@link matches} reads them; the first one is shown. */
  keysOf(id: CommandId): readonly string[];
  /** Returns the first shortcut of a command that reaches it, for tooltips and menus; '' when none does. */
  keyOf(id: CommandId): string;
  /** Returns the command that a key press means in one part of the window, or null. */
  commandFor(press: Press, scope: CommandScope): AppCommand | null;
  /** Entries of the user's file that cannot be used, with their lines. */
  readonly problems: readonly SettingsProblem[];
}

/** No keys of the user's own. */
export const NO_BINDINGS: KeyBindings = { file: '', bindings: [], problems: [] };

/** The shortcuts that a browser keeps for itself in its tabs; its windows without tabs pass them on. */
const KEPT_BY_TABS = /^mod\+[n1-9]$/;

/**
 * Makes the keymap of a user's file. Later entries go before earlier ones, and all of them before ours. `inTab`: the page
 * is a tab of a browser. Pure.
 */
export function createKeymap(
  { file, bindings, problems }: KeyBindings,
  apple: boolean,
  inTab = false,
): Keymap {
  const keys = new Map<CommandId, readonly string[]>(COMMANDS.map((one) => [one.id, one.keys]));
  const found: SettingsProblem[] = [...problems];
  const seen: KeyBinding[] = [];
  for (const binding of bindings) {
    const tell = (message: string) => {
      const field = binding.key;
      found.push({ file, line: binding.line, field, message, level: 'warning' });
    };
    const scope = scopeOf(binding.context);
    if (scope === null) {
      const meant = nearestName(binding.context, Object.values(CONTEXTS));
      if (meant !== null) tell(`there is no context “${binding.context}”; “${meant}” may be meant`);
      continue;
    }
    const read = readShortcut(binding.key);
    const refused = read.ok ? refusalOf(read.value, scope) : read.error;
    if (!read.ok || refused !== null) {
      tell(`${refused}, so it is ignored`);
      continue;
    }
    const command = commandNamed(binding.command, scope);
    if (!command.ok) {
      tell(command.error);
      continue;
    }
    const again = seen.some(
      (one) => one.context === binding.context && same(one.key, read.value, apple),
    );
    if (again) tell('it stands twice in this context; what comes later counts');
    seen.push({ ...binding, key: read.value });
    for (const { id, scope: its } of COMMANDS) {
      const own = keys.get(id) ?? [];
      if (its !== scope) continue;
      const others = own.filter((key) => !sameStroke(key, read.value, apple));
      keys.set(id, id === command.value ? [...others, read.value] : others);
    }
  }
  const keysOf = (id: CommandId) => keys.get(id) ?? [];
  // Read once: a key in a terminal asks three times whether it is meant.
  const pressable = COMMANDS.map((command) => ({
    command,
    are: keysOf(command.id).map(matcherOf),
  }));
  return {
    keysOf,
    keyOf: (id) => keysOf(id).find((key) => !inTab || !KEPT_BY_TABS.test(key)) ?? '',
    commandFor: (press, scope) =>
      pressable.find(
        ({ command, are }) => command.scope === scope && are.some((isIt) => isIt(press)),
      )?.command ?? null,
    problems: found,
  };
}

const scopeOf = (context: string): CommandScope | null =>
  SCOPES.find((scope) => CONTEXTS[scope] === context) ?? null;

/** Returns true when two shortcuts, one of them as a file writes it, are the same key press. */
function same(written: string, key: string, apple: boolean): boolean {
  const read = readShortcut(written);
  return read.ok && sameStroke(read.value, key, apple);
}

type Named =
  | { readonly ok: true; readonly value: CommandId | null }
  | { readonly ok: false; readonly error: string };

/** Finds the command that an entry names, or says why there is none. */
function commandNamed(name: string | null, scope: CommandScope): Named {
  if (name === null) return { ok: true, value: null };
  const found = COMMANDS.find(({ id }) => id === name);
  if (found === undefined) {
    const meant = nearestName(
      name,
      COMMANDS.map(({ id }) => id),
    );
    const advice = meant === null ? '' : `; “${meant}” may be meant`;
    return { ok: false, error: `there is no command “${name}”, so it is ignored${advice}` };
  }
  if (found.scope === scope) return { ok: true, value: found.id };
  const error = `the command “${name}” belongs in the context “${CONTEXTS[found.scope]}”, so it is ignored`;
  return { ok: false, error };
}

/** Returns why a shortcut cannot be used in a part of the window; null when it can. Pure. */
export function refusalOf(key: string, scope: CommandScope): string | null {
  const plain = /^(?:shift\+)?(?:enter|tab|space|backspace|del|home|end|page|up|down|left|right)/;
  const taken =
    (scope === 'window' && plain.test(key) && key !== 'shift+tab') || isTyped(key, scope);
  return taken ? 'this key belongs to what has the focus' : null;
}

/** Returns true for keys that a program in a terminal waits for. */
const isTyped = (key: string, scope: CommandScope): boolean =>
  scope === 'terminal' && !/(?:mod|ctrl|alt)\+/.test(key) && !/^(?:shift\+)?f\d/.test(key);

/** The parts of the window whose keys count at the same time as those of a part. */
const BESIDE: Readonly<Record<CommandScope, readonly CommandScope[]>> = {
  window: ['window', 'composer', 'terminal'],
  composer: ['composer', 'window'],
  asking: ['asking', 'files'],
  files: ['files', 'asking'],
  terminal: ['terminal', 'window'],
};

/** Returns the other commands that a shortcut belongs to where a command's own keys count. Pure. */
export function conflictsOf(
  keymap: Keymap,
  id: CommandId,
  key: string,
  apple: boolean,
): readonly AppCommand[] {
  const beside = BESIDE[commandOf(id).scope];
  return COMMANDS.filter(
    (other) =>
      other.id !== id &&
      beside.includes(other.scope) &&
      keymap.keysOf(other.id).some((one) => sameStroke(one, key, apple)),
  );
}

/**
 * Returns the changes of the user's file after which a command has just these keys. A key of ours that it is not to
 * have does nothing; what equals ours needs no entry. Pure.
 */
export function changesFor(
  { bindings }: Pick<KeyBindings, 'bindings'>,
  id: CommandId,
  wanted: readonly string[],
  apple: boolean,
): readonly KeyChange[] {
  const { scope, keys: ours } = commandOf(id);
  const context = CONTEXTS[scope];
  const written = bindings.filter((one) => one.context === context);
  const among = (list: readonly string[], key: string) =>
    list.some((one) => sameStroke(one, key, apple));
  const changes: KeyChange[] = [];
  for (const { key, command } of written) {
    const read = readShortcut(key);
    if (!read.ok) continue;
    const isWanted = among(wanted, read.value);
    if (isWanted || command === id) changes.push({ context, key });
  }
  for (const key of wanted) {
    if (!among(ours, key)) changes.push({ context, key, command: id });
  }
  for (const key of ours) {
    const others = written.some(({ key: k, command }) => command !== id && same(k, key, apple));
    if (!among(wanted, key) && !others) changes.push({ context, key, command: null });
  }
  return changes;
}

/** Returns the changes of the user's file after which every command has our keys. Pure. */
export const changesForAll = ({ bindings }: Pick<KeyBindings, 'bindings'>): readonly KeyChange[] =>
  bindings
    .filter(({ context }) => scopeOf(context) !== null)
    .map(({ context, key }) => ({ context, key }));

/** Returns true when a command has other keys than ours. Pure. */
export function isChanged(keymap: Keymap, id: CommandId): boolean {
  const ours = commandOf(id).keys;
  const now = keymap.keysOf(id);
  return ours.length !== now.length || ours.some((key, at) => now[at] !== key);
}
