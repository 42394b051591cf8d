import { readFileSync, type Stats } from 'node:fs';
import { ok, type Result } from '../../shared/result';
import { sameState } from '../engine/checkpoints/changes';
import type { FileChange, FileState } from '../engine/ports-checkpoints';
import { blobId, type GitStore, type StoreWriter } from './git-store';
import {
  absolute,
  type FileTable,
  isFresh,
  isSame,
  type Known,
  type ScanResult,
  signatureOf,
  stateOf,
} from './scan';
import type { TableFile } from './table-file';

/** The limits of what is kept. */
export interface CheckpointLimits {
  /** A larger file is seen to change, and cannot be restored. Bytes. */
  readonly maxFileBytes: number;
  /** The most that one look at a project adds to the store. Bytes. */
  readonly maxNewBytes: number;
  readonly maxPaths: number;
}

/** The longest time without letting others have their turn. Milliseconds. */
export const SLICE_MS = 6;

interface RecorderOptions {
  /** A real path. */
  readonly root: string;
  readonly store: GitStore;
  readonly tableFile: TableFile;
  readonly limits: CheckpointLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Is told of bytes that go into the store. */
  readonly added: (bytes: number) => void;
}

/** Writes what belongs to changes, before the store closes its writer. */
type Commit = (changes: readonly FileChange[], writer: () => StoreWriter) => Promise<void>;

/** Records the changes that a look found, and returns them. `named`: its paths were named by a call. */
type RecordChanges = (
  found: ScanResult,
  known: FileTable,
  named: boolean,
  commit: Commit,
) => Promise<Result<readonly FileChange[]>>;

/** The state of a path now. `fresh`: it may change again without a mark that shows it. */
interface Seen {
  readonly state: FileState;
  readonly stats: Stats;
  readonly fresh: boolean;
}

/** Creates what reads changed files, keeps their content in the store and brings the table up to date. */
export function createRecorder(options: RecorderOptions): RecordChanges {
  const { root, store, tableFile, limits, now } = options;

  /** Reads what changed and keeps the content of files. Returns what was seen, by path. */
  const readTouched = async (
    touched: ScanResult['touched'],
    known: FileTable,
    writer: () => StoreWriter,
  ): Promise<ReadonlyMap<string, Seen>> => {
    const seen = new Map<string, Seen>();
    let room = limits.maxNewBytes;
    let sliceEnd = performance.now() + SLICE_MS;
    for (const [path, stats] of touched) {
      const place = absolute(root, path);
      const before = known.get(path)?.state ?? null;
      let blob: string | null = null;
      const readAt = now();
      if (stats.isFile() && stats.size <= limits.maxFileBytes && stats.size <= room) {
        const bytes = contentOf(place);
        blob = bytes && blobId(bytes);
        if (bytes !== null && blob !== null && !(before?.kind === 'file' && before.blob === blob)) {
          room -= bytes.length;
          options.added(bytes.length);
          await writer().blob(bytes);
        }
      }
      const state = stateIfThere(place, stats, blob);
      if (state === null) continue;
      // Asked now, for what is written later is in the next tick or shows.
      const isRead = state.kind === 'file' && state.blob !== null;
      seen.set(path, { state, stats, fresh: isRead && isFresh(stats, readAt) });
      if (performance.now() > sliceEnd) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnd = performance.now() + SLICE_MS;
      }
    }
    return seen;
  };

  const updateTable = async (
    { gone, uncovered }: ScanResult,
    seen: ReadonlyMap<string, Seen>,
    known: FileTable,
    named: boolean,
  ): Promise<void> => {
    for (const [path, { state, stats, fresh }] of seen) {
      const wasNamed = known.get(path)?.named ?? (named && !known.has(path));
      known.set(path, {
        state,
        signature: signatureOf(stats),
        ...(fresh ? { fresh } : {}),
        ...(wasNamed ? { named: true } : {}),
      });
    }
    for (const path of [...gone, ...uncovered]) known.delete(path);
    await tableFile.add(known, [...seen.keys(), ...gone, ...uncovered]);
  };

  return async (found, known, named, commit) => {
    let open: StoreWriter | null = null;
    const writer = () => {
      open ??= store.write();
      return open;
    };
    const seen = await readTouched(found.touched, known, writer);
    const changes = changesIn(seen, found.gone, known);
    await commit(changes, writer);
    const written = await endOf(open);
    if (!written.ok) {
      // What the table says to be kept may not be: all of it is read anew.
      known.clear();
      await tableFile.reset();
      return written;
    }
    await updateTable(found, seen, known, named);
    return ok(changes);
  };
}

/** Returns how what was seen, and what is gone, differs from the table. */
function changesIn(
  seen: ReadonlyMap<string, Seen>,
  gone: ScanResult['gone'],
  known: FileTable,
): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, { state, stats }] of seen) {
    const before = known.get(path)?.state ?? null;
    if (!sameState(before, state) && !isUnreadSame(known.get(path), state, stats))
      changes.push({ path, before, after: state });
  }
  for (const path of gone) {
    const before = known.get(path)?.state ?? null;
    if (before !== null) changes.push({ path, before, after: null });
  }
  return changes;
}

const endOf = (writer: StoreWriter | null): Promise<Result<null>> =>
  writer?.end() ?? Promise.resolve(ok(null));

/** Tells of a file that is not kept whether its marks say that it did not change. */
const isUnreadSame = (known: Known | undefined, state: FileState, stats: Stats): boolean =>
  known?.state.kind === 'file' &&
  known.state.blob === null &&
  state.kind === 'file' &&
  state.blob === null &&
  isSame(known, stats);

function contentOf(place: string): Uint8Array | null {
  try {
    return readFileSync(place);
  } catch {
    return null;
  }
}

/** Returns a state; null when what was there is gone in this moment. */
function stateIfThere(place: string, stats: Stats, blob: string | null): FileState | null {
  try {
    return stateOf(place, stats, blob);
  } catch {
    return null;
  }
}
