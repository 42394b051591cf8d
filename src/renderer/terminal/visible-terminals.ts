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

/** Returns true when a terminal that has just appeared may come to the front; never over the user's own shell. */
export const takesTheFront = (shown: TerminalInfo | null): boolean =>
  shown === null || shown.kind === 'command' || hasEnded(shown);

/**
 * Returns the name of a terminal for its tab: the person's, else what a shell's program calls it, else the shell and
 * the folder it went to. A command of the agent keeps its own: what it prints is not to be believed.
 */
export function labelOf(
  terminal: Pick<TerminalInfo, 'kind' | 'title' | 'name' | 'programTitle' | 'cwd' | 'project'>,
): string {
  const { kind, title, name, programTitle, cwd, project } = terminal;
  if (name !== undefined) return name;
  if (kind !== 'shell') return title;
  if (programTitle !== undefined && programTitle !== '') return programTitle;
  return cwd === project ? title : `${title} · ${cwd.split('/').findLast((p) => p !== '') ?? '/'}`;
}

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
