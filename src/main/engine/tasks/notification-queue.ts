/** Notifications that wait for the model. Each is taken exactly once. */
export interface NotificationQueue {
  add(text: string): void;
  /** Everything that waits, oldest first; afterwards nothing waits. */
  take(): readonly string[];
  /** Calls back whenever one is added; gives a function that ends it. */
  onAdd(listener: () => void): () => void;
}

/** An empty queue. */
export function createNotificationQueue(): NotificationQueue {
  let waiting: string[] = [];
  const listeners = new Set<() => void>();
  return {
    add: (text) => {
      waiting.push(text);
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
