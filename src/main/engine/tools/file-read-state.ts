import { createSnapshots, type Snapshots, versionOf } from './file-snapshots';

/** What the model last saw of a file. */
export interface FileRead {
  readonly mtimeMs: number;
  readonly size: number;
  /** False when only a part was read. */
  readonly whole: boolean;
}

/** Which files the model has seen in this session, by real path. Edits need a prior read of the same version. */
export interface FileReadState {
  get(realPath: string): FileRead | null;
  /** `text` is the whole text of that version, where it is at hand: then nobody has to read the file again. */
  set(realPath: string, read: FileRead, text?: string): void;
  /** The files seen last, newest first, at most `limit`. */
  recent(limit: number): readonly (readonly [realPath: string, read: FileRead])[];
  /** The texts of what was seen, as far as they are kept. */
  readonly snapshots: Snapshots;
}

/** An empty state. Oldest entries go first beyond `limit`, so that long sessions stay bounded. */
export function createFileReadState(limit = 10_000): FileReadState {
  const reads = new Map<string, FileRead>();
  const snapshots = createSnapshots();
  return {
    get: (realPath) => reads.get(realPath) ?? null,
    set: (realPath, read, text) => {
      if (text !== undefined) snapshots.keep(realPath, versionOf(read), text);
      reads.delete(realPath);
      reads.set(realPath, read);
      if (reads.size > limit) {
        const oldest = reads.keys().next().value;
        if (oldest !== undefined) reads.delete(oldest);
      }
    },
    snapshots,
    recent: (count) => [...reads].slice(-count).reverse(),
  };
}
