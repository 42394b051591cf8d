import { looksLikeQuestion } from '../../../shared/looks-like-question';
import { isSettled, type Task } from '../../../shared/task';
import { lastLineOf } from './output-reader';
import type { TaskEnd, TaskProgress } from './task-runner';

/** Something that happens to a task. Times are epoch milliseconds. */
export type TaskChange =
  | {
      readonly type: 'started';
      readonly terminalId: string | undefined;
      readonly note?: string | undefined;
    }
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  /** It has been silent for a while. */
  | { readonly type: 'silent' }
  | { readonly type: 'backgrounded' }
  /** `stopped`: why it was stopped; null when it ended by itself. */
  | {
      readonly type: 'settled';
      readonly end: TaskEnd;
      readonly stopped: string | null;
      readonly at: number;
    }
  | { readonly type: 'end_told' };

/** Returns the task after a change; the same object when nothing changes. A settled task keeps its status. Pure. */
export function changeTask(task: Task, change: TaskChange): Task {
  if (change.type === 'end_told') return task.endTold ? task : { ...task, endTold: true };
  if (isSettled(task.status)) return task;
  switch (change.type) {
    case 'started': {
      const { terminalId, note } = change;
      const where = terminalId === undefined ? {} : { terminalId };
      const remark = note === undefined ? {} : { note };
      return { ...task, status: 'running', ...where, ...remark };
    }
    case 'progress': {
      const { bytes, lines, tail, typed, unsaved } = change.progress;
      // A note of work that goes on says that nobody hears of it.
      const { note: _, ...heard } = task;
      const grown = bytes !== task.outputBytes;
      return {
        ...(grown ? withoutWait(heard) : heard),
        outputBytes: bytes,
        outputLines: lines,
        lastLine: lastLineOf(tail) || task.lastLine,
        ...(typed === true ? { userTyped: true } : {}),
        ...(unsaved === undefined ? {} : { note: `Its output is not saved: ${unsaved.why}.` }),
      };
    }
    case 'silent':
      return looksLikeQuestion(task.lastLine) ? { ...task, waitsForInput: true } : task;
    case 'backgrounded':
      return task.isBackgrounded ? task : { ...task, isBackgrounded: true };
    case 'settled': {
      const { end, stopped, at } = change;
      const { note: _, ...heard } = task;
      const note = stopped ?? end.note;
      return {
        ...withoutWait(heard),
        status: stopped === null ? end.status : 'killed',
        endedAt: at,
        result: stopped === null ? end.result : { ...end.result, interrupted: true },
        outputBytes: end.bytes,
        ...(note === undefined ? {} : { note }),
      };
    }
  }
}

function withoutWait({ waitsForInput: _, ...task }: Task): Task {
  return task;
}
