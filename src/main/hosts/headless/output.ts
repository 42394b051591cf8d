import type { Writable } from 'node:stream';
import type { Json } from './api-shape';

/** Standard output, written in order and at the reader's pace. */
export interface Output {
  text(text: string): Promise<void>;
  line(value: Json | readonly Json[]): Promise<void>;
  /** True when the reader has gone away (`| head -1`). */
  readonly closed: boolean;
}

/** Each write resolves when the system has taken it, so that a slow reader slows the run and nothing is lost at exit. */
export function createOutput(stream: Writable, onClosed: () => void): Output {
  let closed = false;
  stream.on('error', () => {
    if (closed) return;
    closed = true;
    onClosed();
  });
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => {
      if (closed) return resolve();
      stream.write(text, () => resolve());
    });
  return {
    text: write,
    line: (value) => write(`${JSON.stringify(value)}\n`),
    get closed() {
      return closed;
    },
  };
}
