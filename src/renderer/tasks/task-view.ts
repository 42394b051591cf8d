import { looksLikeQuestion } from '../../shared/looks-like-question';
import type { Task } from '../../shared/task';
import { isSettled } from '../../shared/task';

/** SPEC G5: this long without output, and a question as the last line, means it waits for input. Milliseconds. */
export const SILENT_MS = 45_000;

/** Running tasks first, each part newest first. */
export const tasksInOrder = (tasks: readonly Task[]): readonly Task[] =>
  [...tasks].sort(
    (a, b) =>
      Number(isSettled(a.status)) - Number(isSettled(b.status)) || b.startedAt - a.startedAt,
  );

/** Whether a task seems to wait for someone to type. `silentMs` is how long its output has not grown. */
export const waitsForInput = (task: Task, silentMs: number): boolean =>
  task.status === 'running' && silentMs >= SILENT_MS && looksLikeQuestion(task.lastLine);

/** One line under a task's title: how it ended or what it said last. */
export function taskNote(task: Task): string {
  const exit =
    task.exitCode === undefined || task.exitCode === null || task.exitCode === 0
      ? ''
      : `exit ${task.exitCode}`;
  const end = task.status === 'killed' ? (task.note ?? 'stopped') : (task.note ?? exit);
  return [isSettled(task.status) ? end : '', task.lastLine.trim()].filter(Boolean).join(' · ');
}
