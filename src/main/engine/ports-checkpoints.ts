import type { Result } from '../../shared/result';

/** The state of one path. `mode` is its permission bits. */
export type FileState =
  | {
      readonly kind: 'file';
      readonly mode: number;
      /** Bytes. */
      readonly size: number;
      /** The id of its content in the store; null when it was too large to be kept. */
      readonly blob: string | null;
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number };

/** A path that changed; null stands for nothing there. Paths are relative to the project, or absolute outside it. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** The changes between the beginning and the end of something, each path once. */
export interface ChangeSet {
  readonly changes: readonly FileChange[];
  /** True when somebody else may have made some of them: a user, or another command that ran meanwhile. */
  readonly uncertain: boolean;
}

/** The paths that something may change: all that is covered, or these and nothing else. Real, absolute. */
export type CheckpointScope = 'all' | readonly string[];

/** The files of a project, as they were when something began. */
export interface OpenCheckpoint {
  /** Keeps what has changed since under an id; null when nothing did. Call it once. */
  end(id: string): Promise<Result<ChangeSet | null>>;
}

/** A state that a path is to have. */
export interface RestoreTarget {
  readonly path: string;
  readonly state: FileState | null;
}

/** The result of a restore: what it changed, and what it could not. */
interface Restored {
  readonly changeSet: ChangeSet;
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}

/** Words about what changes files, which a crash leaves behind. */
export interface CheckpointMark {
  readonly session: string;
  readonly text: string;
}

/** The time and size limits of what is kept. */
export interface CheckpointKeep {
  readonly days: number;
  /** Beyond the files as they are. */
  readonly bytes: number;
}

/** The checkpoints of one project. Ids are `<session>/<name>`, of letters, digits, `-` and `_`. */
export interface ProjectCheckpoints {
  /**
   * Keeps the files as they are now. The first time takes the longest: everything is read. When a crash cut something of a
   * session, what changed since the last look is kept under `id`: some of it may be somebody else's. Returns the mark of
   * what was cut; null when nothing was, or it changed nothing.
   */
  recover(
    session: string,
    id: string,
  ): Promise<Result<{ readonly mark: string; readonly changeSet: ChangeSet } | null>>;
  /** Keeps the files as they are now, and notes what follows. `uncertain`: somebody else may work meanwhile. */
  begin(
    scope: CheckpointScope,
    uncertain?: boolean,
    mark?: CheckpointMark,
  ): Promise<Result<OpenCheckpoint>>;
  /** Returns the changes that were kept under ids, in their order; a fault when one is no longer there. */
  load(ids: readonly string[]): Promise<Result<readonly ChangeSet[]>>;
  /** Returns the states that paths have now, with their content kept. */
  look(paths: readonly string[]): Promise<Result<ReadonlyMap<string, FileState | null>>>;
  /** Keeps a content, and returns its id. */
  keep(bytes: Uint8Array): Promise<Result<string>>;
  /** Gives paths other states, and keeps what that changed under an id. Nothing is lost by it. */
  restore(
    id: string,
    targets: readonly RestoreTarget[],
    mark?: CheckpointMark,
  ): Promise<Result<Restored>>;
  /**
   * Takes out what is older than `days` or beyond `bytes`, oldest first. Does so at most once a day, unless much was added,
   * and only while no other process uses the project's checkpoints. Returns the ids that went.
   */
  prune(limits: CheckpointKeep): Promise<Result<readonly string[]>>;
  /** Returns contents by their ids; those longer than `maxBytes`, and those that are gone, are left out. */
  contents(
    blobs: readonly string[],
    maxBytes: number,
  ): Promise<Result<ReadonlyMap<string, Uint8Array>>>;
}

/** The checkpoints of all projects. Nothing starts before the first one is used. */
export interface Checkpoints {
  /** `project` is a real path. All sessions of a project share what this gives. */
  of(project: string): ProjectCheckpoints;
}
