import { isSettled, type Task } from '../../../shared/task';
import type { Collector } from './attachment';

/** Tasks that are named at most. */
const MAX_NAMED = 50;

/**
 * Creates the collector of one note after a resume: a session that ran shell commands has a fresh shell, and some of
 * its tasks may still run.
 */
export function createRestartNote(
  project: string,
  usedShell: boolean,
  tasks: () => readonly Task[],
): Collector {
  let waits = usedShell;
  return {
    name: 'resumed session',
    collect: () =>
      waits
        ? [
            {
              attachment: { kind: 'resumed', text: restartText(project, tasks()) },
              accept: () => {
                waits = false;
              },
            },
          ]
        : [],
  };
}

function restartText(project: string, tasks: readonly Task[]): string {
  const said = `This session was resumed. Shell commands start in ${project} again.`;
  const running = tasks.filter(({ status }) => !isSettled(status));
  if (running.length === 0) return `${said} No background task runs.`;
  const lines = running
    .slice(0, MAX_NAMED)
    .map(
      ({ id, command, title, outputFile, note }) =>
        `${id}: ${command ?? title} (output: ${outputFile})${note === undefined ? '' : `. ${note}`}`,
    );
  return [`${said} These tasks still run in the background:`, ...lines].join('\n');
}
