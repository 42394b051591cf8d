import type { Files } from '../ports';

/** A change of a file, as hooks are told of it. */
type Change = 'add' | 'change' | 'unlink';

/** Files that hooks asked to hear of. */
export interface WatchedPaths {
  /** Watches files from now on, too. Absolute paths; of very many the newest count. */
  add(paths: readonly string[]): void;
  has(path: string): boolean;
  /** Looks at all of them, and tells which changed since. Never rejects. */
  look(): Promise<void>;
}

/** The most files that are watched. */
const MAX_WATCHED = 200;

/** Creates the watch. `tell` hears of each change once. */
export function createWatchedPaths(
  files: Pick<Files, 'stat'>,
  tell: (path: string, change: Change) => void,
): WatchedPaths {
  /** The version of each as it was seen last; null where there is none. */
  const seen = new Map<string, string | null>();
  /** One look after the other, so that no change is told twice. */
  let looking: Promise<void> = Promise.resolve();

  const versionOf = async (path: string): Promise<string | null> => {
    const found = await files.stat(path);
    if (!found.ok) return null;
    const { mtimeMs, size, identity } = found.value;
    return [mtimeMs, size, identity].join();
  };
  const compare = async (path: string) => {
    const now = await versionOf(path);
    const before = seen.get(path);
    if (before === undefined || before === now) return;
    seen.set(path, now);
    tell(path, now === null ? 'unlink' : before === null ? 'add' : 'change');
  };
  return {
    add: (paths) => {
      const fresh = paths.filter((path) => !seen.has(path)).slice(-MAX_WATCHED);
      if (fresh.length === 0) return;
      looking = looking.then(async () => {
        for (const path of fresh) seen.set(path, await versionOf(path));
        for (const oldest of [...seen.keys()].slice(0, -MAX_WATCHED)) seen.delete(oldest);
      });
    },
    has: (path) => seen.has(path),
    look: () => {
      looking = looking.then(async () => {
        await Promise.all([...seen.keys()].map(compare));
      });
      return looking;
    },
  };
}
