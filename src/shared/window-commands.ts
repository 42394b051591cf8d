/** The part of the window in which the keys of a command count. */
export type CommandScope = 'window' | 'composer' | 'asking' | 'files' | 'terminal';

/** The groups of commands, in the order in which they are listed. */
export const GROUPS = [
  'Writing',
  'When Lathe asks',
  'Sessions',
  'View',
  'Terminal',
  'While it works',
  'Model and mode',
  'App',
] as const;
type CommandGroup = (typeof GROUPS)[number];

interface CommandFacts {
  readonly title: string;
  readonly group: CommandGroup;
  /** `window` when not set. */
  readonly scope?: CommandScope;
  /** The shortcuts it has when nobody chose others; the first one is shown. */
  readonly keys: readonly string[];
  /** Counts in a focused terminal too, also where Ctrl+letter belongs to the shell. */
  readonly overTerminal?: boolean;
  /** Counts only while the composer has the focus. */
  readonly inComposer?: boolean;
  /** The name after the slash in the composer. */
  readonly slash?: string;
  /** Other names of it after the slash, where nothing else has them. */
  readonly aliases?: readonly string[];
  /** A hint at the argument after the name. */
  readonly argument?: string;
}

const ENTRIES = {
  send: { title: 'Send', group: 'Writing', scope: 'composer', keys: ['enter'] },
  newLine: { title: 'New line', group: 'Writing', scope: 'composer', keys: ['shift+enter'] },
  steer: { title: 'Steer what runs now', group: 'Writing', scope: 'composer', keys: ['mod+enter'] },
  older: {
    title: 'Earlier prompts, or take back a queued one',
    group: 'Writing',
    scope: 'composer',
    keys: ['up'],
  },
  newer: { title: 'Later prompts', group: 'Writing', scope: 'composer', keys: ['down'] },
  searchPrompts: {
    title: 'Find a prompt sent before',
    group: 'Writing',
    scope: 'composer',
    keys: ['ctrl+r'],
  },
  allow: { title: 'Allow once', group: 'When Lathe asks', scope: 'asking', keys: ['enter'] },
  always: {
    title: 'Allow always…',
    group: 'When Lathe asks',
    scope: 'asking',
    keys: ['shift+enter'],
  },
  edit: {
    title: 'Edit before allowing',
    group: 'When Lathe asks',
    scope: 'asking',
    keys: ['mod+e'],
  },
  deny: { title: 'Deny', group: 'When Lathe asks', scope: 'asking', keys: ['esc'] },
  giveReason: {
    title: 'Deny and say why',
    group: 'When Lathe asks',
    scope: 'asking',
    keys: ['tab'],
  },
  next: {
    title: 'Next file or question',
    group: 'When Lathe asks',
    scope: 'asking',
    keys: ['down'],
  },
  previous: {
    title: 'Previous file or question',
    group: 'When Lathe asks',
    scope: 'asking',
    keys: ['up'],
  },
  allowOne: {
    title: 'Allow only this file',
    group: 'When Lathe asks',
    scope: 'files',
    keys: ['mod+enter'],
  },
  denyOne: {
    title: 'Deny only this file',
    group: 'When Lathe asks',
    scope: 'files',
    keys: ['del', 'backspace'],
  },
  copySelection: {
    title: 'Copy the selection',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+c'],
  },
  pasteText: { title: 'Paste', group: 'Terminal', scope: 'terminal', keys: ['mod+shift+v'] },
  findInTerminal: {
    title: 'Find in the terminal',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+f'],
  },
  quoteSelection: {
    title: 'Add the selection to the prompt',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+l'],
  },
  splitRight: {
    title: 'Split the terminal to the right',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+o'],
  },
  splitDown: {
    title: 'Split the terminal below',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+u'],
  },
  nextPane: {
    title: 'Next terminal pane',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+right'],
  },
  previousPane: {
    title: 'Previous terminal pane',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+left'],
  },
  previousPrompt: {
    title: 'Previous prompt of the shell',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+up'],
  },
  nextPrompt: {
    title: 'Next prompt of the shell',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+down'],
  },
  maximisePane: {
    title: 'Maximise the terminal, or back',
    group: 'Terminal',
    scope: 'terminal',
    keys: ['mod+shift+x'],
  },
  screenReader: {
    title: 'Screen reader text in terminals, on or off',
    group: 'Terminal',
    keys: [],
  },
  palette: { title: 'Command palette', group: 'App', keys: ['mod+k'] },
  newSession: {
    title: 'New session',
    group: 'Sessions',
    keys: ['mod+n', 'alt+n'],
    slash: 'clear',
    aliases: ['new', 'reset'],
  },
  openFolder: { title: 'Open folder…', group: 'Sessions', keys: ['mod+o'] },
  files: { title: 'Go to a file…', group: 'View', keys: ['mod+p'] },
  searchSessions: {
    title: 'Find a session',
    group: 'Sessions',
    keys: ['mod+shift+f'],
    overTerminal: true,
  },
  renameSession: { title: 'Rename this session…', group: 'Sessions', keys: [], slash: 'rename' },
  exportSession: {
    title: 'Export this session as Markdown',
    group: 'Sessions',
    keys: [],
    slash: 'export',
    argument: 'json, html',
  },
  trash: { title: 'Deleted sessions…', group: 'Sessions', keys: [] },
  toggleDock: { title: 'Show or hide the dock', group: 'View', keys: ['mod+j'] },
  toggleSide: { title: 'Show or hide the sessions', group: 'View', keys: [] },
  terminal: { title: 'Go to the terminal', group: 'View', keys: ['mod+`'], overTerminal: true },
  conversation: {
    title: 'Go to the conversation, or back',
    group: 'View',
    keys: ['f6'],
    overTerminal: true,
  },
  newShell: { title: 'New terminal', group: 'View', keys: [] },
  changes: {
    title: 'Changes of this session',
    group: 'View',
    keys: ['mod+shift+d'],
    overTerminal: true,
  },
  tasks: { title: 'Tasks', group: 'View', keys: [] },
  processes: { title: 'Processes', group: 'View', keys: [] },
  plan: { title: 'Plan', group: 'View', keys: [] },
  stop: { title: 'Stop', group: 'While it works', keys: ['mod+.', 'esc'] },
  rewind: { title: 'Go back to an earlier prompt…', group: 'Writing', keys: [], slash: 'rewind' },
  background: {
    title: 'Move the running command to the background',
    group: 'While it works',
    keys: ['mod+b'],
  },
  cycleMode: {
    title: 'Next permission mode',
    group: 'Model and mode',
    keys: ['shift+tab'],
    inComposer: true,
  },
  mode: { title: 'Choose the permission mode…', group: 'Model and mode', keys: [], slash: 'mode' },
  model: {
    title: 'Choose the model…',
    group: 'Model and mode',
    keys: ['mod+shift+m'],
    overTerminal: true,
    slash: 'model',
    argument: 'name',
  },
  effort: {
    title: 'Choose the effort…',
    group: 'Model and mode',
    keys: ['mod+shift+e'],
    overTerminal: true,
    slash: 'effort',
    argument: 'level',
  },
  limits: { title: 'Thinking and limits…', group: 'Model and mode', keys: [], slash: 'limits' },
  permissions: {
    title: 'Permission rules…',
    group: 'Model and mode',
    keys: [],
    slash: 'permissions',
  },
  usage: { title: 'Context and cost', group: 'View', keys: [], slash: 'context' },
  contents: {
    title: 'Contents of the conversation…',
    group: 'View',
    keys: ['mod+shift+y'],
    slash: 'contents',
  },
  costs: { title: 'Costs of all sessions', group: 'View', keys: [], slash: 'cost' },
  keys: { title: 'Keys', group: 'App', keys: ['mod+/'], slash: 'help' },
  keySettings: { title: 'Change the keys…', group: 'App', keys: [] },
  settings: {
    title: 'Settings…',
    group: 'App',
    keys: ['mod+,'],
    overTerminal: true,
    slash: 'settings',
  },
  hooks: { title: 'Hooks…', group: 'App', keys: [], slash: 'hooks' },
  memory: { title: 'Memory…', group: 'App', keys: [], slash: 'memory' },
  plugins: { title: 'Plugins…', group: 'App', keys: [], slash: 'plugins' },
  servers: { title: 'Tool servers…', group: 'App', keys: [], slash: 'mcp' },
  health: { title: 'Health of Lathe', group: 'App', keys: [], slash: 'health' },
  reload: { title: 'Reload this window, keep everything running', group: 'App', keys: [] },
  quit: { title: 'Quit Lathe…', group: 'App', keys: [], slash: 'quit' },
} as const satisfies Record<string, CommandFacts>;

const SESSION_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

type SessionNumber = (typeof SESSION_NUMBERS)[number];

export type CommandId = keyof typeof ENTRIES | `session${SessionNumber}`;

/** One command: palette entry, slash command, and line of the key settings and the key help. */
export interface AppCommand extends CommandFacts {
  readonly id: CommandId;
  readonly scope: CommandScope;
}

const command = (id: CommandId, facts: CommandFacts): AppCommand => ({
  scope: 'window',
  ...facts,
  id,
});

/**
 * The one table of commands. Browsers keep Ctrl+N and Ctrl+1…9 for themselves, so those commands have a second key
 * with Alt.
 */
export const COMMANDS: readonly AppCommand[] = [
  ...Object.entries(ENTRIES).map(([id, facts]) => command(id as CommandId, facts)),
  ...SESSION_NUMBERS.map((n) =>
    command(`session${n}`, {
      title: `Session ${n} of the list`,
      group: 'Sessions',
      keys: [`mod+${n}`, `alt+${n}`],
    }),
  ),
];

/** Returns the command with this id. */
export function commandOf(id: CommandId): AppCommand {
  const found = COMMANDS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no command ${id}`);
  return found;
}
