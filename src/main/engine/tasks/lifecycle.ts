import { isSettled, type Task, type TaskStatus, type TaskType } from '../../../shared/task';
import type { Ids, TerminalExit } from '../ports';

/** What ids of each kind of task begin with, so that a person and a model can tell them apart. */
const ID_PREFIX: Readonly<Record<TaskType, string>> = {
  local_bash: 'b',
  local_agent: 'a',
  remote_agent: 'r',
  in_process_teammate: 't',
  local_workflow: 'w',
  monitor: 'm',
  dream: 'd',
};

/** A fresh id with its type's prefix: `b_…` for a shell task. */
export const newTaskId = (type: TaskType, ids: Ids): string => ids.next(ID_PREFIX[type]);

/** The states that never change again. */
export type SettledStatus = Extract<TaskStatus, 'completed' | 'failed' | 'killed'>;

/** What can happen to a task. Times are epoch milliseconds. */
export type TaskChange =
  | { readonly type: 'progress'; readonly outputBytes: number; readonly lastLine: string }
  | {
      readonly type: 'settled';
      readonly status: SettledStatus;
      readonly at: number;
      readonly exitCode: number | null;
      readonly outputBytes: number;
      readonly note?: string;
    };

/** The task after a change. A settled task never changes again: it is given back as it is. */
export function changeTask(task: Task, change: TaskChange): Task {
  if (isSettled(task.status)) return task;
  if (change.type === 'progress') {
    return {
      ...task,
      status: 'running',
      outputBytes: change.outputBytes,
      lastLine: change.lastLine === '' ? task.lastLine : change.lastLine,
    };
  }
  return {
    ...task,
    status: change.status,
    endedAt: change.at,
    exitCode: change.exitCode,
    outputBytes: change.outputBytes,
    ...(change.note === undefined ? {} : { note: change.note }),
  };
}

/** How a terminal's end counts. `stopped`: why it was ended; null when it ended by itself. */
export function judgeExit(
  exit: TerminalExit,
  stopped: string | null,
): { readonly status: SettledStatus; readonly note?: string } {
  if (stopped !== null) return { status: 'killed', note: stopped };
  if (exit.lost !== undefined) return { status: 'failed', note: `Lost: ${exit.lost}` };
  const note = exit.note === undefined ? {} : { note: exit.note };
  if (exit.exitCode === 0) return { status: 'completed', ...note };
  if (exit.exitCode !== null) return { status: 'failed', ...note };
  return { status: 'failed', note: exit.note ?? `Ended by signal ${exit.signal ?? 'unknown'}.` };
}
