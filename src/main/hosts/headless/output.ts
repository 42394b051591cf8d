import type { Writable } from 'node:stream';
import type { Json } from './api-shape';

/** Standard output, written in order and at the reader's pace. */
export interface Output {
  text(text: string): Promise<void>;
  line(value: Json | readonly Json[]): Promise<void>;
  /** True when the reader has gone away (`| head -1`). */
  readonly closed: boolean;
}

/** Matches what a terminal obeys instead of showing it: line ends and tabs alone are harmless. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Returns text as it may be written to a stream. The words of a model, a server or a file may hold sequences that write to the
 * clipboard or hide lines; in a terminal they are marked. A pipe gets every byte.
 */
const printable = (text: string, stream: object): string =>
  'isTTY' in stream && stream.isTTY === true
    ? text.replaceAll('\r\n', '\n').replaceAll(OBEYED, '\uFFFD')
    : text;

/** Prints a line to standard output. */
export const say = (line: string) => process.stdout.write(printable(`${line}\n`, process.stdout));

/** Prints a line to standard error. */
export const complain = (line: string) =>
  process.stderr.write(printable(`${line}\n`, process.stderr));

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
      stream.write(printable(text, stream), () => resolve());
    });
  return {
    text: write,
    line: (value) => write(`${JSON.stringify(value)}\n`),
    get closed() {
      return closed;
    },
  };
}
