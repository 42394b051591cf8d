import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointMark } from '../engine/ports-checkpoints';

/** The marks of what is in the middle of changing files: a process that dies leaves them behind. */
export interface OpenMarks {
  /** Leaves a mark; what it returns takes it away. */
  put(mark: CheckpointMark): () => void;
  /** Returns the texts of the marks that a session left behind, oldest first. */
  left(session: string): readonly string[];
  /** Takes the marks of a session away. */
  clear(session: string): void;
}

/**
 * Creates marks in a folder of the store: one small file each, written and removed at once, since a call waits for it. Nothing
 * here throws: without a mark a crash costs no more than the undo of what it cut.
 */
export function createOpenMarks(folder: string): OpenMarks {
  let next = 0;
  const of = (session: string) => join(folder, encodeURIComponent(session));
  return {
    put: ({ session, text }) => {
      const place = of(session);
      next += 1;
      const file = join(place, String(next).padStart(8, '0'));
      try {
        mkdirSync(place, { recursive: true, mode: 0o700 });
        writeFileSync(file, text, { mode: 0o600 });
      } catch {
        // A full disk leaves an empty one.
        removeQuietly(file);
        return () => {};
      }
      return () => removeQuietly(file);
    },
    left: (session) => {
      try {
        return readdirSync(of(session))
          .toSorted()
          .map((name) => readFileSync(join(of(session), name), 'utf8'));
      } catch {
        return [];
      }
    },
    clear: (session) => removeQuietly(of(session)),
  };
}

/** Removes a file or folder unless the disk refuses. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // It is found again when the session is opened.
  }
}
