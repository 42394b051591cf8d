import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { Files } from '../ports';
import { CODE } from './made-files';
import { climbs, joinedPath } from './paths';
import type { PermissionRequest, ShellAnalysis, ShellCommand } from './request';
import { placesOf, type Whereabouts } from './rule-match';
import { isInterpreter } from './shell-analysis/interpreters';
import { SHELLS } from './shell-analysis/launchers';
import type { ShellParser } from './shell-analysis/parser';
import { withPlaces } from './shell-paths';

/** Hashes of the files that calls run, by their paths; `absent` where there is none. */
export type ScriptHashes = ReadonlyMap<string, string>;

/** More files of one call are not looked at. */
const MAX_SCRIPTS = 20;
/** Scripts that scripts name are followed so far: those of the line, and three more steps. */
const MAX_DEPTH = 4;
/** Larger scripts are not looked into for others. Bytes. */
const MAX_PARSED_BYTES = 128 * 1024;
/** Of larger files size, time and identity stand for the content. Bytes. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

/** Programs that run what a file of the folder says, by the names of that file. */
const PROJECT_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  gradle: ['build.gradle', 'build.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts'],
  mvn: ['pom.xml'],
};

/** The means to find and read scripts. */
interface ScriptPorts {
  readonly home: string;
  readonly files: Files;
  readonly parser: ShellParser;
}

/** A file that is run as code. */
interface Script {
  readonly path: string;
  /** A shell may run it, so that what it names may be run in turn. */
  readonly isShell: boolean;
  /** The folders it may run in, and its own: where relative names in it may begin. */
  readonly folders: readonly string[];
}

/**
 * Hashes the files that requests for shell lines run: scripts, what `npm run` and its like read, and the scripts that shell
 * scripts among them name, as deep and as many as the bounds allow.
 */
export async function hashScripts(
  requests: readonly PermissionRequest[],
  { home, files, parser }: ScriptPorts,
): Promise<ScriptHashes> {
  const hashes = new Map<string, string>();
  let scripts = requests.flatMap((request) =>
    request.kind === 'shell' ? scriptsIn(request.analysis, { cwd: request.cwd, home }) : [],
  );
  for (let depth = 0; depth < MAX_DEPTH && scripts.length > 0; depth++) {
    const found: Script[] = [];
    for (const script of scripts) {
      if (hashes.has(script.path) || hashes.size >= MAX_SCRIPTS) continue;
      const { hash, text } = await read(script.path, files);
      hashes.set(script.path, hash);
      if (text === null) continue;
      found.push(...interpretersOf(text, script.folders));
      if (!script.isShell || !isShellText(text)) continue;
      const analysis = await parser.analyze(text);
      found.push(...script.folders.flatMap((cwd) => scriptsIn(analysis, { cwd, home })));
      found.push(...analysis.commands.flatMap((one) => besides(one, dirname(script.path))));
    }
    scripts = found;
  }
  return hashes;
}

/** Returns the paths whose hashes differ, those that only one side has left out. Pure. */
export const changedScripts = (before: ScriptHashes, after: ScriptHashes): string[] =>
  [...before].flatMap(([path, hash]) => ((after.get(path) ?? hash) === hash ? [] : [path]));

/** Returns the files that the commands of a line or script run as code, in every folder they may start in. Pure. */
function scriptsIn({ commands }: ShellAnalysis, where: Whereabouts): Script[] {
  const isRun = commands.some(runsCode);
  const isRead = commands.some(readsCode);
  const folders = commands.flatMap(namedFolders);
  return commands.flatMap((open) => {
    const command = withPlaces(open, where);
    // Where it is not known in which folder a command runs, it may be the one it starts in.
    const placesIn = (word: string) =>
      (placesOf(word, command, where) ?? [joinedPath(word, where.cwd, where.home)]).map(plain);
    const places = (word: string) =>
      [word, ...(/^[/~]/.test(word) ? [] : folders.map((folder) => `${folder}/${word}`))].flatMap(
        placesIn,
      );
    const named = [...namedScripts(command), ...givenCode(command, isRun, isRead)];
    return named.flatMap(({ word, isShell }) =>
      places(word).map((path) => ({
        path,
        isShell,
        folders: [...new Set([...places('.'), dirname(path)])],
      })),
    );
  });
}

/** Returns the same path in one spelling, unless it goes up: then only the system knows where it leads. */
const plain = (path: string): string => (climbs(path) ? path : resolve(path));

/** Returns the words by which a command names files that it runs as code. */
function namedScripts(command: ShellCommand): { word: string; isShell: boolean }[] {
  const [called = '', ...rest] = command.words;
  if (called === null) return atHome(command).map((word) => ({ word, isShell: true }));
  const name = called.slice(called.lastIndexOf('/') + 1);
  const isShell = runsShellFiles(name);
  const own = called.includes('/') ? [{ word: called, isShell: true }] : [];
  const words: string[] = [];
  if (isShell || isInterpreter(name)) {
    const operand = rest.find((word) => word === null || !/^[-+]/.test(word));
    const coded = rest.filter((word) => CODE.test(word ?? ''));
    const module = rest[rest.indexOf('-m') + 1];
    words.push(...[operand, ...coded].filter((word) => typeof word === 'string'));
    if (rest.includes('-m') && module) words.push(`${module.replaceAll('.', '/')}.py`);
  }
  if (Object.hasOwn(PROJECT_FILES, name)) words.push(...(PROJECT_FILES[name] ?? []));
  if (isShell || isInterpreter(name)) words.push(...atHome(command));
  // A text with line breaks is code itself.
  return [...own, ...words.map((word) => ({ word, isShell }))].filter(
    ({ word }) => !/[\n\0]/.test(word),
  );
}

/** Programs that run a file they are given, besides shells, interpreters and those of {@link PROJECT_FILES}. */
const RUNNERS =
  /^(?:uv|uvx|poetry|pipenv|pdm|hatch|rye|conda|pytest|nox|tox|coverage|torchrun|deno|bunx|ts-node|tsx|nodemon|electron|go|cargo|dotnet|sqlite3|psql|mysql|jq|sed|gdb|lldb|vim?)$/;

/** Endings and names of files that hold code, besides {@link CODE}. */
const MORE_CODE =
  /\.(?:bash|zsh|ksh|fish|sql|mk|sed|jq|gdb|vim|r|jl|exp|kts?|groovy)$|(?:^|\/)(?:makefile|justfile|rakefile)$/i;

const holdsCode = (word: string): boolean => CODE.test(word) || MORE_CODE.test(word);

/** Tells whether a command runs what some file says. */
function runsCode(command: ShellCommand): boolean {
  const name = nameOf(command);
  const isOwn = command.words[0]?.includes('/') === true;
  const isRunner = RUNNERS.test(name) || Object.hasOwn(PROJECT_FILES, name);
  return isOwn || isRunner || runsShellFiles(name) || isInterpreter(name);
}

/** Tells whether a shell or an interpreter takes its code from its input. */
function readsCode(command: ShellCommand): boolean {
  const [, ...rest] = command.words;
  const isShell = SHELLS.has(nameOf(command));
  if (isShell && rest.some((word) => /^-[a-z]*s[a-z]*$/.test(word ?? ''))) return true;
  const isOne = isShell || isInterpreter(nameOf(command));
  return isOne && rest.every((word) => word === null || /^[-+]|^\/dev\/(?:stdin|fd)/.test(word));
}

/** Programs that pass a file on to a pipe. */
const PASSES_ON = /^(?:cat|head|tail|sed|envsubst|tee|zcat|gunzip|base64)$/;

/**
 * Returns the files that a line with a program that runs code names as code: by words and options, what is copied and run under
 * another name, and what comes by standard input.
 */
function givenCode(
  command: ShellCommand,
  isRun: boolean,
  isRead: boolean,
): { word: string; isShell: boolean }[] {
  if (!isRun) return [];
  const [, ...rest] = command.words.filter((word) => word !== null);
  const reads = command.reads.filter((word) => word !== null);
  const values = [...rest, ...command.assignments].flatMap((word) => [
    word,
    ...(/^(?:--?[\w-]+|\w+)=(.+)$/s.exec(word)?.slice(1) ?? []),
    ...(/^-\w([^=]+)$/s.exec(word)?.slice(1) ?? []),
  ]);
  const passed = isRead && PASSES_ON.test(nameOf(command)) ? rest : [];
  const input = readsCode(command) ? reads : [];
  const words = [...values, ...reads].filter(holdsCode);
  return [...words, ...passed, ...input]
    .filter((word) => !/^-|[\n\0]/.test(word))
    .map((word) => ({ word, isShell: /\.(?:ba|z|k|fi)?sh$/.test(word) || input.includes(word) }));
}

/** Options by which a program is told another folder. */
const FOLDER_OPTION =
  /^(?:-C|--chdir|--prefix|--cwd|--dir|--directory|--project|--working-directory)(?:=(.+))?$/s;

/** Returns the folders that a command names as those something is to run in. */
function namedFolders(command: ShellCommand): string[] {
  const { words } = command;
  const folders = words.flatMap((word, at) => {
    const option = FOLDER_OPTION.exec(word ?? '');
    return option === null ? [] : (option[1] ?? words[at + 1] ?? []);
  });
  if (nameOf(command) === 'pushd') folders.push(words[1] ?? '.');
  return folders.filter((folder) => !/^[-+]|[\n\0]/.test(folder));
}

const nameOf = ({ words: [called] }: ShellCommand): string =>
  called?.slice(called.lastIndexOf('/') + 1) ?? '';

/** Returns the paths that a command with words only known at run time names behind `$HOME`. */
const atHome = ({ words, text }: ShellCommand): string[] =>
  words.includes(null)
    ? [...text.matchAll(/\$(?:HOME|\{HOME\})"?((?:\/[\w.+-]+)+)/g)].map(([, name]) => `~${name}`)
    : [];

const runsShellFiles = (name: string): boolean =>
  SHELLS.has(name) || name === '.' || name === 'source';

/** `"$(dirname "$0")/lib.sh"`, `$HERE/lib.sh`: what is behind a value only known at run time. */
const BEHIND_VALUE = /\$(?:\w+|\{[^}]*\}|\([^()]*\))["']?((?:\/[\w.+-]+)+)/g;

/** Returns the scripts that a command of a script names behind a folder only known at run time, as if that were the script's own. */
function besides({ words, text }: ShellCommand, folder: string): Script[] {
  const runsFiles = words[0] === null || runsShellFiles(words[0] ?? '');
  if (!runsFiles || !words.includes(null)) return [];
  return [...text.matchAll(BEHIND_VALUE)].map(([, name = '']) => {
    const path = folder + name;
    return { path, isShell: true, folders: [folder, dirname(path)] };
  });
}

/** Folders of the system: what lies there nobody but root changes. */
const SYSTEM = /^\/(?:s?bin|usr|nix)\//;

/** Returns the files that the first line of a script names as what runs it, but for those of the system. */
function interpretersOf(text: string, folders: readonly string[]): Script[] {
  const [, line = ''] = /^#!([^\n]*)/.exec(text) ?? [];
  return line
    .split(/[ \t\r]+/)
    .filter((word) => word.includes('/') && !SYSTEM.test(word) && !word.includes('\0'))
    .flatMap((word) =>
      folders.map((folder) => ({ path: resolve(folder, word), isShell: true, folders })),
    );
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
  return { hash: createHash('sha256').update(content.value).digest('base64url'), text };
}
