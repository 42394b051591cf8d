import { z } from 'zod';
import type { DiffHunk } from './tool-call';

/** The state to which files go back. */
export const RestorePoint = z.discriminatedUnion('kind', [
  /** As they were before a prompt. */
  z.object({ kind: z.literal('prompt'), promptId: z.string().min(1).max(200) }),
  /** As they were before a call, and all that came after it. */
  z.object({ kind: z.literal('before'), callId: z.string().min(1).max(200) }),
  /** Without what one call changed. */
  z.object({ kind: z.literal('call'), callId: z.string().min(1).max(200) }),
  /** As they were before the session changed any. */
  z.object({ kind: z.literal('session') }),
  /** One file, as it was before the session changed it. */
  z.object({ kind: z.literal('file'), path: z.string().min(1).max(4096) }),
  /** Without what a restore changed: redo. */
  z.object({ kind: z.literal('restore'), id: z.string().min(1).max(200) }),
]);
export type RestorePoint = z.infer<typeof RestorePoint>;

/** A call, and those that started the sub-agents it was made in, outermost first. No two calls of a session have one id. */
const OfCall = { callId: z.string(), within: z.array(z.string()).optional() };

/** The cause of changes of files. */
export const ChangeCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), ...OfCall }),
  /** A command of the call that went on in the background. */
  z.object({ kind: z.literal('task'), ...OfCall, taskId: z.string() }),
  /** `took` are the ids of the changes that it took back, as far as they could be. */
  z.object({ kind: z.literal('restore'), point: RestorePoint, took: z.array(z.string()) }),
]);
export type ChangeCause = z.infer<typeof ChangeCause>;

/** The act by which a path gets another state. */
export type FileAct = 'create' | 'change' | 'delete' | 'mode';

/** The reason why a path is not restored unasked. */
export type ConflictReason =
  /** It is not as the session left it: a user or another program changed it. */
  | 'edited'
  /** It changed while something ran in the background, which may not have been what changed it. */
  | 'uncertain'
  /** It is too large to be kept, so that restoring would lose what it is now. */
  | 'unkept';

/** One path of a preview, as a restore would change it. */
export interface RestoreFile {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly act: FileAct;
  /** Bytes that a user cannot read as text. */
  readonly binary?: true;
  /** Lines. Absent where they were not counted. */
  readonly added?: number;
  readonly removed?: number;
  /** Absent: it is restored unasked. */
  readonly conflict?: ConflictReason;
}

/** The preview of a restore. Lists are cut at {@link MAX_PREVIEWED}; the counts are of all. */
export interface RestorePreview {
  readonly files: readonly RestoreFile[];
  /** Paths that are restored unasked. */
  readonly count: number;
  readonly conflicts: readonly RestoreFile[];
  /** Paths that are restored only when their present state may be overwritten. */
  readonly conflictCount: number;
  /** Paths that cannot be restored, because they were too large to be kept. */
  readonly lost: readonly string[];
}

/** The most paths that a preview lists of each kind. */
export const MAX_PREVIEWED = 200;

/** The difference that a restore makes to one file. `hunks` is null for what is no text or too long. */
export interface RestoreDiff {
  readonly path: string;
  readonly hunks: readonly DiffHunk[] | null;
}

/** The end of a restore. */
export interface RestoreReport {
  /** Its id, by which it can be taken back; null when nothing changed. */
  readonly id: string | null;
  /** Paths that changed. */
  readonly count: number;
  /** Paths left as they are, because somebody else changed them. */
  readonly left: readonly string[];
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}
