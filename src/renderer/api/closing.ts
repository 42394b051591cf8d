/** Something that ends once and tells everyone who asked, late askers included. */
export interface Closing {
  readonly done: boolean;
  close(): void;
  onClosed(listener: () => void): void;
}

/** A fresh {@link Closing}. */
export function createClosing(): Closing {
  const listeners: (() => void)[] = [];
  let done = false;
  return {
    get done() {
      return done;
    },
    close() {
      if (done) return;
      done = true;
      for (const listener of listeners.splice(0)) listener();
    },
    onClosed(listener) {
      if (done) listener();
      else listeners.push(listener);
    },
  };
}
