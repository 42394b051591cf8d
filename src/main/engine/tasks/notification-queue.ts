/** What the model has to be told about one task. */
export interface Notification {
  readonly taskId: string;
  readonly text: string;
}

/** Notifications that wait for the model. Each is taken exactly once. */
export interface NotificationQueue {
  add(notification: Notification): void;
  /** Everything that waits, oldest first; afterwards nothing waits. */
  take(): readonly Notification[];
  /** Calls back whenever one is added; gives a function that ends it. */
  onAdd(listener: () => void): () => void;
}

/** An empty queue. */
export function createNotificationQueue(): NotificationQueue {
  let waiting: Notification[] = [];
  const listeners = new Set<() => void>();
  return {
    add: (notification) => {
      waiting.push(notification);
      for (const listener of listeners) listener();
    },
    take: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    onAdd: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
