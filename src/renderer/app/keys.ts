/** Every act that has a key or stands in the palette. */
export type CommandId =
  | 'palette'
  | 'newSession'
  | 'openFolder'
  | 'searchSessions'
  | 'toggleDock'
  | 'toggleSide'
  | 'terminal'
  | 'newShell'
  | 'changes'
  | 'tasks'
  | 'plan'
  | 'stop'
  | 'cycleMode'
  | 'mode'
  | 'model'
  | 'effort'
  | 'background'
  | 'renameSession'
  | 'compact'
  | 'usage'
  | 'keys'
  | 'settings'
  | 'hooks'
  | 'permissions'
  | `session${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

/** One act: its name, its keys (first one shown), and where they count. */
export interface KeyedCommand {
  readonly id: CommandId;
  readonly title: string;
  readonly group: 'Sessions' | 'View' | 'While it works' | 'Model and mode' | 'App';
  /** Written as `mod+shift+k`; `mod` is ⌘ on Apple's keyboards and Ctrl elsewhere. */
  readonly keys: readonly string[];
  /** Works while a terminal has the focus, also where Ctrl+letter belongs to the shell. */
  readonly overTerminal?: boolean;
  /** Only while the composer has the focus. */
  readonly inComposer?: boolean;
  /** What it is called in the composer: `/name`. */
  readonly slash?: string;
  /** What may follow `/name`, as the menu shows it. */
  readonly argument?: string;
}

const SESSION_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/**
 * The one table of keys (UI.md). Browsers keep Ctrl+N and Ctrl+1…9 for themselves, so those acts have a
 * second key with Alt.
 */
export const COMMANDS: readonly KeyedCommand[] = [
  { id: 'palette', title: 'Command palette', group: 'App', keys: ['mod+k'] },
  {
    id: 'newSession',
    title: 'New session',
    group: 'Sessions',
    keys: ['mod+n', 'alt+n'],
    slash: 'clear',
  },
  { id: 'openFolder', title: 'Open folder…', group: 'Sessions', keys: ['mod+o'] },
  {
    id: 'searchSessions',
    title: 'Find a session',
    group: 'Sessions',
    keys: ['mod+shift+f'],
    overTerminal: true,
  },
  {
    id: 'renameSession',
    title: 'Rename this session…',
    group: 'Sessions',
    keys: [],
    slash: 'rename',
  },
  {
    id: 'compact',
    title: 'Summarise the conversation',
    group: 'Sessions',
    keys: [],
    slash: 'compact',
    argument: 'what to keep above all',
  },
  { id: 'toggleDock', title: 'Show or hide the dock', group: 'View', keys: ['mod+j'] },
  { id: 'toggleSide', title: 'Show or hide the sessions', group: 'View', keys: [] },
  {
    id: 'terminal',
    title: 'Go to the terminal',
    group: 'View',
    keys: ['mod+`'],
    overTerminal: true,
  },
  { id: 'newShell', title: 'New terminal', group: 'View', keys: [] },
  {
    id: 'changes',
    title: 'Changes of this session',
    group: 'View',
    keys: ['mod+shift+d'],
    overTerminal: true,
  },
  { id: 'tasks', title: 'Tasks', group: 'View', keys: [] },
  { id: 'plan', title: 'Plan', group: 'View', keys: [] },
  { id: 'stop', title: 'Stop', group: 'While it works', keys: ['mod+.', 'esc'] },
  {
    id: 'background',
    title: 'Move the running command to the background',
    group: 'While it works',
    keys: ['mod+b'],
  },
  {
    id: 'cycleMode',
    title: 'Next permission mode',
    group: 'Model and mode',
    keys: ['shift+tab'],
    inComposer: true,
  },
  {
    id: 'mode',
    title: 'Choose the permission mode…',
    group: 'Model and mode',
    keys: [],
    slash: 'mode',
  },
  {
    id: 'model',
    title: 'Choose the model…',
    group: 'Model and mode',
    keys: ['mod+shift+m'],
    overTerminal: true,
    slash: 'model',
    argument: 'name',
  },
  {
    id: 'effort',
    title: 'Choose the effort…',
    group: 'Model and mode',
    keys: ['mod+shift+e'],
    overTerminal: true,
    slash: 'effort',
    argument: 'level',
  },
  { id: 'usage', title: 'Context and cost', group: 'View', keys: [], slash: 'context' },
  { id: 'keys', title: 'Keys', group: 'App', keys: ['mod+/'], slash: 'help' },
  {
    id: 'settings',
    title: 'Settings…',
    group: 'App',
    keys: ['mod+,'],
    overTerminal: true,
    slash: 'settings',
  },
  { id: 'hooks', title: 'Hooks…', group: 'App', keys: [], slash: 'hooks' },
  {
    id: 'permissions',
    title: 'Permission rules…',
    group: 'Model and mode',
    keys: [],
    slash: 'permissions',
  },
  ...SESSION_NUMBERS.map(
    (n): KeyedCommand => ({
      id: `session${n}`,
      title: `Session ${n} of the list`,
      group: 'Sessions',
      keys: [`mod+${n}`, `alt+${n}`],
    }),
  ),
];

/** Returns the key of an act as the table writes it first, for tooltips and menus. */
export const keyOf = (id: CommandId): string | undefined =>
  COMMANDS.find((command) => command.id === id)?.keys[0];

/** What of a keyboard event the table looks at. */
export type Stroke = Pick<
  KeyboardEvent,
  'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'
>;

const CODES: Readonly<Record<string, string>> = {
  '`': 'Backquote',
  ',': 'Comma',
  '.': 'Period',
  '/': 'Slash',
};

/** Whether a stroke is this key. Letters also match by place, so that other alphabets keep their keys. */
export function matches(stroke: Stroke, keys: string, apple: boolean): boolean {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const has = (name: string) => parts.includes(name);
  const mod = apple ? stroke.metaKey : stroke.ctrlKey;
  const other = apple ? stroke.ctrlKey : stroke.metaKey;
  if (mod !== has('mod') || other || stroke.altKey !== has('alt')) return false;
  const typed = stroke.key.toLowerCase();
  const punctuation = key.length === 1 && /[^a-z0-9]/.test(key);
  if (punctuation && typed === key) return true;
  if (stroke.shiftKey !== has('shift')) return false;
  return typed === nameOf(key) || (stroke.code !== '' && stroke.code === codeOf(key));
}

const nameOf = (key: string): string => (key === 'esc' ? 'escape' : key);

function codeOf(key: string): string {
  if (/^[a-z]$/.test(key)) return `Key${key.toUpperCase()}`;
  if (/^[0-9]$/.test(key)) return `Digit${key}`;
  return CODES[key] ?? '';
}

/** Returns the act a stroke asks for, or null. */
export const commandFor = (stroke: Stroke, apple: boolean): KeyedCommand | null =>
  COMMANDS.find((command) => command.keys.some((keys) => matches(stroke, keys, apple))) ?? null;

/**
 * Whether the app takes a stroke away from a focused terminal. On Apple's keyboards ⌘ never means anything to
 * a shell; elsewhere Ctrl does, and only keys a shell cannot see are taken.
 */
export function appTakesFromTerminal(stroke: Stroke, apple: boolean): boolean {
  const command = commandFor(stroke, apple);
  if (command === null || command.inComposer) return false;
  return apple ? stroke.metaKey : command.overTerminal === true;
}
