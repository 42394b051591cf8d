import type { AppendFile } from './ports';

/** Lines that wait for a disk that takes none; more are given up, oldest first. Characters. */
const MAX_WAITING_CHARS = 8 * 1024 * 1024;

/** Writes the lines of one agent's log in order. What the disk refuses waits and is tried again with the next line. */
export interface LogWriter {
  /** Takes one whole line, newline included. */
  write(line: string): void;
  /** Resolves when every line so far is with the system, or was refused once more. */
  flush(): Promise<void>;
  /** Tries what still waits a last time and closes the file. */
  close(): Promise<void>;
}

/** What a writer tells of its disk, each once per change. `lost`: characters that had to be given up. */
export type WriterNews =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'recovered'; readonly lost: number };

/** Creates a writer. Lines that come while others are being written go to the disk together. */
export function createLogWriter(file: AppendFile, tell: (news: WriterNews) => void): LogWriter {
  let waiting: string[] = [];
  let chars = 0;
  let lost = 0;
  let failing = false;
  let writes: Promise<void> = Promise.resolve();
  let scheduled = false;

  const drop = () => {
    while (chars > MAX_WAITING_CHARS && waiting.length > 1) {
      const line = waiting.shift() ?? '';
      chars -= line.length;
      lost += line.length;
    }
  };

  const writeWaiting = async () => {
    scheduled = false;
    const lines = waiting;
    if (lines.length === 0) return;
    waiting = [];
    const taken = chars;
    chars = 0;
    const written = await file.append(lines.join(''));
    if (!written.ok) {
      waiting = [...lines, ...waiting];
      chars += taken;
      drop();
      if (!failing) tell({ kind: 'failed', message: written.error.message });
      failing = true;
    } else if (failing) {
      failing = false;
      tell({ kind: 'recovered', lost });
      lost = 0;
    }
  };

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    writes = writes.then(writeWaiting);
  };

  return {
    write: (line) => {
      waiting.push(line);
      chars += line.length;
      drop();
      schedule();
    },
    flush: async () => {
      let pending: Promise<void>;
      do {
        pending = writes;
        await pending;
      } while (pending !== writes);
    },
    close: async () => {
      if (waiting.length > 0) schedule();
      await writes;
      await file.close();
    },
  };
}
