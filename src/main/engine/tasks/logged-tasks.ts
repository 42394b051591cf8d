import type { DurableEvent } from '../../../shared/agent-event';
import { isSettled, type Task } from '../../../shared/task';
import { readAbout } from './notification';

/** A task as a session's log left it. */
export interface LoggedTask {
  readonly task: Task;
  /** What its runner left for taking it up again. */
  readonly memo: unknown;
  /** How far the model has read its output and was told of it, in bytes. */
  readonly readTo: number;
  readonly toldTo: number;
  /** The model was told that it waits for input. */
  readonly waitTold: boolean;
}

/**
 * Returns the tasks of a log that are not done with: those that ran when the log broke off, and those whose end
 * their agent does not know. Pure.
 */
export function openTasksIn(events: readonly DurableEvent[]): readonly LoggedTask[] {
  const open = new Map<string, LoggedTask>();
  const change = (taskId: string, how: (logged: LoggedTask) => Partial<LoggedTask>) => {
    const logged = open.get(taskId);
    if (logged) open.set(taskId, { ...logged, ...how(logged) });
  };
  for (const event of events) {
    switch (event.type) {
      case 'task_started': {
        const { task, memo } = event;
        const known = open.get(task.id) ?? { readTo: 0, toldTo: 0, waitTold: false };
        open.set(task.id, { ...known, task, memo });
        break;
      }
      case 'task_settled':
        if (event.task.endTold) open.delete(event.task.id);
        else change(event.task.id, () => ({ task: event.task }));
        break;
      case 'attachment': {
        const about = event.kind === 'task_notification' ? readAbout(event.about ?? '') : null;
        if (about === null) break;
        const { taskId, subject } = about;
        if (subject.kind === 'ended') open.delete(taskId);
        else if (subject.kind === 'waits') change(taskId, () => ({ waitTold: true }));
        else if (subject.kind === 'output') change(taskId, () => ({ toldTo: subject.toldTo }));
        break;
      }
      case 'call_settled': {
        const { view } = event;
        if (view?.kind !== 'shell' || view.taskId === undefined) break;
        const { taskId, taskStatus, readTo } = view;
        // The result of a call that waited for its task, or looked at it, told its end.
        if (!view.background || (taskStatus && isSettled(taskStatus))) open.delete(taskId);
        else if (readTo !== undefined) change(taskId, () => ({ readTo }));
        break;
      }
    }
  }
  return [...open.values()];
}
