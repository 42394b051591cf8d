import type { DiffHunk } from './tool-call';

/** The longest message of a commit. UTF-16 units. */
export const MAX_COMMIT_MESSAGE = 20_000;

/** The difference of a path from what git had: at the one side from the last commit, at the other from the index. */
export type GitChange = 'new' | 'changed' | 'deleted' | 'renamed' | 'conflict';

/** One path that git would show as changed. */
export interface GitFile {
  /** From the top of the repository, with forward slashes. */
  readonly path: string;
  /** The path that it had before; absent where it was not renamed. */
  readonly from?: string;
  /** The part that the next commit takes in; null: none. */
  readonly staged: GitChange | null;
  /** The part that it leaves out; null: none. */
  readonly unstaged: GitChange | null;
}

/** The changes that could be committed in the repository of a project. `files` is cut; the counts are of all. */
export interface GitChanges {
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly files: readonly GitFile[];
  readonly count: number;
  readonly stagedCount: number;
}

/** A hunk that can be staged or unstaged by itself. Its id stands for its very content. */
export interface StageHunk extends DiffHunk {
  readonly id: string;
}

/** Both halves of the difference of a path; null for what is no text that can be staged in parts. */
export interface StageDiff {
  readonly staged: readonly StageHunk[] | null;
  readonly unstaged: readonly StageHunk[] | null;
}

/** The end of a commit: made, or refused by git or one of its hooks. `output` is what they printed. */
export interface CommitReport {
  /** The short name of the new commit; null when there is none. */
  readonly commit: string | null;
  readonly output: string;
  /** The user stopped it. */
  readonly stopped?: true;
}
