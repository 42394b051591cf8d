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

/** The places the acts put the focus. */
export interface FocusPlaces {
  focusComposer(): void;
  focusSearch(): void;
  /** Whether a terminal has the focus now. */
  inTerminal(): boolean;
}

/** Carries out one act of the key table. Acts that make no sense right now do nothing. */
export async function runCommand(lathe: Lathe, places: FocusPlaces, id: CommandId): Promise<void> {
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
      return places.focusComposer();
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
      return places.focusSearch();
    case 'toggleDock':
      return store.setState({ dockOpen: !screen.dockOpen });
    case 'toggleSide':
      return store.setState({ sideOpen: !screen.sideOpen });
    case 'changes':
    case 'tasks':
    case 'plan':
      return store.setState({ dockTab: id, dockOpen: true });
    case 'terminal':
      return goToTerminal(lathe, places);
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

/** ⌘1…9: the sessions as the list numbers them, without its filter. */
function showNumber(lathe: Lathe, id: CommandId): void {
  const { app, opened } = lathe.store.getState();
  const listed = sessionsOf(app?.sessions ?? [], opened?.path ?? '', '');
  const session = listed[Number(id.slice(-1)) - 1];
  if (session) showSession(lathe, session.id);
}

/** To the terminal, and from it back to the conversation. */
async function goToTerminal(lathe: Lathe, places: FocusPlaces): Promise<void> {
  if (places.inTerminal()) return places.focusComposer();
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
