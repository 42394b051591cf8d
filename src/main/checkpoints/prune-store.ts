import { ok, type Result } from '../../shared/result';
import { failure, type RunningGit, readObjects, runGit } from './git-process';
import { writeCommit } from './loose-objects';

/** The name of a change set inside its commit. */
export const CHANGES = 'changes.json';

/** The folder of all refs to checkpoints. */
const REFS = 'refs/lathe/';

/** The ref to the contents of the files as they are, which the next checkpoints build on. */
const BASE = 'refs/lathe-base/files';

/** The limits of the checkpoints that stay. */
export interface KeepLimits {
  /** The most that checkpoints take on the disk, beyond the files as they are. Bytes. */
  readonly maxBytes: number;
  /** Checkpoints from before go. Epoch milliseconds. */
  readonly from: number;
}

/** A checkpoint in the store. */
interface StoredCheckpoint {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly blobs: readonly string[];
}

/**
 * Chooses the checkpoints that go, oldest first: those before a time, and those for which there is no room beside newer
 * ones. What shares content with a newer one, or with the files as they are, costs nothing. Pure.
 */
export function choosePruned(
  stored: readonly StoredCheckpoint[],
  sizeOf: (blob: string) => number,
  base: ReadonlySet<string>,
  { maxBytes, from }: KeepLimits,
): readonly string[] {
  const counted = new Set(base);
  const newestFirst = stored.toSorted((one, other) => other.at - one.at);
  let total = 0;
  let kept = 0;
  for (const { at, blobs } of newestFirst) {
    for (const blob of blobs) {
      if (!counted.has(blob)) total += sizeOf(blob);
      counted.add(blob);
    }
    if (at < from || total > maxBytes) break;
    kept += 1;
  }
  return newestFirst
    .slice(kept)
    .map(({ id }) => id)
    .toReversed();
}

/** Prunes a repository of checkpoints, as its store describes it. */
export async function pruneStore(
  folder: string,
  git: (args: readonly string[]) => RunningGit,
  limits: KeepLimits,
  base: ReadonlySet<string>,
): Promise<Result<readonly string[]>> {
  const all = ['--batch-all-objects', '--batch-check=%(objectname) %(objectsize:disk)'];
  const objects = await runGit(git(['cat-file', ...all]));
  if (!objects.ok) return objects;
  const sizes = new Map<string, number>();
  for (const [id = '', size] of wordsOf(objects.value)) sizes.set(id, Number(size));

  const format = '--format=%(refname) %(committerdate:unix)';
  const refs = await runGit(git(['for-each-ref', format, REFS]));
  if (!refs.ok) return refs;
  const times = new Map<string, number>();
  for (const [ref = '', seconds] of wordsOf(refs.value)) times.set(ref, Number(seconds) * 1000);
  const blobs = new Map<string, readonly string[]>();
  const read = await readObjects(
    git(['cat-file', '--batch']),
    [...times.keys()].map((ref) => `${ref}:${CHANGES}`),
    (name, bytes) => {
      const text = Buffer.from(bytes).toString('utf8');
      const ids = [...text.matchAll(/"blob":"([0-9a-f]{40})"/g)].flatMap(([, id]) => id ?? []);
      blobs.set(name.slice(0, -CHANGES.length - 1), ids);
    },
    Number.POSITIVE_INFINITY,
  );
  if (!read.ok) return read;
  const stored = [...times].map(([id, at]) => ({ id, at, blobs: blobs.get(id) ?? [] }));
  const gone = choosePruned(stored, (blob) => sizes.get(blob) ?? 0, base, limits);

  try {
    const there = [...base].filter((blob) => sizes.has(blob));
    await writeCommit(folder, BASE, { name: CHANGES, bytes: Buffer.from('{}') }, there, 0);
  } catch (thrown) {
    return { ok: false, error: failure(String(thrown)) };
  }
  const lines = gone.map((ref) => `delete ${ref}\n`).join('');
  const acts = [
    () => runGit(git(['update-ref', '--stdin']), lines),
    () => runGit(git(['pack-refs', '--all'])),
    // Nothing is compared with anything: contents are moved as they are.
    () => runGit(git(['repack', '-a', '-d', '-q', '--window=0'])),
    () => runGit(git(['prune', '--expire=now'])),
  ];
  for (const act of acts) {
    const done = await act();
    if (!done.ok) return done;
  }
  return ok(gone.map((ref) => ref.slice(REFS.length)));
}

const wordsOf = (text: string): readonly (readonly string[])[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')]));
