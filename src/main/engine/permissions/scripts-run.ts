import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { Files } from '../ports';
import {
  type CodePattern,
  type CodePlace,
  codeNamedIn,
  importsOf,
  isBuildFile,
} from './build-files';
import { matchesSegment } from './patterns';
import type { PermissionRequest } from './request';
import { looksBeside, looksIn } from './scripts-named';
import type { ShellParser } from './shell-analysis/parser';

/** Hashes of the files that calls run, by their paths; `absent` where there is none. Patterns and their files stand there too. */
export type ScriptHashes = ReadonlyMap<string, string>;

/** More files of one call are not looked at. */
const MAX_SCRIPTS = 200;
/** More places of one call are not looked at, whether something is there or not. */
const MAX_PLACES = 2_000;
/** More names in folders that a pattern goes through are not looked at. */
const MAX_ENTRIES = 4_000;
/** Scripts that scripts name are followed so far: those of the line, and three more steps. */
const MAX_DEPTH = 4;
/** Larger scripts are not looked into for others. Bytes. */
const MAX_PARSED_BYTES = 128 * 1024;
/** Of larger files size, time and identity stand for the content. Bytes. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

/** The means to find and read scripts. */
interface ScriptPorts {
  readonly home: string;
  readonly files: Files;
  readonly parser: ShellParser;
}

/**
 * Hashes the files that requests for shell lines run: scripts, what wildcards mean, programs that `path` (`PATH` of commands)
 * finds, what `npm run` and its like read, and what these files name, as deep and as many as the bounds allow.
 */
export async function hashScripts(
  requests: readonly PermissionRequest[],
  { home, files, parser }: ScriptPorts,
  path = '',
): Promise<ScriptHashes> {
  const search = createSearch(files);
  let looks = requests.flatMap((request) =>
    request.kind === 'shell'
      ? looksIn(request.analysis, { text: request.command, cwd: request.cwd, home, path })
      : [],
  );
  for (let depth = 0; depth < MAX_DEPTH && looks.length > 0; depth++) {
    const found: (CodePlace | CodePattern)[] = [];
    for (const look of looks) {
      for (const { file, text } of await search.find(look)) {
        const { folders, isShell } = look;
        const around = folders.length > 0 ? folders : [dirname(file)];
        found.push(...interpretersOf(text, around), ...importsOf(file, text));
        if (isBuildFile(file)) found.push(...codeNamedIn(file, text, around));
        if (!isShell || !isShellText(text) || isBuildFile(file)) continue;
        const analysis = await parser.analyze(text);
        found.push(...around.flatMap((cwd) => looksIn(analysis, { text, cwd, home, path })));
        found.push(...analysis.commands.flatMap((one) => looksBeside(one, dirname(file))));
      }
    }
    looks = found;
  }
  return search.hashes;
}

/** Returns the paths whose hashes differ, those that only one side has left out. Pure. */
export const changedScripts = (before: ScriptHashes, after: ScriptHashes): string[] =>
  [...before].flatMap(([path, hash]) => ((after.get(path) ?? hash) === hash ? [] : [path]));

/** A file that was found for the first time, and is looked into. */
interface Found {
  readonly file: string;
  readonly text: string;
}

/** Creates a search within the bounds of one call. `find` gives each file once. */
function createSearch(files: Files) {
  const hashes = new Map<string, string>();
  let scripts = 0;
  let places = 0;
  let entries = 0;

  /** Hashes one file. `isThere` also for what was hashed before. */
  const hash = async (
    file: string,
    isOptional: boolean,
  ): Promise<{ readonly isThere: boolean; readonly text: string | null }> => {
    const known = hashes.get(file);
    if (known !== undefined) return { isThere: known !== 'absent', text: null };
    if (scripts >= MAX_SCRIPTS || places++ >= MAX_PLACES) return { isThere: false, text: null };
    // What lies in folders of the system nobody but root changes.
    if (SYSTEM.test(file)) return { isThere: (await files.stat(file)).ok, text: null };
    const { hash: digest, text } = await read(file, files);
    const isThere = digest !== 'absent';
    if (isThere || !isOptional) hashes.set(file, digest);
    if (isThere) scripts += 1;
    return { isThere, text };
  };

  const findFirst = async ({ levels, isOptional = false }: CodePlace): Promise<Found[]> => {
    const found: Found[] = [];
    for (const level of levels) {
      let isHere = false;
      for (const file of level) {
        const { isThere, text } = await hash(file, isOptional);
        isHere ||= isThere;
        if (text !== null) found.push({ file, text });
      }
      if (isHere) break;
    }
    return found;
  };

  /** Lists what a pattern means: one more file, or one less, is a change as well. */
  const findAll = async ({ pattern, below }: CodePattern): Promise<Found[]> => {
    const key = below ? join(dirname(pattern), '**', basename(pattern)) : pattern;
    if (hashes.has(key)) return [];
    const segments = pattern.split('/').filter((segment) => segment !== '');
    const names = below
      ? await filesBelow(`/${segments.slice(0, -1).join('/')}`, segments.at(-1) ?? '*')
      : await filesMatching('', segments);
    if (names === null) return [];
    hashes.set(key, digestOf(names.join('\n')));
    const found: Found[] = [];
    for (const file of names) {
      const { text } = await hash(file, true);
      if (text !== null) found.push({ file, text });
    }
    return found;
  };

  const list = async (folder: string) => {
    const listed = await files.list(folder === '' ? '/' : folder);
    if (!listed.ok) return [];
    entries += listed.value.length;
    return entries > MAX_ENTRIES ? [] : [...listed.value].sort(byName);
  };

  /** Returns the files a pattern means; null where it is the path of a folder that is not there. */
  const filesMatching = async (
    folder: string,
    [segment, ...rest]: readonly string[],
  ): Promise<string[] | null> => {
    if (segment === undefined) {
      const stat = await files.stat(folder);
      if (!stat.ok) return null;
      if (stat.value.kind === 'file') return [folder];
      return (await list(folder)).flatMap(({ name, kind }) =>
        kind === 'directory' ? [] : [`${folder}/${name}`],
      );
    }
    if (!/[*?[\\]/.test(segment)) return filesMatching(`${folder}/${segment}`, rest);
    const found: string[] = [];
    for (const { name } of await list(folder)) {
      if (!matchesSegment(segment, name) || (name.startsWith('.') && !segment.startsWith('.')))
        continue;
      const at = `${folder}/${name}`;
      if (rest.length === 0) found.push(at);
      else found.push(...((await filesMatching(at, rest)) ?? []));
    }
    return found;
  };

  const filesBelow = async (folder: string, name: string): Promise<string[]> => {
    const found: string[] = [];
    const waiting = [folder];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const entry of await list(next)) {
        const at = join(next, entry.name);
        if (entry.kind === 'directory' && !LEFT_OUT.test(entry.name)) waiting.push(at);
        if (entry.kind !== 'directory' && matchesSegment(name, entry.name)) found.push(at);
      }
    }
    return found;
  };

  return {
    hashes,
    find: (look: CodePlace | CodePattern): Promise<Found[]> =>
      'pattern' in look ? findAll(look) : findFirst(look),
  };
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

/** Folders that a search for names does not go into. */
const LEFT_OUT = /^(?:\.git|node_modules|\.?venv|site-packages|target)$/;

/** Folders of the system: what lies there nobody but root changes. */
const SYSTEM = /^\/(?:s?bin|usr|nix)\//;

/** Returns the files that the first line of a script names as what runs it. */
function interpretersOf(text: string, folders: readonly string[]): CodePlace[] {
  const [, line = ''] = /^#!([^\n]*)/.exec(text) ?? [];
  return line
    .split(/[ \t\r]+/)
    .filter((word) => word.includes('/') && !SYSTEM.test(word) && !word.includes('\0'))
    .map((word) => ({
      levels: [folders.map((folder) => resolve(folder, word))],
      isShell: true,
      folders,
    }));
}

/** Tells whether a file is text for a shell: no program of the system, and no script of another language. */
const isShellText = (text: string): boolean =>
  !text.includes('\0') && (!text.startsWith('#!') || /^#!.*\b(?:ba|da|z|k|mk|a)?sh\b/.test(text));

/** Reads a file. `text` is null where it is not looked into. */
async function read(
  path: string,
  files: Files,
): Promise<{ readonly hash: string; readonly text: string | null }> {
  const stat = await files.stat(path);
  if (!stat.ok || stat.value.kind !== 'file') return { hash: 'absent', text: null };
  const { size, mtimeMs, identity } = stat.value;
  const content = size <= MAX_SCRIPT_BYTES ? await files.read(path, MAX_SCRIPT_BYTES) : null;
  if (!content?.ok) return { hash: `${size} ${mtimeMs} ${identity}`, text: null };
  const text = size <= MAX_PARSED_BYTES ? new TextDecoder().decode(content.value) : null;
  return { hash: digestOf(content.value), text };
}

const digestOf = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('base64url');
