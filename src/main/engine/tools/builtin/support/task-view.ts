import type { Task } from '../../../../../shared/task';
import type { ToolView } from '../../../../../shared/tool-call';

const TAIL_LINES = 20;
const TAIL_CHARS = 4000;

/** The card of a call that looks at a background task. */
export const taskView = (task: Task, text: string): ToolView => ({
  kind: 'shell',
  command: task.command ?? task.title,
  tail: text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARS),
  totalLines: text === '' ? 0 : text.trimEnd().split('\n').length,
  exitCode: task.exitCode ?? null,
  note: task.note ?? task.status,
  taskId: task.id,
  ...(task.terminalId === undefined ? {} : { terminalId: task.terminalId }),
  background: true,
});

/** What the model is told of a task's state, in one line. */
export function taskStatusLine(task: Task): string {
  const code =
    task.exitCode === undefined || task.exitCode === null ? '' : `, exit code ${task.exitCode}`;
  const note = task.note === undefined ? '' : `. ${task.note}`;
  return `Task ${task.id} is ${task.status}${code}${note}`;
}

/** The answer to a task id nobody knows. */
export function unknownTask(id: string, known: readonly Task[]): string {
  const list = known.map((task) => `${task.id} (${task.status})`).join(', ');
  return `There is no task "${id}". Known tasks: ${list === '' ? 'none' : list}.`;
}
