import { isSettled, type Task } from '../../../../../shared/task';
import type { ToolView } from '../../../../../shared/tool-call';
import type { ToolEnvironment } from '../../environment';

const TAIL_LINES = 20;
const TAIL_CHARS = 4000;

/** Returns the card of a call that looks at a background task. `readTo` is how far it has read the output, in bytes. */
export const taskView = (task: Task, text: string, readTo?: number): ToolView => ({
  kind: 'shell',
  command: task.command ?? task.title,
  tail: text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARS),
  totalLines: text === '' ? 0 : text.trimEnd().split('\n').length,
  totalBytes: task.outputBytes,
  exitCode: task.result?.code ?? null,
  note: task.note ?? task.status,
  taskId: task.id,
  taskStatus: task.status,
  ...(readTo === undefined ? {} : { readTo }),
  ...(task.terminalId === undefined ? {} : { terminalId: task.terminalId }),
  background: true,
});

/** Returns what the model is told of a task's state, in one line. */
export function taskStatusLine(task: Task): string {
  const { id, status, result, note, waitsForInput } = task;
  const code = (result?.code ?? null) === null ? '' : `, exit code ${result?.code}`;
  const waits = waitsForInput === true ? ' and seems to wait for input' : '';
  const typed =
    task.userTyped === true && !isSettled(status) ? '. The user typed into its terminal' : '';
  return `Task ${id} is ${status}${code}${waits}${typed}${note === undefined ? '' : `. ${note}`}`;
}

/** Returns what people call a task: its title, or its id where that is all there is. */
export const taskName = (id: string, env: ToolEnvironment | undefined): string =>
  env?.agent.tasks.get(id)?.title ?? id;

/** Returns the answer to a task id that is not known. */
export function unknownTask(id: string, known: readonly Task[]): string {
  const list = known.map((task) => `${task.id} (${task.status})`).join(', ');
  return `There is no task "${id}". Known tasks: ${list === '' ? 'none' : list}.`;
}
