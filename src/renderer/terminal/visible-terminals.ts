import type { TerminalInfo } from '../../shared/terminal';

/** Returns true when the terminal's program has ended. */
export const hasEnded = (terminal: TerminalInfo): boolean => terminal.endedAt !== undefined;

/**
 * Returns the terminals that have a tab: the user's shells of this project, and the session's commands while they
 * run, when they were background tasks, or while one looks at them. Oldest first.
 */
export const visibleTerminals = (
  terminals: readonly TerminalInfo[],
  project: string,
  sessionId: string | null,
  chosen: string | null,
): readonly TerminalInfo[] =>
  terminals
    .filter((t) =>
      t.kind === 'shell'
        ? t.project === project
        : t.sessionId === sessionId && (!hasEnded(t) || t.taskId !== undefined || t.id === chosen),
    )
    .sort((a, b) => a.startedAt - b.startedAt);

/** Returns the terminal to show: the chosen one while it has a tab, else the newest that lives, else the newest. */
export const shownTerminal = (
  visible: readonly TerminalInfo[],
  chosen: string | null,
): TerminalInfo | null =>
  visible.find((t) => t.id === chosen) ??
  visible.findLast((t) => !hasEnded(t)) ??
  visible.at(-1) ??
  null;

/**
 * Returns the terminal in which one goes on typing: the one that is shown. Null where nothing is left but commands that
 * have ended, which take no words.
 */
export const terminalToType = (
  visible: readonly TerminalInfo[],
  chosen: string | null,
): TerminalInfo | null =>
  visible.every((t) => t.kind === 'command' && hasEnded(t)) ? null : shownTerminal(visible, chosen);

/** Returns true when a terminal that has just appeared may come to the front; never over the user's own shell. */
export const takesTheFront = (shown: TerminalInfo | null): boolean =>
  shown === null || shown.kind === 'command' || hasEnded(shown);

/** Describes the end of a terminal in words. */
export function endText({
  exitCode,
  signal,
  lost,
}: Pick<TerminalInfo, 'exitCode' | 'signal' | 'lost'>): string {
  if (lost === true && typeof exitCode !== 'number')
    return 'ended with its terminal host; this is what was seen of it';
  if (signal !== undefined && signal > 0) return `ended by signal ${signal}`;
  if (exitCode === null || exitCode === undefined) return 'ended';
  return exitCode === 0 ? 'exited with code 0' : `exited with code ${exitCode}`;
}
