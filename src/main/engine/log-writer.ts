import type { AppendFile, Clock, FileFault } from './ports';

/** Lines that wait for a disk that takes none; more are given up, oldest first. Characters. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;
/** The pause after which a disk that took nothing is tried again. Milliseconds. */
const RETRY_MS = 5_000;
/** The length of what is written at once, but for a line that is longer by itself. Characters. */
const PART_CHARS = 1024 * 1024;

/** Writes the lines of one agent's log in order. What the disk refuses waits and is tried again, until it is taken. */
export interface LogWriter {
  /** Takes one whole line, newline included. */
  write(line: string): void;
  /** Returns the characters that the disk has not taken. */
  waiting(): number;
  /** Resolves when every line so far is with the system, or was refused once more. */
  flush(): Promise<void>;
  /** Tries what still waits a last time and closes the file. Returns what of it no notice told. */
  close(): Promise<Loss>;
}

/** Characters that never came to the disk, and why. */
export interface Loss {
  readonly chars: number;
  readonly fault: FileFault | null;
}

export const NO_LOSS: Loss = { chars: 0, fault: null };

/** A change of the disk's state, told once each. `lost`: characters that had to be given up. */
export type WriterNews =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'recovered'; readonly lost: number };

/**
 * Creates a writer. Lines that come while others are being written go to the disk together, in parts of bounded length:
 * what a full disk refuses for hours is not tried all over with each new line.
 */
export function createLogWriter(
  file: AppendFile,
  clock: Clock,
  tell: (news: WriterNews) => void,
): LogWriter {
  const closing = new AbortController();
  const waiting: string[] = [];
  let chars = 0;
  let lost = 0;
  let failing = false;
  let fault: FileFault | null = null;
  let writes: Promise<void> = Promise.resolve();
  let scheduled = false;

  const drop = () => {
    let many = 0;
    for (; chars > MAX_WAITING_CHARS && many < waiting.length - 1; many++) {
      const { length = 0 } = waiting[many] ?? '';
      chars -= length;
      lost += length;
    }
    if (many > 0) waiting.splice(0, many);
  };

  /** Takes the first lines out, one at least. */
  const takePart = (): readonly string[] => {
    let length = 0;
    const end = waiting.findIndex((line, at) => {
      length += line.length;
      return at > 0 && length > PART_CHARS;
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  };

  const writeWaiting = async () => {
    scheduled = false;
    while (waiting.length > 0) {
      const lines = takePart();
      const part = lines.join('');
      chars -= part.length;
      const written = await file.append(part);
      if (!written.ok) {
        waiting.unshift(...lines);
        chars += part.length;
        drop();
        const isNews = !failing;
        failing = true;
        fault = written.error;
        if (isNews) {
          tell({ kind: 'failed', message: written.error.message });
          void retryUntilTaken();
        }
        return;
      }
    }
    if (!failing) return;
    failing = false;
    tell({ kind: 'recovered', lost });
    lost = 0;
  };

  /** Tries again while nothing new comes: a session may rest when there is room at last. */
  const retryUntilTaken = async () => {
    while (failing && !closing.signal.aborted) {
      await clock.sleep(RETRY_MS, closing.signal);
      if (!failing || closing.signal.aborted) return;
      schedule();
      await writes;
    }
  };

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    writes = writes.then(writeWaiting);
  };

  const flush = async () => {
    let pending: Promise<void>;
    do {
      pending = writes;
      await pending;
    } while (pending !== writes);
  };

  return {
    write: (line) => {
      waiting.push(line);
      chars += line.length;
      drop();
      schedule();
    },
    waiting: () => chars,
    flush,
    close: async () => {
      closing.abort();
      if (waiting.length > 0) schedule();
      await flush();
      await file.close();
      return chars + lost === 0 ? NO_LOSS : { chars: chars + lost, fault };
    },
  };
}
