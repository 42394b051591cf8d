import type { AgentTasks } from '../tasks/task-runner';
import type { Collector } from './attachment';

/** The news of tasks that an agent was not told yet. */
export interface TaskNews {
  readonly collector: Collector;
  /** Returns whether some wait that are worth a turn of their own. */
  waits(): boolean;
}

/** Creates the collector of task notices; each is told exactly once. */
export const createTaskNews = (tasks: Pick<AgentTasks, 'notices' | 'noticeTold'>): TaskNews => ({
  waits: () => tasks.notices().some(({ quiet }) => quiet !== true),
  collector: {
    name: 'task notifications',
    collect: () =>
      tasks.notices().map((notice) => ({
        attachment: { kind: 'task_notification', about: notice.about, text: notice.text },
        accept: () => tasks.noticeTold(notice),
      })),
  },
});
