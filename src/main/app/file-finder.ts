import type { FileFindings, FileQuery, FoundFile } from '../../shared/project-file';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { Clock, Programs } from '../engine/ports';
import { createPathMatcher, foldedPath, foldedQuery, type PathMatcher } from './path-match';

/** Finds files and folders of projects by parts of their paths. */
export interface FileFinder {
  find(query: FileQuery, signal: AbortSignal): Promise<Result<FileFindings>>;
}

export interface FileFinderOptions {
  readonly programs: Programs;
  readonly clock: Clock;
  /** Lets other work of the process run. */
  readonly breathe: () => Promise<void>;
}

/** Results that are shown. */
const MAX_FOUND = 60;
/** Files of one index; those of a larger project are found as far as this goes. */
const MAX_FILES = 250_000;
const MAX_LIST_BYTES = 48 * 1024 * 1024;
const LIST_TIMEOUT_MS = 30_000;
const LIST_MEMORY_BYTES = 1024 * 1024 * 1024;
/** Age from which an index is made anew, milliseconds. */
const STALE_MS = 3_000;
/** As long as an answer waits for the new index before it is given from the old one, milliseconds. */
const REFRESH_WAIT_MS = 250;
/** A larger index takes longer to make than a key may: while there is an old one, nobody waits for the new one. */
const MAX_AWAITED = 25_000;
/** Indexes that are kept, one per project. */
const MAX_INDEXES = 3;
/** Paths looked at in one go. */
const SLICE = 5_000;
/** Bytes of a listing looked at in one go. */
const MARK_SLICE = 512 * 1024;

/** Of the hash FNV-1a, 32 bits. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

interface Entry {
  readonly path: string;
  readonly folded: string;
}

/** The paths of a project, in the order of the alphabet. */
interface Index {
  readonly entries: readonly Entry[];
  readonly partial: boolean;
  readonly madeAt: number;
  /** Stands for the listing that it was made of, in whatever order. */
  readonly mark: string;
}

interface Narrowed {
  /** The entries of the index that it is a part of. */
  readonly of: readonly Entry[];
  readonly query: string;
  readonly filesOnly: boolean;
  readonly entries: readonly Entry[];
}

/** An index as it was last made, and the one that is being made. */
interface Slot {
  made: Index | null;
  /** The paths that fitted the last query: a longer one that begins with it fits nothing else. */
  narrowed: Narrowed | null;
  making: Promise<Result<Index>> | null;
}

/** Every file that no ignore file names, hidden ones too; nothing of git's own folder. */
const LIST_ARGUMENTS = [
  '--files',
  '--null',
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
  '--color=never',
  '--no-messages',
];

/** Creates a finder. Nothing is read before the first question about a project. */
export function createFileFinder({ programs, clock, breathe }: FileFinderOptions): FileFinder {
  /** The one used last comes last. */
  const slots = new Map<string, Slot>();

  /** Searches that run, and the moment when none does any more. */
  let searches = 0;
  let quiet = Promise.withResolvers<void>();
  quiet.resolve();

  /** Lets other work run, and searches first: somebody waits for each of them. */
  const giveWay = async (): Promise<void> => {
    await breathe();
    await quiet.promise;
  };

  const slotOf = (project: string): Slot => {
    const slot = slots.get(project) ?? { made: null, narrowed: null, making: null };
    slots.delete(project);
    slots.set(project, slot);
    for (const oldest of [...slots.keys()].slice(0, -MAX_INDEXES)) slots.delete(oldest);
    return slot;
  };

  const list = async (project: string, before: Index | null): Promise<Result<Index>> => {
    const madeAt = clock.now();
    const ran = await programs.run([programs.ripgrep, ...LIST_ARGUMENTS, './'], {
      cwd: project,
      maxBytes: MAX_LIST_BYTES,
      timeoutMs: LIST_TIMEOUT_MS,
      maxMemoryBytes: LIST_MEMORY_BYTES,
    });
    if (!ran.ok) return err(cannotList(ran.error.message));
    const { stdout, truncated, exitCode, stderr } = ran.value;
    // 1: there are no files. 2 with some output: parts could not be read.
    if (exitCode !== 0 && exitCode !== 1 && stdout.length === 0) return err(cannotList(stderr));
    const mark = await markOf(stdout);
    // Nothing came or went, as most of the time: sorting all paths again would cost more than many searches.
    if (before?.mark === mark) return ok({ ...before, madeAt });
    const { paths, partial } = await pathsIn(stdout, truncated);
    const entries: Entry[] = [];
    for (const [at, path] of paths.entries()) {
      if (at % SLICE === SLICE - 1) await giveWay();
      // Made in the order in which they are looked through: a key takes a quarter less time when they lie side by side.
      const near = Buffer.from(path).toString();
      entries.push({ path: near, folded: foldedPath(near) });
    }
    return ok({ entries, partial, madeAt, mark });
  };

  /** Returns what stands for the paths of a listing, in whatever order they come. */
  const markOf = async (stdout: Uint8Array): Promise<string> => {
    let [low, high, hash] = [0, 0, FNV_START];
    for (let at = 0; at < stdout.length; at += 1) {
      const byte = stdout[at] ?? 0;
      if (byte === 0) {
        low = (low + hash) >>> 0;
        high = (high + Math.imul(hash ^ (hash >>> 15), FNV_PRIME)) >>> 0;
        hash = FNV_START;
      } else hash = Math.imul(hash ^ byte, FNV_PRIME);
      if (at % MARK_SLICE === MARK_SLICE - 1) await giveWay();
    }
    return `${stdout.length} ${low} ${high}`;
  };

  /** Takes a listing apart, and adds the folders that its files are in. */
  const pathsIn = async (stdout: Uint8Array, truncated: boolean) => {
    const paths = new Set<string>();
    const decoder = new TextDecoder();
    let files = 0;
    for (let start = 0; start < stdout.length; ) {
      const end = stdout.indexOf(0, start);
      // What a limit cut off is no path.
      if (end < 0) break;
      if (files === MAX_FILES) return { paths: await sorted([...paths]), partial: true };
      const path = decoder.decode(stdout.subarray(start, end)).replace(/^\.\//, '');
      start = end + 1;
      // A name that is no UTF-8 could not be opened by what is shown of it.
      if (path.includes('\uFFFD')) continue;
      files += 1;
      paths.add(path);
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
        const folder = path.slice(0, at + 1);
        if (paths.has(folder)) break;
        paths.add(folder);
      }
      if (files % SLICE === 0) await giveWay();
    }
    return { paths: await sorted([...paths]), partial: truncated };
  };

  /** Sorts without holding other work up: parts first, which are then merged two by two. */
  const sorted = async (paths: readonly string[]): Promise<readonly string[]> => {
    let parts: (readonly string[])[] = [];
    for (let at = 0; at < paths.length; at += SLICE) {
      parts.push(paths.slice(at, at + SLICE).sort());
      await giveWay();
    }
    while (parts.length > 1) {
      const next: (readonly string[])[] = [];
      for (let at = 0; at < parts.length; at += 2)
        next.push(await merged(parts[at] ?? [], parts[at + 1] ?? []));
      parts = next;
    }
    return parts[0] ?? [];
  };

  const merged = async (a: readonly string[], b: readonly string[]): Promise<readonly string[]> => {
    if (b.length === 0) return a;
    const all: string[] = [];
    for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
      const [x, y] = [a[i], b[j]];
      if (y === undefined || (x !== undefined && x <= y)) {
        all.push(x ?? '');
        i += 1;
      } else {
        all.push(y);
        j += 1;
      }
      if (all.length % SLICE === 0) await giveWay();
    }
    return all;
  };

  const isStale = ({ madeAt }: Index): boolean => clock.now() - madeAt >= STALE_MS;
  const make = (project: string, slot: Slot): Promise<Result<Index>> => {
    slot.making ??= list(project, slot.made)
      .then((made) => {
        if (made.ok) slot.made = made.value;
        return made;
      })
      .finally(() => {
        slot.making = null;
      });
    return slot.making;
  };

  const indexOf = async (project: string, signal: AbortSignal): Promise<Result<Index>> => {
    const slot = slotOf(project);
    if (slot.made === null) return make(project, slot);
    const old = ok(slot.made);
    if (!isStale(slot.made) || slot.made.entries.length > MAX_AWAITED) return old;
    const waiting = new AbortController();
    const fresh = await Promise.race([
      make(project, slot),
      clock.sleep(REFRESH_WAIT_MS, AbortSignal.any([signal, waiting.signal])).then(() => old),
    ]);
    waiting.abort();
    return fresh.ok ? fresh : old;
  };

  const search = async (
    index: Index,
    { project, text, filesOnly = false }: FileQuery,
    signal: AbortSignal,
  ): Promise<FileFindings> => {
    const { partial } = index;
    const query = foldedQuery(text);
    const matcher = createPathMatcher(query);
    const best = createBest(MAX_FOUND, matcher);
    const slot = slotOf(project);
    const { narrowed } = slot;
    const goesOn =
      narrowed?.of === index.entries &&
      narrowed.filesOnly === filesOnly &&
      query.startsWith(narrowed.query);
    const entries = goesOn ? narrowed.entries : index.entries;
    const fitting: Entry[] = [];
    const scoreOf = ({ path, folded }: Entry): number | null => {
      if (filesOnly && path.endsWith('/')) return null;
      if (query === '') return isInRoot(path) ? IN_ROOT : null;
      return matcher.score(path, folded);
    };
    // A function of its own: one that waits is compiled anew after each wait.
    const look = (from: number): void => {
      const to = Math.min(from + SLICE, entries.length);
      for (let at = from; at < to; at += 1) {
        const entry = entries[at];
        const score = entry === undefined ? null : scoreOf(entry);
        if (entry === undefined || score === null) continue;
        fitting.push(entry);
        best.add(entry, score);
      }
    };
    for (let at = 0; at < entries.length; at += SLICE) {
      look(at);
      if (at + SLICE >= entries.length) break;
      await breathe();
      if (signal.aborted) return { found: best.list(), searched: at + SLICE, partial };
    }
    if (query !== '') slot.narrowed = { of: index.entries, query, filesOnly, entries: fitting };
    // The new index is for later keys: this one has its answer before the work begins.
    if (slot.made !== null && isStale(slot.made)) void make(project, slot);
    return { found: best.list(), searched: index.entries.length, partial };
  };

  return {
    find: async (query, signal) => {
      const index = await indexOf(query.project, signal);
      if (!index.ok) return index;
      if (searches === 0) quiet = Promise.withResolvers();
      searches += 1;
      try {
        return ok(await search(index.value, query, signal));
      } finally {
        searches -= 1;
        if (searches === 0) quiet.resolve();
      }
    },
  };
}

/** The fit of everything in the project's own folder to nothing typed. */
const IN_ROOT = 0;

const isInRoot = (path: string): boolean => {
  const slash = path.indexOf('/');
  return slash < 0 || slash === path.length - 1;
};

/** The best results so far, kept in order: the better, then the shorter, then the first. */
function createBest(capacity: number, matcher: PathMatcher) {
  interface Ranked {
    readonly entry: Entry;
    readonly score: number;
  }
  const kept: Ranked[] = [];
  const isBetter = (entry: Entry, score: number, other: Ranked) =>
    score !== other.score
      ? score > other.score
      : entry.path.length < other.entry.path.length && score > 0;
  return {
    add(entry: Entry, score: number): void {
      const last = kept.at(-1);
      if (kept.length === capacity && last && !isBetter(entry, score, last)) return;
      let at = kept.length;
      for (; at > 0; at -= 1) {
        const above = kept[at - 1];
        if (!above || !isBetter(entry, score, above)) break;
      }
      kept.splice(at, 0, { entry, score });
      kept.length = Math.min(kept.length, capacity);
    },
    list: (): readonly FoundFile[] =>
      kept.map(({ entry: { path, folded } }) => ({
        path,
        marks: matcher.match(path, folded)?.marks ?? [],
      })),
  };
}

const cannotList = (why: string): Fault =>
  fault('cannot_list', `The files of this project could not be listed: ${why.trim()}`);
