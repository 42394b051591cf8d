import { sessionsOf } from '../sessions/group-sessions';
import type { Lathe } from '../store/lathe';
import { currentProject, currentTranscript } from '../store/screen';
import {
  compactSession,
  configureSession,
  newSession,
  nextMode,
  showSession,
  stopSession,
} from '../store/sessions';
import { moveToBackground, openShell } from '../store/terminals';
import { shownTerminal, visibleTerminals } from '../terminal/visible-terminals';
import type { CommandId } from './keys';
import { foregroundCall } from './session-views';

/** Moves the focus between the main parts of the window. */
export interface FocusTargets {
  focusComposer(): void;
  focusSearch(): void;
  /** Whether a terminal has the focus now. */
  inTerminal(): boolean;
}

/** Carries out one act of the key table. Acts that make no sense right now do nothing. */
export async function runCommand(lathe: Lathe, focus: FocusTargets, id: CommandId): Promise<void> {
  const { store } = lathe;
  const screen = store.getState();
  switch (id) {
    case 'palette':
      return store.setState({ dialog: { kind: 'palette', page: 'all' } });
    case 'model':
    case 'effort':
    case 'mode':
      return store.setState({ dialog: { kind: 'palette', page: id } });
    case 'newSession':
      await newSession(lathe);
      return focus.focusComposer();
    case 'openFolder':
      return store.setState({ dialog: { kind: 'folder' } });
    case 'keys':
      return store.setState({ dialog: { kind: 'keys' } });
    case 'settings':
      return store.setState({ dialog: { kind: 'settings', page: 'look' } });
    case 'hooks':
      return store.setState({ dialog: { kind: 'settings', page: 'hooks' } });
    case 'permissions':
      return store.setState({ dialog: { kind: 'settings', page: 'permissions' } });
    case 'renameSession':
      if (screen.sessionId === null) return;
      return store.setState({ dialog: { kind: 'rename', sessionId: screen.sessionId } });
    case 'searchSessions':
      store.setState({ sideOpen: true });
      return focus.focusSearch();
    case 'toggleDock':
      return store.setState({ dockOpen: !screen.dockOpen });
    case 'toggleSide':
      return store.setState({ sideOpen: !screen.sideOpen });
    case 'changes':
    case 'tasks':
    case 'plan':
      return store.setState({ dockTab: id, dockOpen: true });
    case 'terminal':
      return goToTerminal(lathe, focus);
    case 'newShell':
      store.setState({ dockOpen: true });
      return openShell(lathe);
    case 'stop':
      return stopSession(lathe);
    case 'cycleMode': {
      const mode = currentTranscript(screen)?.mode;
      if (mode !== undefined) await configureSession(lathe, { mode: nextMode(mode) });
      return;
    }
    case 'compact':
      await compactSession(lathe);
      return;
    case 'usage':
      return store.setState({ usageOpen: true });
    case 'background':
      return backgroundCommand(lathe);
    default:
      return showNumber(lathe, id);
  }
}

/** Shows the session with a number from 1 to 9, as the unfiltered list numbers them. */
function showNumber(lathe: Lathe, id: CommandId): void {
  const { app, opened } = lathe.store.getState();
  const listed = sessionsOf(app?.sessions ?? [], opened?.path ?? '', '');
  const session = listed[Number(id.slice(-1)) - 1];
  if (session) showSession(lathe, session.id);
}

/** Moves the focus to the terminal, or from it back to the conversation. */
async function goToTerminal(lathe: Lathe, focus: FocusTargets): Promise<void> {
  if (focus.inTerminal()) return focus.focusComposer();
  const screen = lathe.store.getState();
  lathe.store.setState({ dockOpen: true });
  const project = currentProject(screen)?.path ?? '';
  const chosen = screen.terminalId;
  const visible = visibleTerminals(screen.app?.terminals ?? [], project, screen.sessionId, chosen);
  const shown = shownTerminal(visible, chosen);
  if (shown === null) await openShell(lathe);
  else lathe.terminals.get(shown.id).focus();
}

async function backgroundCommand(lathe: Lathe): Promise<void> {
  const transcript = currentTranscript(lathe.store.getState());
  const callId = foregroundCall(transcript?.active ?? []);
  if (transcript && callId !== null) await moveToBackground(lathe, transcript.sessionId, callId);
}
