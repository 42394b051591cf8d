import { join, relative, resolve, sep } from 'node:path';
import type { Files } from '../ports';
import { coversPath, type PathPattern, parsePathPattern } from './patterns';

/** More entries of folders that are not tracked are not looked at. */
const MAX_ENTRIES = 20_000;
/** A longer file of patterns is not read. Bytes. */
const MAX_IGNORE_BYTES = 256 * 1024;
/** More comparisons of a path with a pattern are not made. */
const MAX_COMPARISONS = 2_000_000;

/** One line of a `.gitignore`. */
interface IgnoreLine {
  readonly pattern: PathPattern;
  readonly isException: boolean;
}

/** The lines that hold in a folder and below it, the last first, with its path from the repository. */
interface IgnoreFile {
  readonly base: string;
  readonly lines: readonly IgnoreLine[];
}

/** A folder to look at, and the files of patterns that hold there, the innermost first. */
interface Step {
  readonly folder: string;
  readonly above: readonly IgnoreFile[];
}

/** A repository: its folder, the files it tracks, and the file of patterns it keeps for itself. */
interface AddedTo {
  readonly root: string;
  readonly names: readonly string[];
  readonly excludes: string;
}

/** Returns the files that git would take up in some places of a line; null where it cannot be told. */
export async function addedIn(
  places: readonly string[],
  cwd: string,
  repository: AddedTo,
  mayLeaveOut: boolean,
  files: Files,
): Promise<readonly string[] | null> {
  const { root } = repository;
  const inside = [...new Set(places)].map((place) => {
    const path = place === '' ? '' : relative(root, resolve(cwd, place));
    return path.split(sep).join('/');
  });
  const stats = await Promise.all(inside.map((path) => files.stat(join(root, path))));
  const isFolder = (_: string, at: number) => {
    const stat = stats[at];
    return stat?.ok === true && stat.value.kind === 'directory';
  };
  const folders = inside.filter(isFolder);
  // A file is taken up although the line changes what git leaves out.
  const own = inside.filter((path, at) => !isFolder(path, at));
  if (folders.length === 0) return own;
  if (mayLeaveOut || folders.some((path) => path.startsWith('..'))) return null;
  const found = await addableFiles(repository, folders, files);
  return found && [...own, ...found];
}

/**
 * Returns the files in some folders of a repository that git does not track and would take up by `git add`: those that no
 * pattern of it leaves out. Null where there are too many to look at.
 */
async function addableFiles(
  { root, names, excludes }: AddedTo,
  folders: readonly string[],
  files: Files,
): Promise<readonly string[] | null> {
  const known = new Set(names);
  const found: string[] = [];
  const everywhere = await readIgnoreFile(excludes, '', files);
  const listIn = async (folder: string) => {
    const listed = await files.list(join(root, folder));
    return listed.ok ? listed.value : [];
  };
  // Git follows no link to a file of patterns.
  const ownRules = async (folder: string, entries: Awaited<ReturnType<typeof listIn>>) =>
    entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')
      ? [await readIgnoreFile(join(root, folder, '.gitignore'), folder, files)]
      : [];
  const waiting: Step[] = [];
  for (const folder of folders) {
    let above: readonly IgnoreFile[] = [everywhere];
    for (const parent of parentsOf(folder))
      above = [...(await ownRules(parent, await listIn(parent))), ...above];
    waiting.push({ folder, above });
  }
  let entriesLeft = MAX_ENTRIES;
  let comparisonsLeft = MAX_COMPARISONS;
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { folder } = step;
    const entries = await listIn(folder);
    // What is in a repository of its own, git does not take up.
    if (folder !== '' && entries.some(({ name }) => name === '.git')) continue;
    const rules = [...(await ownRules(folder, entries)), ...step.above];
    const cost = rules.reduce((sum, { lines }) => sum + lines.length, 0);
    for (const { name, kind } of entries) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git' || known.has(path)) continue;
      entriesLeft--;
      comparisonsLeft -= cost;
      if (entriesLeft < 0 || comparisonsLeft < 0) return null;
      if (isIgnored(path, kind === 'directory', rules)) continue;
      if (kind === 'directory') waiting.push({ folder: path, above: rules });
      else if (kind === 'file') found.push(path);
    }
  }
  return found;
}

/** Returns the folders above one, the outermost first; the empty path is that of the repository. */
function parentsOf(folder: string): readonly string[] {
  const segments = folder === '' ? [] : folder.split('/');
  return segments.map((_, at) => segments.slice(0, at).join('/'));
}

async function readIgnoreFile(path: string, base: string, files: Files): Promise<IgnoreFile> {
  const read = await files.read(path, MAX_IGNORE_BYTES);
  return { base, lines: read.ok ? linesOf(new TextDecoder().decode(read.value)) : [] };
}

/** A pattern that fits no path for git, which compares it as it is written: `./a`, `a//b`. */
const FITS_NOTHING = /(?:^|\/)\.{1,2}(?:\/|$)|\/\//;

/** Returns the patterns of a file (gitignore(5)), the last first. */
function linesOf(text: string): IgnoreLine[] {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const isException = line.startsWith('!');
    const written = line.replace(/^!|^\\(?=[!#])/, '');
    const pattern = FITS_NOTHING.test(written) ? null : parsePathPattern(written, false);
    return pattern === null ? [] : [{ pattern, isException }];
  });
  return lines.reverse();
}

/** Tells whether patterns leave a path out: the last line of the innermost file that fits it decides. */
function isIgnored(path: string, isDirectory: boolean, rules: readonly IgnoreFile[]): boolean {
  for (const { base, lines } of rules) {
    const own = base === '' ? path : path.slice(base.length + 1);
    const line = lines.find(({ pattern }) =>
      coversPath(pattern, own, { isDirectory, ignoreCase: false }),
    );
    if (line) return !line.isException;
  }
  return false;
}
