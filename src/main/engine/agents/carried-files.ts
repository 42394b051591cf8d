import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Result } from '../../../shared/result';
import { composed } from '../permissions/paths';
import { visibleText } from '../permissions/shell-analysis/parser';
import type { Files } from '../ports';

/** Runs git in one folder and gives what it printed, or its complaint. */
export type Git = (...args: readonly string[]) => Promise<Result<string, string>>;

/** The choices of settings and rules for new worktrees. */
export interface WorktreeChoice {
  /** `fresh`: the default branch of the remote; `head`: the commit that is checked out. */
  readonly baseRef: 'fresh' | 'head';
  /** Folders that are linked, by their paths from the root of the repository. */
  readonly symlinkDirectories: readonly string[];
  /** Tells whether a file may be read without a question, so that a copy gets round no rule. The path is absolute. */
  readonly mayCopy: (path: string) => Promise<boolean>;
}

/** Ignored files that a worktree was given when it was made. */
export interface CarriedFiles {
  /** The digest of each copy, by its path from the root. */
  readonly copied: Readonly<Record<string, string>>;
  readonly linked: readonly string[];
}

type CarryFiles = Pick<Files, 'stat' | 'read' | 'locate' | 'open' | 'writeAt' | 'remove' | 'link'>;

/** The places and services of one carrying. */
interface Carrying {
  readonly files: CarryFiles;
  /** The root of the repository that is carried from. Absolute. */
  readonly root: string;
  /** The new worktree. Absolute. */
  readonly path: string;
  /** Run git in the root and in the worktree. */
  readonly atRoot: Git;
  readonly inside: Git;
  readonly choice: WorktreeChoice;
  readonly signal: AbortSignal;
}

/** The file of patterns in the root of a repository; those of gitignore. */
const INCLUDE = '.worktreeinclude';
const MAX_INCLUDE_BYTES = 1024 * 1024;
/** Bounds of what is copied into one worktree. */
const MAX_COPIED = 1_000;
const MAX_COPIED_BYTES = 100 * 1024 * 1024;
const MAX_LINKED = 50;
/** Names that git is asked about in one call. */
const BATCH = 200;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/**
 * Copies the ignored files that `.worktreeinclude` names into a new worktree, and links the folders that settings name. Returns
 * what was left out and why, as sentences. Nothing is written over, and nothing through a link.
 */
export async function carryFiles(carrying: Carrying): Promise<readonly string[]> {
  const left = new LeftOut();
  const copied = await copyIncluded(carrying, left);
  const linked = await linkFolders(carrying, left);
  if (copied.size + linked.size > 0) await settle(carrying, copied, linked, left);
  return left.sentences();
}

/** Names that were left out, by the reason. */
class LeftOut {
  readonly #names = new Map<string, string[]>();

  add(why: string, name: string): void {
    const names = this.#names.get(why) ?? [];
    names.push(name);
    this.#names.set(why, names);
  }

  sentences(): readonly string[] {
    return [...this.#names].map(([why, names]) => {
      const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
      const told = names
        .slice(0, 3)
        .map((name) => visibleText(name.replace(/\s/g, ' ')).slice(0, 200));
      return `Not in the worktree: ${told.join(', ')}${more} (${why}).`;
    });
  }
}

/** Copies what `.worktreeinclude` names and git ignores. Returns the digests by name. */
async function copyIncluded(carrying: Carrying, left: LeftOut): Promise<Map<string, string>> {
  const { files, root, atRoot, signal } = carrying;
  const copied = new Map<string, string>();
  const list = join(root, INCLUDE);
  const place = await files.locate(list);
  if (!place.ok || place.value.identity === null) return copied;
  const found = await files.stat(list);
  const isPlain = place.value.realPath === list && found.ok && found.value.kind === 'file';
  if (!isPlain || found.value.size > MAX_INCLUDE_BYTES) {
    left.add('it is a link, no regular file or too large, so nothing is copied', INCLUDE);
    return copied;
  }
  const others = ['ls-files', '-z', '--others', '--ignored'];
  const matched = await atRoot(...others, `--exclude-from=${list}`);
  if (!matched.ok) {
    left.add(`git could not say what it names: ${matched.error}`, INCLUDE);
    return copied;
  }
  // A repository inside is listed as a folder; worktrees are such.
  const names = namesIn(matched.value).filter((name) => !name.startsWith('.claude/worktrees/'));
  let bytesLeft = MAX_COPIED_BYTES;
  for (let at = 0; at < names.length && !signal.aborted; at += BATCH) {
    const batch = names.slice(at, at + BATCH);
    const ignored = await ignoredAmong(atRoot, batch);
    for (const name of batch) {
      if (!ignored.has(name)) left.add('git does not ignore them', name);
      else if (copied.size >= MAX_COPIED) left.add(`more than ${MAX_COPIED} files`, name);
      else {
        const outcome = await copyOne(carrying, name, bytesLeft);
        if (typeof outcome === 'string') left.add(outcome, name);
        else {
          copied.set(name, outcome.digest);
          bytesLeft -= outcome.size;
        }
      }
    }
  }
  return copied;
}

/** Copies one file, unless something speaks against it: then that is returned. */
async function copyOne(
  { files, root, path, choice }: Carrying,
  name: string,
  bytesLeft: number,
): Promise<string | { readonly digest: string; readonly size: number }> {
  const from = await files.locate(join(root, name));
  if (!from.ok || from.value.identity === null) return 'they cannot be read';
  if (!isSame(from.value.realPath, join(root, name))) return 'they are links or behind one';
  if (from.value.special || name.endsWith('/')) return 'they are no regular files';
  if (!(await choice.mayCopy(join(root, name)))) return NOT_READABLE;
  const to = await files.locate(join(path, name));
  if (!to.ok || !isSame(to.value.realPath, join(path, name))) return 'a link is in their place';
  if (to.value.identity !== null) return 'the worktree has them as they were committed';
  // The very file that was decided on, whatever takes its name meanwhile.
  const open = await files.open(from.value);
  if (!open.ok) return 'they cannot be read';
  try {
    const { size, mode } = open.value.stat;
    if (size > bytesLeft) return `more than ${MAX_COPIED_BYTES / 1024 / 1024} MB together`;
    const read = await open.value.read(0, size);
    if (!read.ok) return 'they cannot be read';
    const written = await files.writeAt(to.value, read.value, mode & 0o777);
    return written.ok
      ? { digest: digestOf(read.value), size }
      : `they cannot be written: ${written.error.message}`;
  } finally {
    await open.value.close();
  }
}

const NOT_READABLE = 'they may not be read unasked: a rule, the sandbox or their place forbids it';

/** Links the folders that settings name, and returns their names. */
async function linkFolders(carrying: Carrying, left: LeftOut): Promise<Set<string>> {
  const { choice, signal } = carrying;
  const linked = new Set<string>();
  for (const written of choice.symlinkDirectories) {
    if (signal.aborted) break;
    const name = written.replace(/^\.\//, '').replace(/\/+$/, '');
    if (linked.has(name)) continue;
    const why =
      linked.size >= MAX_LINKED ? `more than ${MAX_LINKED} folders` : await linkOne(carrying, name);
    if (why === null) linked.add(name);
    else left.add(why, written);
  }
  return linked;
}

/** Links one folder; returns why it cannot be linked, null when it is. */
async function linkOne(
  { files, root, path, atRoot }: Carrying,
  name: string,
): Promise<string | null> {
  if (!isInside(name)) return 'the path is not that of a folder in the repository';
  const source = join(root, name);
  const from = await files.locate(source);
  const found = await files.stat(source);
  if (!from.ok || from.value.identity === null || !found.ok) return 'there is no such folder';
  if (!isSame(from.value.realPath, source)) return 'it is a link or behind one';
  if (found.value.kind !== 'directory') return 'it is no folder';
  // The outermost folder that is ignored as a whole stands for all in it.
  const ignored = [...(await ignoredAmong(atRoot, [name], '--directory'))];
  if (!ignored.some((one) => one.endsWith('/') && `${name}/`.startsWith(one)))
    return 'git does not ignore it';
  const parent = await files.locate(join(path, dirname(name)));
  if (!parent.ok || parent.value.identity === null)
    return 'the worktree has no folder that it could be in';
  if (!isSame(parent.value.realPath, join(path, dirname(name)))) return 'a link is in its place';
  const made = await files.link(source, join(path, name));
  if (made.ok) return null;
  return made.error.code === 'exists'
    ? 'the worktree has it as it was committed'
    : `it cannot be linked: ${made.error.message}`;
}

/** Tells whether a path written in settings leads to something inside the repository that is not git's or Lathe's own. */
const isInside = (name: string): boolean =>
  name !== '' &&
  !isAbsolute(name) &&
  !/[\p{Cc}\\]|^~/u.test(name) &&
  name.split('/').every((part) => !/^(\.{0,2}|\.git)$/i.test(part)) &&
  !/^\.claude(\/worktrees(\/|$)|$)/i.test(name);

/**
 * Takes back copies that git does not ignore in the worktree, hides links there from git, and records what is carried, so that
 * none of it counts as work.
 */
async function settle(
  { files, path, inside }: Carrying,
  copied: Map<string, string>,
  linked: ReadonlySet<string>,
  left: LeftOut,
): Promise<void> {
  const seen = await inside('ls-files', '-z', '--others', '--exclude-standard');
  const shown = new Set(seen.ok ? namesIn(seen.value) : [...copied.keys(), ...linked]);
  for (const name of [...copied.keys()].filter((one) => shown.has(one))) {
    await files.remove(join(path, name));
    copied.delete(name);
    left.add('git does not ignore them at the commit it began at', name);
  }
  const bare = [...linked].filter((name) => shown.has(name));
  const hidden = bare.length === 0 || (await hide(files, inside, bare));
  const kept = [...linked].filter((name) => hidden || !bare.includes(name));
  if (!hidden)
    for (const name of bare) {
      await files.remove(join(path, name));
      left.add('git could not be told to ignore the link', name);
    }
  const record = await recordPath(inside);
  const place = record === null ? null : await files.locate(record);
  const carried: CarriedFiles = { copied: Object.fromEntries(copied), linked: kept };
  if (place?.ok) await files.writeAt(place.value, JSON.stringify(carried));
}

/** Adds links to what git ignores in this clone: a pattern such as `node_modules/` means folders, and a link is none. */
async function hide(files: CarryFiles, git: Git, names: readonly string[]): Promise<boolean> {
  const found = await git('rev-parse', '--path-format=absolute', '--git-path', 'info/exclude');
  const place = found.ok ? await files.locate(found.value) : null;
  if (!place?.ok) return false;
  const before = await files.read(place.value.realPath, MAX_INCLUDE_BYTES);
  if (!before.ok && before.error.code !== 'not_found') return false;
  const text = before.ok ? new TextDecoder().decode(before.value) : '';
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  const lines = names.map((name) => `/${name.replace(/[*?[\]\\ ]/g, '\\$&')}\n`).join('');
  return (await files.writeAt(place.value, `${text}${gap}${lines}`)).ok;
}

const recordPath = async (git: Git): Promise<string | null> => {
  const found = await git(
    'rev-parse',
    '--path-format=absolute',
    '--git-path',
    'lathe-carried.json',
  );
  return found.ok ? found.value : null;
};

const Carried = z.object({ copied: z.record(z.string(), z.string()), linked: z.array(z.string()) });

/** Returns what a worktree was given when it was made. `git` runs in it. */
export async function readCarried(files: Pick<Files, 'read'>, git: Git): Promise<CarriedFiles> {
  const path = await recordPath(git);
  const read = path === null ? null : await files.read(path, MAX_RECORD_BYTES);
  try {
    if (read?.ok) return Carried.parse(JSON.parse(new TextDecoder().decode(read.value)));
  } catch {
    // Whatever stands there now says nothing: what is in the worktree is then looked at as if nobody had carried it.
  }
  return { copied: {}, linked: [] };
}

/** Tells whether a name in a worktree still is the link to the folder of the repository. */
export async function isCarriedLink(
  files: Pick<Files, 'list' | 'realPath'>,
  root: string,
  path: string,
  name: string,
): Promise<boolean> {
  const entries = await files.list(join(path, dirname(name)));
  const entry = entries.ok && entries.value.find((one) => isSame(one.name, basename(name)));
  if (entry === undefined || entry === false || entry.kind !== 'link') return false;
  const real = await files.realPath(join(path, name));
  return real.ok && isSame(real.value, join(root, name));
}

/** Stands for the content of a file. */
export const digestOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('base64url');

/** Returns those of some names that are ignored and not tracked; with `--directory`, a folder as `name/`. */
async function ignoredAmong(
  git: Git,
  names: readonly string[],
  ...options: readonly '--directory'[]
): Promise<ReadonlySet<string>> {
  const found = await git(
    ...['ls-files', '-z', '--others', '--ignored', '--exclude-standard', ...options, '--'],
    ...names.map((name) => `:(literal)${name}`),
  );
  return new Set(found.ok ? namesIn(found.value) : []);
}

const namesIn = (list: string): readonly string[] => list.split('\0').filter((name) => name !== '');

const isSame = (one: string, other: string): boolean => composed(one) === composed(other);
