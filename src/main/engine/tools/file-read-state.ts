import { lastAnswer } from '../last-answer';
import type { FileStat } from '../ports';

/** The version of a file that the model last saw. */
export interface FileRead {
  readonly mtimeMs: number;
  readonly size: number;
  /** False when only a part was read. */
  readonly whole: boolean;
}

/** The files the model has seen in this session, by real path. Edits need a prior read of the same version. */
export interface FileReadState {
  get(realPath: string): FileRead | null;
  /** `text` is the whole text of that version, where it is at hand: then nobody has to read the file again. */
  set(realPath: string, read: FileRead, text?: string): void;
  /** Forgets what was seen: the model no longer has it. */
  clear(): void;
  /** Returns the files seen last, newest first, at most `limit`; the same list again until one is seen anew. */
  recent(limit: number): readonly (readonly [realPath: string, read: FileRead])[];
  /** The texts of what was seen, as far as they are kept. */
  readonly snapshots: Snapshots;
}

/** Creates an empty state. Oldest entries go first beyond `limit`, so that long sessions stay bounded. */
export function createFileReadState(limit = 10_000): FileReadState {
  const reads = new Map<string, FileRead>();
  const snapshots = createSnapshots();
  let changes = 0;
  const recent = lastAnswer((_changes: number, count: number) =>
    [...reads].slice(-count).reverse(),
  );
  return {
    get: (realPath) => reads.get(realPath) ?? null,
    clear: () => {
      changes += 1;
      reads.clear();
    },
    set: (realPath, read, text) => {
      changes += 1;
      if (text !== undefined) snapshots.keep(realPath, versionOf(read), text);
      reads.delete(realPath);
      reads.set(realPath, read);
      if (reads.size > limit) {
        const oldest = reads.keys().next().value;
        if (oldest !== undefined) reads.delete(oldest);
      }
    },
    snapshots,
    recent: (count) => recent(changes, count),
  };
}

/** Names a version of a file: another time or size means another text. */
export const versionOf = ({ mtimeMs, size }: Pick<FileStat, 'mtimeMs' | 'size'>): string =>
  `${mtimeMs}:${size}`;

/** Texts of files as the model saw them, to tell what changed since. */
interface Snapshots {
  has(path: string, version: string): boolean;
  /** Returns the text of that version; null when it is not known. */
  text(path: string, version: string): string | null;
  /** Null: the version has no text (binary, too large). */
  keep(path: string, version: string, text: string | null): void;
}

/** Larger texts are not kept, and all together not more than this: the oldest go first. Characters. */
export const MAX_SNAPSHOT_CHARS = 256 * 1024;
const MAX_ALL_SNAPSHOTS_CHARS = 4 * 1024 * 1024;

/** Files remembered, texts or not. */
const MAX_SNAPSHOTS = 1000;

interface Snapshot {
  readonly version: string;
  readonly text: string | null;
}

/** Creates an empty set of snapshots; bounded. */
export function createSnapshots(): Snapshots {
  const kept = new Map<string, Snapshot>();
  let chars = 0;
  const drop = (path: string) => {
    chars -= kept.get(path)?.text?.length ?? 0;
    kept.delete(path);
  };
  return {
    has: (path, version) => kept.get(path)?.version === version,
    text: (path, version) => {
      const snapshot = kept.get(path);
      return snapshot?.version === version ? snapshot.text : null;
    },
    keep: (path, version, text) => {
      drop(path);
      const fitting = text !== null && text.length <= MAX_SNAPSHOT_CHARS ? text : null;
      kept.set(path, { version, text: fitting });
      chars += fitting?.length ?? 0;
      for (const oldest of kept.keys()) {
        if (chars <= MAX_ALL_SNAPSHOTS_CHARS && kept.size <= MAX_SNAPSHOTS) break;
        drop(oldest);
      }
    },
  };
}
