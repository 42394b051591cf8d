import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Programs } from '../engine/ports';
import type { SandboxViolation } from '../engine/ports-sandbox';
import { protectedPaths } from './runtime-config';

/** The files that the library keeps absent in the folder it was started in. */
const OF_LIBRARY = ['.ripgreprc'];

/**
 * A protected file that is absent has a stand-in inside the sandbox, a device, and git refuses to add devices: `git add .`
 * would fail. Returns the lines of an exclude file (gitignore(5)) that lets git leave them out, whatever is there by now.
 */
function standInPatterns(writable: readonly string[]): readonly string[] {
  const patterns = writable.flatMap((folder) => {
    const top = repositoryOf(folder);
    if (top === null) return [];
    const names = OF_LIBRARY.map((name) => join(folder, name));
    return [...protectedPaths([folder]), ...names].flatMap((path) => {
      const standIn = firstMissing(folder, path);
      return standIn === null ? [] : [patternOf(relative(top, standIn))];
    });
  });
  return [...new Set(patterns)];
}

function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? null : repositoryOf(above);
}

/** Returns the uppermost part of a path that does not exist; null when all of it does. */
function firstMissing(folder: string, path: string): string | null {
  let at = folder;
  for (const part of relative(folder, path).split(sep)) {
    at = join(at, part);
    if (!existsSync(at)) return at;
  }
  return null;
}

const patternOf = (path: string): string =>
  `/${path
    .split(sep)
    .join('/')
    .replace(/[\\*?[\]!# ]/g, '\\$&')}`;

/**
 * Returns the beginning of a shell line that makes git ignore the stand-ins and what the user's exclude file `own` names.
 * Writes the patterns to `file`. Empty where no folder is in a repository.
 */
export function excludingStandIns(
  file: string,
  own: string | null,
  writable: readonly string[],
): string {
  const patterns = standInPatterns(writable);
  if (patterns.length === 0) return '';
  writeFileSync(file, [textOf(own), ...patterns, ''].join('\n'), { mode: 0o600 });
  // Behind what the environment may already tell git in this way (git(1), GIT_CONFIG_COUNT).
  const name = '"GIT_CONFIG_KEY_$__lathe_n=core.excludesFile"';
  const value = `"GIT_CONFIG_VALUE_$__lathe_n"=${quoteArguments([file])}`;
  return [
    '__lathe_n=$(($GIT_CONFIG_COUNT + 0))',
    `export ${name} ${value} GIT_CONFIG_COUNT=$((__lathe_n + 1))`,
    'unset __lathe_n; ',
  ].join('; ');
}

/** More than anyone writes by hand. Characters. */
const MAX_OWN_CHARS = 100_000;

function textOf(file: string | null): string {
  try {
    return file === null ? '' : readFileSync(file, 'utf8').slice(0, MAX_OWN_CHARS);
  } catch {
    return '';
  }
}

/**
 * Returns the path of the user's own exclude file, whether or not it exists, as git sees it outside of any repository.
 */
export async function ownExcludeFile(
  programs: Pick<Programs, 'run'>,
  home: string | undefined,
): Promise<string | null> {
  const argv = ['git', 'config', '--global', '--type=path', 'core.excludesFile'];
  const ran = await programs.run(argv, { cwd: '/', maxBytes: 4096, timeoutMs: 2000 });
  const named = ran.ok && ran.value.exitCode === 0 ? Buffer.from(ran.value.stdout).toString() : '';
  const file = named.trim();
  if (isAbsolute(file)) return file;
  return home === undefined ? null : join(home, '.config', 'git', 'ignore');
}

/**
 * `.git/commondir` sends git to another folder for its configuration and hooks (gitrepository-layout(5)), so whoever makes one
 * makes git run programs, outside too. It has no place in a repository of its own, but an absent file cannot be kept absent
 * without confusing git. Returns a function that removes those made meanwhile and reports them.
 */
export function watchCommonDirs(writable: readonly string[]): () => readonly SandboxViolation[] {
  const absent = writable
    .map((folder) => join(folder, '.git', 'commondir'))
    .filter((path) => !existsSync(path));
  return () =>
    absent.filter(existsSync).map((target) => {
      rmSync(target, { recursive: true, force: true });
      return { kind: 'write', target, reason: 'git would run what it leads to; it was taken away' };
    });
}

/** Quotes an argument vector as one shell line; each argument arrives byte for byte. */
export const quoteArguments = (argv: readonly string[]): string =>
  argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
