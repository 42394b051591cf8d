import type { CommandId } from '../../shared/window-commands';
import { askToQuit } from '../store/quit';
import { currentTranscript } from '../store/screen';
import { configureSession, nextMode, stopSession } from '../store/sessions';
import { openShell } from '../store/terminals';
import {
  type CommandContext,
  exportShown,
  findInTerminal,
  goToPane,
  goToPrompt,
  goToTerminal,
  maximisePane,
  moveForegroundCall,
  openDock,
  openPalette,
  openSettings,
  pasteText,
  quoteSelection,
  showNumber,
  splitPane,
  toggleScreenReader,
} from './actions';

/** Carries a command out; gives false when it failed and the typed text should be kept. */
type Run = (context: CommandContext, argument: string) => unknown;

const numbered = Object.fromEntries(
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [
    `session${n}`,
    (context: CommandContext) => showNumber(context, n),
  ]),
);

/** The commands of the window. Keys of forms are not among them: the forms carry those out. */
const RUN: { readonly [Id in CommandId]?: Run } = {
  ...numbered,
  findInTerminal: findInTerminal,
  quoteSelection: quoteSelection,
  splitRight: splitPane('right'),
  splitDown: splitPane('bottom'),
  nextPane: goToPane(1),
  previousPane: goToPane(-1),
  previousPrompt: goToPrompt(-1),
  nextPrompt: goToPrompt(1),
  maximisePane: maximisePane,
  palette: openPalette('all'),
  newSession: ({ lathe, focus }) => {
    const made = lathe.current.startNew();
    focus.focusComposer();
    return made.then(({ ok }) => ok);
  },
  openFolder: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'folder' } }),
  files: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'files' } }),
  searchSessions: ({ lathe, focus }) => {
    lathe.store.setState({ sideOpen: true });
    focus.focusSearch();
  },
  renameSession: ({ lathe: { store } }) => {
    const { sessionId } = store.getState();
    if (sessionId !== null) store.setState({ dialog: { kind: 'rename', sessionId } });
  },
  exportSession: exportShown,
  trash: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'trash' } }),
  toggleDock: ({ lathe: { store } }) => store.setState((s) => ({ dockOpen: !s.dockOpen })),
  toggleSide: ({ lathe: { store } }) => store.setState((s) => ({ sideOpen: !s.sideOpen })),
  terminal: goToTerminal,
  conversation: ({ focus }) => focus.toggleConversation(),
  newShell: ({ lathe }) => {
    lathe.store.setState({ dockOpen: true });
    return openShell(lathe);
  },
  changes: openDock('changes'),
  tasks: openDock('tasks'),
  processes: openDock('processes'),
  plan: openDock('plan'),
  stop: ({ lathe }) => stopSession(lathe),
  contents: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'contents' } }),
  rewind: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'rewind' } }),
  background: moveForegroundCall,
  cycleMode: ({ lathe }) => {
    const mode = currentTranscript(lathe.store.getState())?.mode;
    return mode === undefined ? false : configureSession(lathe, { mode: nextMode(mode) });
  },
  mode: openPalette('mode'),
  model: (context, model) =>
    model === '' ? openPalette('model')(context) : configureSession(context.lathe, { model }),
  effort: (context, effort) =>
    effort === '' ? openPalette('effort')(context) : configureSession(context.lathe, { effort }),
  limits: ({ lathe }) => lathe.store.setState({ modelOpen: true }),
  permissions: openSettings('permissions'),
  costs: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'costs' } }),
  health: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'health' } }),
  reload: () => location.reload(),
  usage: ({ lathe }) => lathe.store.setState({ usageOpen: true }),
  keys: ({ lathe }) => lathe.store.setState({ dialog: { kind: 'keys' } }),
  settings: openSettings('look'),
  hooks: openSettings('hooks'),
  memory: openSettings('memory'),
  plugins: openSettings('plugins'),
  servers: openSettings('servers'),
  keySettings: openSettings('keys'),
  quit: ({ lathe }) => askToQuit(lathe),
  screenReader: toggleScreenReader,
  pasteText: pasteText,
};

/** Returns true when the window carries a command out, and not the form that has the focus. */
export const isRunnable = (id: CommandId): boolean => RUN[id] !== undefined;

/** The commands that lead to what lies behind an open dialog, or change something there. Their keys rest meanwhile. */
const BEHIND_DIALOGS: ReadonlySet<string> = new Set<CommandId>([
  ...['newSession', 'searchSessions', 'toggleDock', 'toggleSide', 'terminal', 'conversation'],
  ...['newShell', 'changes', 'tasks', 'processes', 'plan', 'usage', 'limits', 'background'],
] as readonly CommandId[]);

/** Returns true when the key of a command does nothing while a dialog has the window. */
export const restsBehindDialogs = (id: CommandId): boolean =>
  BEHIND_DIALOGS.has(id) || Object.hasOwn(numbered, id);

/** Carries out a command of the window; gives false when it failed. */
export type RunCommand = (id: CommandId, argument?: string) => Promise<boolean>;

/** Carries out a command; gives false when it failed, so that the typed text can be kept. Failures are shown. */
export const runCommand = async (
  context: CommandContext,
  id: CommandId,
  argument = '',
): Promise<boolean> => (await RUN[id]?.(context, argument)) !== false;
