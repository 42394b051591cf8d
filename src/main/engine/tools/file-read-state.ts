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
  set(realPath: string, read: FileRead): void;
  /** The files seen last, newest first, at most `limit`. */
  recent(limit: number): readonly (readonly [realPath: string, read: FileRead])[];
}

/** An empty state. Oldest entries go first beyond `limit`, so that long sessions stay bounded. */
export function createFileReadState(limit = 10_000): FileReadState {
  const reads = new Map<string, FileRead>();
  return {
    get: (realPath) => reads.get(realPath) ?? null,
    set: (realPath, read) => {
      reads.delete(realPath);
      reads.set(realPath, read);
      if (reads.size > limit) {
        const oldest = reads.keys().next().value;
        if (oldest !== undefined) reads.delete(oldest);
      }
    },
    recent: (count) => [...reads].slice(-count).reverse(),
  };
}
