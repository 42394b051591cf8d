import { join } from 'node:path';
import type { Files } from '../ports';
import { coversPath, type PathPattern, parsePathPattern } from './patterns';

/** More entries of folders are not looked at. */
const MAX_ENTRIES = 20_000;
/** A longer file of patterns is not read. Bytes. */
const MAX_IGNORE_BYTES = 256 * 1024;

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

/**
 * Returns the files of a repository that git does not track and would take up by `git add .`: those that no pattern of it
 * leaves out. Null where there are too many to look at.
 */
export async function addableFiles(
  root: string,
  excludes: string,
  tracked: readonly string[],
  files: Files,
): Promise<readonly string[] | null> {
  const known = new Set(tracked);
  const found: string[] = [];
  const waiting: Step[] = [{ folder: '', above: [await ignoreFile(excludes, '', files)] }];
  let left = MAX_ENTRIES;
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { folder } = step;
    const listed = await files.list(join(root, folder));
    const entries = listed.ok ? listed.value : [];
    // What is in a repository of its own, git does not take up.
    if (folder !== '' && entries.some(({ name }) => name === '.git')) continue;
    left -= entries.length;
    if (left < 0) return null;
    const own = entries.some(({ name }) => name === '.gitignore')
      ? [await ignoreFile(join(root, folder, '.gitignore'), folder, files)]
      : [];
    const rules = [...own, ...step.above];
    for (const { name, kind } of entries) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git' || isIgnored(path, kind === 'directory', rules)) continue;
      if (kind === 'directory') waiting.push({ folder: path, above: rules });
      else if (kind === 'file' && !known.has(path)) found.push(path);
    }
  }
  return found;
}

async function ignoreFile(path: string, base: string, files: Files): Promise<IgnoreFile> {
  const read = await files.read(path, MAX_IGNORE_BYTES);
  return { base, lines: read.ok ? linesOf(new TextDecoder().decode(read.value)) : [] };
}

/** Returns the patterns of a file (gitignore(5)), the last first. */
function linesOf(text: string): IgnoreLine[] {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const isException = line.startsWith('!');
    const pattern = parsePathPattern(line.replace(/^!|^\\(?=[!#])/, ''), false);
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
