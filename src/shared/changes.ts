import type { RestoreFile } from './checkpoint';
import type { DiffHunk } from './tool-call';

/** One path that the session changed, and how it differs from what it was before. */
export interface ChangedFile extends Omit<RestoreFile, 'conflict'> {
  /** A user or another program changed it too. */
  readonly shared: boolean;
}

/** The paths that a session changed, as far as they differ now. `files` is cut; `count` is of all. */
export interface SessionChanges {
  readonly files: readonly ChangedFile[];
  readonly count: number;
}

/** The difference that a session made to one file. */
export interface ChangedText {
  readonly path: string;
  /** Null for what is no text or too long. */
  readonly hunks: readonly DiffHunk[] | null;
  /** The content that was compared, by its id; null when the file is gone. */
  readonly now: string | null;
}
