import { ExportFormat } from '../../shared/session-export';
import { foregroundCall } from '../app/session-views';
import { sessionsOf } from '../sessions/group-sessions';
import type { Lathe } from '../store/lathe';
import { panesOf } from '../store/panes';
import {
  currentProject,
  currentTranscript,
  type DockTab,
  dockAt,
  type PalettePage,
  type SettingsPage,
} from '../store/screen';
import { saveSession } from '../store/session-export';
import { setPreferences } from '../store/settings';
import { findIn, moveToBackground, openShell, showTerminal } from '../store/terminals';
import { addToast, clipboardText } from '../store/toasts';
import { neighbourOf, onlyWith, type PaneSide, tabsOf } from '../terminal/panes';
import { shownTerminal, terminalToType, visibleTerminals } from '../terminal/visible-terminals';
import { quoted } from '../ui/format';

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
    lathe.store.setState(dockAt(dockTab));

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
  const own = terminalToType(visible, chosen);
  if (own === null) await openShell(lathe);
  else lathe.terminals.focus(own.id);
}

/** Opens a shell beside the terminal pane in use. */
export const splitPane =
  (side: PaneSide) =>
  ({ lathe }: CommandContext): Promise<void> => {
    const screen = lathe.store.getState();
    const project = currentProject(screen)?.path ?? '';
    lathe.store.setState({ dockOpen: true, paneMaximised: false });
    const panes = panesOf(screen, project);
    const pane = tabsOf(panes).find(({ id }) => id === screen.paneId) ?? tabsOf(panes)[0];
    return openShell(lathe, pane === undefined ? undefined : { pane: pane.id, side });
  };

/** Goes to the terminal pane that is `step` further, round and round. */
export const goToPane =
  (step: number) =>
  ({ lathe }: CommandContext): void => {
    const screen = lathe.store.getState();
    const { app, sessionId, terminalId, paneId } = screen;
    const project = currentProject(screen)?.path ?? '';
    const visible = visibleTerminals(app?.terminals ?? [], project, sessionId, terminalId);
    const panes = onlyWith(panesOf(screen, project), new Set(visible.map(({ id }) => id)));
    const next = panes === null ? null : neighbourOf(panes, paneId, step);
    const own = visible.filter(({ id }) => next?.terminals.includes(id));
    const shown = next === null ? null : shownTerminal(own, next.shown);
    if (shown === null) return;
    showTerminal(lathe, shown.id);
    lathe.terminals.focus(shown.id);
  };

/** Scrolls the terminal in use to the prompt before (-1) or after (1). */
export const goToPrompt =
  (step: 1 | -1) =>
  ({ lathe }: CommandContext): void => {
    const { terminalId } = lathe.store.getState();
    if (terminalId !== null) lathe.terminals.get(terminalId)?.jump(step);
  };

/** Opens the search in the terminal in use, or goes back to it. */
export function findInTerminal({ lathe }: CommandContext): void {
  const { terminalId } = lathe.store.getState();
  if (terminalId !== null) findIn(lathe, terminalId);
}

/** Gives the terminal pane in use the room of all columns, or takes it back. */
export const maximisePane = ({ lathe: { store } }: CommandContext): void =>
  store.setState((s) => ({ paneMaximised: !s.paneMaximised, dockOpen: true }));

/** Adds what is selected in the terminal in use to the prompt, as a quotation. */
export function quoteSelection({ lathe, focus }: CommandContext): void {
  const { terminalId } = lathe.store.getState();
  const terminal = terminalId === null ? null : lathe.terminals.get(terminalId);
  const selection = terminal?.selection() ?? '';
  if (selection === '') {
    addToast(lathe.store, { level: 'info', text: 'Nothing is selected in the terminal.' });
    return;
  }
  lathe.current.addToDraft(quoted(selection));
  focus.focusComposer();
}

/** Puts what terminals print into the page as text too, for screen readers, or no longer. */
export async function toggleScreenReader({ lathe }: CommandContext): Promise<void> {
  const look = lathe.store.getState().app?.preferences.terminal ?? {};
  const screenReader = look.screenReader !== true;
  await setPreferences(lathe, { terminal: { ...look, screenReader } });
  const text = `Screen reader text in terminals is ${screenReader ? 'on' : 'off'}.`;
  addToast(lathe.store, { level: 'info', text });
}

/** Pastes the clipboard into the terminal in use. */
export async function pasteText({ lathe }: CommandContext): Promise<void> {
  const { terminalId } = lathe.store.getState();
  if (terminalId === null) return;
  const text = await clipboardText(lathe);
  if (text !== null) lathe.terminals.get(terminalId)?.paste(text);
}

/** Saves the session on screen as a file: as Markdown, unless `format` names another one. */
export function exportShown({ lathe }: CommandContext, format: string): Promise<void> | false {
  const { app, sessionId } = lathe.store.getState();
  const session = app?.sessions.find(({ id }) => id === sessionId);
  const wanted = ExportFormat.safeParse(format.trim().toLowerCase() || 'markdown');
  if (session !== undefined && wanted.success) return saveSession(lathe, session, wanted.data);
  const text = wanted.success
    ? 'There is nothing to export.'
    : `“${format.trim()}” is no format: /export writes markdown, json or html.`;
  addToast(lathe.store, { level: 'error', text });
  return false;
}

/** Moves the running foreground command to the background, if there is one. */
export async function moveForegroundCall({ lathe }: CommandContext): Promise<void> {
  const transcript = currentTranscript(lathe.store.getState());
  const callId = foregroundCall(transcript?.active ?? []);
  if (transcript && callId !== null) await moveToBackground(lathe, transcript.sessionId, callId);
}
