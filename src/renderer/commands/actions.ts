import { foregroundCall } from '../app/session-views';
import { sessionsOf } from '../sessions/group-sessions';
import type { Lathe } from '../store/lathe';
import {
  currentProject,
  currentTranscript,
  type DockTab,
  type PalettePage,
  type SettingsPage,
} from '../store/screen';
import { moveToBackground, openShell } from '../store/terminals';
import { shownTerminal, visibleTerminals } from '../terminal/visible-terminals';

/** Moves the focus between the main parts of the window. */
export interface FocusTargets {
  focusComposer(): void;
  focusSearch(): void;
  /** Goes to the conversation; from there to the open question or the composer. */
  toggleConversation(): void;
  /** Returns true while a terminal has the focus. */
  inTerminal(): boolean;
}

/** The dependencies of a command. */
export interface CommandContext {
  readonly lathe: Lathe;
  readonly focus: FocusTargets;
}

/** Opens one page of the palette. */
export const openPalette =
  (page: PalettePage) =>
  ({ lathe }: CommandContext): void =>
    lathe.store.setState({ dialog: { kind: 'palette', page } });

/** Opens one page of the settings. */
export const openSettings =
  (page: SettingsPage) =>
  ({ lathe }: CommandContext): void =>
    lathe.store.setState({ dialog: { kind: 'settings', page } });

/** Opens one tab of the dock. */
export const openDock =
  (dockTab: DockTab) =>
  ({ lathe }: CommandContext): void =>
    lathe.store.setState({ dockTab, dockOpen: true });

/** Shows the session with a number from 1 to 9, as the unfiltered list numbers them. */
export function showNumber({ lathe, focus }: CommandContext, n: number): void {
  const { app, opened } = lathe.store.getState();
  const session = sessionsOf(app?.sessions ?? [], opened?.path ?? '', '')[n - 1];
  if (!session) return;
  lathe.current.show(session.id);
  focus.focusComposer();
}

/** Moves the focus to the terminal, or from it back to the conversation. */
export async function goToTerminal({ lathe, focus }: CommandContext): Promise<void> {
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

/** Moves the running foreground command to the background, if there is one. */
export async function moveForegroundCall({ lathe }: CommandContext): Promise<void> {
  const transcript = currentTranscript(lathe.store.getState());
  const callId = foregroundCall(transcript?.active ?? []);
  if (transcript && callId !== null) await moveToBackground(lathe, transcript.sessionId, callId);
}
