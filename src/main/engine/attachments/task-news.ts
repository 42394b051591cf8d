import type { Collector } from './attachment';

/** The news of tasks that the model was not told yet. */
export interface TaskNews {
  readonly collector: Collector;
  /** Whether some wait. */
  waits(): boolean;
}

/** Task notifications, each told exactly once: what is taken from the tasks stays here until it was attached. */
export function createTaskNews(take: () => readonly string[]): TaskNews {
  let pending: readonly string[] = [];
  const gather = (): readonly string[] => {
    pending = [...pending, ...take()];
    return pending;
  };
  return {
    waits: () => gather().length > 0,
    collector: {
      name: 'task notifications',
      collect: () =>
        gather().map((text) => ({
          attachment: { kind: 'task_notification', text },
          accept: () => {
            pending = pending.filter((other) => other !== text);
          },
        })),
    },
  };
}
