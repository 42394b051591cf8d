import { currentTranscript } from '../store/screen';
import { configureSession, nextMode, stopSession } from '../store/sessions';
import { openShell } from '../store/terminals';
import { matches, type Press } from '../ui/keys';
import {
  type CommandContext,
  goToPane,
  goToPrompt,
  goToTerminal,
  maximisePane,
  moveForegroundCall,
  openDock,
  openPalette,
  openSettings,
  quoteSelection,
  showNumber,
  splitPane,
} from './actions';

/** The part of the window in which the keys of a command count. */
export type CommandScope = 'window' | 'composer' | 'asking' | 'files' | 'terminal';

export type CommandGroup =
  | 'Writing'
  | 'When Lathe asks'
  | 'Sessions'
  | 'View'
  | 'Terminal'
  | 'While it works'
  | 'Model and mode'
  | 'App';

/** One command: palette entry, key bindings, slash command and line of the key help. */
export interface AppCommand<Id extends string = string> {
  readonly id: Id;
  readonly title: string;
  readonly group: CommandGroup;
  /** `window` when not set. */
  readonly scope?: CommandScope;
  /** Shortcuts as {@link matches} reads them; the first one is shown. */
  readonly keys: readonly string[];
  /** Counts in a focused terminal too, also where Ctrl+letter belongs to the shell. */
  readonly overTerminal?: boolean;
  /** Counts only while the composer has the focus. */
  readonly inComposer?: boolean;
  /** The name after the slash in the composer. */
  readonly slash?: string;
  /** A hint at the argument after the name. */
  readonly argument?: string;
  /** Carries the command out; gives false when it failed and the typed text should be kept. Form keys have none. */
  readonly run?: (context: CommandContext, argument: string) => unknown;
}

const ASKING = 'When Lathe asks';

/** Returns a command with a key that counts in a focused terminal only. */
const inTerminal = <Id extends string>(
  id: Id,
  title: string,
  key: string,
  run?: AppCommand['run'],
) =>
  ({
    ...{ id, title, group: 'Terminal', scope: 'terminal', keys: [`mod+shift+${key}`] },
    ...(run === undefined ? {} : { run }),
  }) as const satisfies AppCommand;

const ENTRIES = [
  { id: 'send', title: 'Send', group: 'Writing', scope: 'composer', keys: ['enter'] },
  { id: 'newLine', title: 'New line', group: 'Writing', scope: 'composer', keys: ['shift+enter'] },
  {
    id: 'steer',
    title: 'Steer what runs now',
    group: 'Writing',
    scope: 'composer',
    keys: ['mod+enter'],
  },
  {
    id: 'older',
    title: 'Earlier prompts, or take back a queued one',
    group: 'Writing',
    scope: 'composer',
    keys: ['up'],
  },
  { id: 'newer', title: 'Later prompts', group: 'Writing', scope: 'composer', keys: ['down'] },
  {
    id: 'searchPrompts',
    title: 'Find a prompt sent before',
    group: 'Writing',
    scope: 'composer',
    keys: ['ctrl+r'],
  },
  { id: 'allow', title: 'Allow once', group: ASKING, scope: 'asking', keys: ['enter'] },
  { id: 'always', title: 'Allow always…', group: ASKING, scope: 'asking', keys: ['shift+enter'] },
  { id: 'edit', title: 'Edit before allowing', group: ASKING, scope: 'asking', keys: ['mod+e'] },
  { id: 'deny', title: 'Deny', group: ASKING, scope: 'asking', keys: ['esc'] },
  { id: 'giveReason', title: 'Deny and say why', group: ASKING, scope: 'asking', keys: ['tab'] },
  { id: 'next', title: 'Next file or question', group: ASKING, scope: 'asking', keys: ['down'] },
  {
    id: 'previous',
    title: 'Previous file or question',
    group: ASKING,
    scope: 'asking',
    keys: ['up'],
  },
  {
    id: 'allowOne',
    title: 'Allow only this file',
    group: ASKING,
    scope: 'files',
    keys: ['mod+enter'],
  },
  {
    id: 'denyOne',
    title: 'Deny only this file',
    group: ASKING,
    scope: 'files',
    keys: ['del', 'backspace'],
  },
  inTerminal('copySelection', 'Copy the selection', 'c'),
  inTerminal('pasteText', 'Paste', 'v'),
  inTerminal('quoteSelection', 'Add the selection to the prompt', 'l', quoteSelection),
  inTerminal('splitRight', 'Split the terminal to the right', 'o', splitPane('right')),
  inTerminal('splitDown', 'Split the terminal below', 'u', splitPane('bottom')),
  inTerminal('nextPane', 'Next terminal pane', 'right', goToPane(1)),
  inTerminal('previousPane', 'Previous terminal pane', 'left', goToPane(-1)),
  inTerminal('previousPrompt', 'Previous prompt of the shell', 'up', goToPrompt(-1)),
  inTerminal('nextPrompt', 'Next prompt of the shell', 'down', goToPrompt(1)),
  inTerminal('maximisePane', 'Maximise the terminal, or back', 'x', maximisePane),
  {
    id: 'palette',
    title: 'Command palette',
    group: 'App',
    keys: ['mod+k'],
    run: openPalette('all'),
  },
  {
    id: 'newSession',
    title: 'New session',
    group: 'Sessions',
    keys: ['mod+n', 'alt+n'],
    slash: 'clear',
    run: ({ lathe, focus }) => {
      const made = lathe.current.startNew();
      focus.focusComposer();
      return made.then(({ ok }) => ok);
    },
  },
  {
    id: 'openFolder',
    title: 'Open folder…',
    group: 'Sessions',
    keys: ['mod+o'],
    run: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'folder' } }),
  },
  {
    id: 'files',
    title: 'Go to a file…',
    group: 'View',
    keys: ['mod+p'],
    run: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'files' } }),
  },
  {
    id: 'searchSessions',
    title: 'Find a session',
    group: 'Sessions',
    keys: ['mod+shift+f'],
    overTerminal: true,
    run: ({ lathe, focus }) => {
      lathe.store.setState({ sideOpen: true });
      focus.focusSearch();
    },
  },
  {
    id: 'renameSession',
    title: 'Rename this session…',
    group: 'Sessions',
    keys: [],
    slash: 'rename',
    run: ({ lathe: { store } }) => {
      const { sessionId } = store.getState();
      if (sessionId !== null) store.setState({ dialog: { kind: 'rename', sessionId } });
    },
  },
  {
    id: 'toggleDock',
    title: 'Show or hide the dock',
    group: 'View',
    keys: ['mod+j'],
    run: ({ lathe: { store } }) => store.setState((s) => ({ dockOpen: !s.dockOpen })),
  },
  {
    id: 'toggleSide',
    title: 'Show or hide the sessions',
    group: 'View',
    keys: [],
    run: ({ lathe: { store } }) => store.setState((s) => ({ sideOpen: !s.sideOpen })),
  },
  {
    id: 'terminal',
    title: 'Go to the terminal',
    group: 'View',
    keys: ['mod+`'],
    overTerminal: true,
    run: goToTerminal,
  },
  {
    id: 'conversation',
    title: 'Go to the conversation, or back',
    group: 'View',
    keys: ['f6'],
    overTerminal: true,
    run: ({ focus }) => focus.toggleConversation(),
  },
  {
    id: 'newShell',
    title: 'New terminal',
    group: 'View',
    keys: [],
    run: ({ lathe }) => {
      lathe.store.setState({ dockOpen: true });
      return openShell(lathe);
    },
  },
  {
    id: 'changes',
    title: 'Changes of this session',
    group: 'View',
    keys: ['mod+shift+d'],
    overTerminal: true,
    run: openDock('changes'),
  },
  { id: 'tasks', title: 'Tasks', group: 'View', keys: [], run: openDock('tasks') },
  { id: 'processes', title: 'Processes', group: 'View', keys: [], run: openDock('processes') },
  { id: 'plan', title: 'Plan', group: 'View', keys: [], run: openDock('plan') },
  {
    id: 'stop',
    title: 'Stop',
    group: 'While it works',
    keys: ['mod+.', 'esc'],
    run: ({ lathe }) => stopSession(lathe),
  },
  {
    id: 'rewind',
    title: 'Go back to an earlier prompt…',
    group: 'Writing',
    keys: [],
    slash: 'rewind',
    run: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'rewind' } }),
  },
  {
    id: 'background',
    title: 'Move the running command to the background',
    group: 'While it works',
    keys: ['mod+b'],
    run: moveForegroundCall,
  },
  {
    id: 'cycleMode',
    title: 'Next permission mode',
    group: 'Model and mode',
    keys: ['shift+tab'],
    inComposer: true,
    run: ({ lathe }) => {
      const mode = currentTranscript(lathe.store.getState())?.mode;
      return mode === undefined ? false : configureSession(lathe, { mode: nextMode(mode) });
    },
  },
  {
    id: 'mode',
    title: 'Choose the permission mode…',
    group: 'Model and mode',
    keys: [],
    slash: 'mode',
    run: openPalette('mode'),
  },
  {
    id: 'model',
    title: 'Choose the model…',
    group: 'Model and mode',
    keys: ['mod+shift+m'],
    overTerminal: true,
    slash: 'model',
    argument: 'name',
    run: (context, model) =>
      model === '' ? openPalette('model')(context) : configureSession(context.lathe, { model }),
  },
  {
    id: 'effort',
    title: 'Choose the effort…',
    group: 'Model and mode',
    keys: ['mod+shift+e'],
    overTerminal: true,
    slash: 'effort',
    argument: 'level',
    run: (context, effort) =>
      effort === '' ? openPalette('effort')(context) : configureSession(context.lathe, { effort }),
  },
  {
    id: 'limits',
    title: 'Thinking and limits…',
    group: 'Model and mode',
    keys: [],
    slash: 'limits',
    run: ({ lathe }) => lathe.store.setState({ modelOpen: true }),
  },
  {
    id: 'permissions',
    title: 'Permission rules…',
    group: 'Model and mode',
    keys: [],
    slash: 'permissions',
    run: openSettings('permissions'),
  },
  {
    id: 'usage',
    title: 'Context and cost',
    group: 'View',
    keys: [],
    slash: 'context',
    run: ({ lathe }) => lathe.store.setState({ usageOpen: true }),
  },
  {
    id: 'keys',
    title: 'Keys',
    group: 'App',
    keys: ['mod+/'],
    slash: 'help',
    run: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'keys' } }),
  },
  {
    id: 'settings',
    title: 'Settings…',
    group: 'App',
    keys: ['mod+,'],
    overTerminal: true,
    slash: 'settings',
    run: openSettings('look'),
  },
  {
    id: 'hooks',
    title: 'Hooks…',
    group: 'App',
    keys: [],
    slash: 'hooks',
    run: openSettings('hooks'),
  },
] as const satisfies readonly AppCommand[];

const SESSION_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

export type CommandId =
  | (typeof ENTRIES)[number]['id']
  | `session${(typeof SESSION_NUMBERS)[number]}`;

/**
 * The one table of commands and keys. Browsers keep Ctrl+N and Ctrl+1…9 for themselves, so those commands have a
 * second key with Alt.
 */
export const COMMANDS: readonly AppCommand<CommandId>[] = [
  ...ENTRIES,
  ...SESSION_NUMBERS.map(
    (n): AppCommand<CommandId> => ({
      id: `session${n}`,
      title: `Session ${n} of the list`,
      group: 'Sessions',
      keys: [`mod+${n}`, `alt+${n}`],
      run: (context) => showNumber(context, n),
    }),
  ),
];

/** Returns the command with this id. */
export function commandOf(id: CommandId): AppCommand<CommandId> {
  const command = COMMANDS.find((one) => one.id === id);
  if (command === undefined) throw new Error(`no command ${id}`);
  return command;
}

/** Carries out a command of the window; gives false when it failed. */
export type RunCommand = (id: CommandId, argument?: string) => Promise<boolean>;

/** Carries out a command; gives false when it failed, so that the typed text can be kept. Failures are shown. */
export const runCommand = async (
  context: CommandContext,
  id: CommandId,
  argument = '',
): Promise<boolean> => (await commandOf(id).run?.(context, argument)) !== false;

/** Returns the first shortcut of a command, for tooltips and menus; '' when it has none. */
export const keyOf = (id: CommandId): string => commandOf(id).keys[0] ?? '';

/** Returns the command that a key press means in one part of the window, or null. */
export const commandFor = (press: Press, scope: CommandScope): AppCommand<CommandId> | null =>
  COMMANDS.find(
    (command) =>
      (command.scope ?? 'window') === scope && command.keys.some((keys) => matches(press, keys)),
  ) ?? null;
