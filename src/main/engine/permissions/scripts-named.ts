import { delimiter, dirname, join, resolve } from 'node:path';
import {
  buildFilesOf,
  type CodePattern,
  type CodePlace,
  holdsCode,
  modulesOf,
  nearest,
  pathWords,
  runsBuildFile,
} from './build-files';
import { CODE } from './made-files';
import { climbs, joinedPath } from './paths';
import type { ShellAnalysis, ShellCommand } from './request';
import { placesOf, type Whereabouts } from './rule-match';
import { isInterpreter } from './shell-analysis/interpreters';
import { SHELLS } from './shell-analysis/launchers';
import { withPlaces } from './shell-paths';

/** A line or script, and where it runs. */
interface Surroundings extends Whereabouts {
  readonly text: string;
  /** `PATH` of commands. */
  readonly path: string;
}

/** Returns where to look for the files that the commands of a line or script run as code, in every folder they may start in. Pure. */
export function looksIn(
  { commands }: ShellAnalysis,
  where: Surroundings,
): (CodePlace | CodePattern)[] {
  const isRun = commands.some(runsCode);
  const isRead = commands.some(readsCode);
  const folders = commands.flatMap(namedFolders);
  const listed = commands.flatMap((command) => listedBy(command));
  return commands.flatMap((open) => {
    const command = withPlaces(open, where);
    // Where it is not known in which folder a command runs, it may be the one it starts in.
    const placesIn = (word: string) =>
      (placesOf(word, command, where) ?? [joinedPath(word, where.cwd, where.home)]).map(plain);
    const places = (word: string) =>
      [word, ...(/^[/~]/.test(word) ? [] : folders.map((folder) => `${folder}/${word}`))].flatMap(
        placesIn,
      );
    const here = places('.');
    const named = [...namedScripts(command), ...givenCode(command, isRun, isRead)];
    const found: (CodePlace | CodePattern)[] = named.flatMap(({ word, isShell }) =>
      places(word).map((path) => ({
        levels: [[path]],
        isShell,
        folders: [...new Set([...here, dirname(path)])],
      })),
    );
    const name = nameOf(command);
    found.push(...here.flatMap((folder) => buildFilesOf(name, folder)));
    found.push(...programsOf(command, here, commands, where));
    if (/^(?:python|pypy)/.test(name))
      found.push(...here.flatMap((folder) => modulesOf(codeOf(command), folder)));
    if (runsOpenly(command, isRead)) {
      found.push(...pathWords(where.text).flatMap((word) => openly(word, places(word), here)));
      for (const { root, pattern } of listed)
        for (const folder of places(root))
          found.push({ pattern: join(folder, pattern), below: true, isShell: true, folders: here });
    }
    return found;
  });
}

/** Returns where to look for a word that may name what is run, be it a path, a pattern or a folder of scripts. */
const openly = (
  word: string,
  paths: readonly string[],
  folders: readonly string[],
): (CodePlace | CodePattern)[] =>
  /[*?[]/.test(word)
    ? paths.map((pattern) => ({ pattern, below: word.includes('**'), isShell: true, folders }))
    : [
        {
          levels: [paths],
          isShell: true,
          folders: [...new Set([...folders, ...paths.map((path) => dirname(path))])],
          isOptional: !holdsCode(word) && !/^\.\.?\//.test(word),
        },
        // `ls scripts | while read x; do sh "scripts/$x"; done`
        ...(word.includes('/')
          ? paths.map((path) => ({
              pattern: join(path, '*'),
              below: false,
              isShell: true,
              folders,
            }))
          : []),
      ];

/** Tells whether which file a command runs is only known at run time: a wildcard, a variable, what another one lists. */
function runsOpenly(command: ShellCommand, isRead: boolean): boolean {
  const [called, ...rest] = command.words;
  const name = nameOf(command);
  const isOpen = (word: string | null | undefined) =>
    word === null || word?.includes('{}') === true;
  if (isOpen(called)) return true;
  if (runsShellFiles(name) || isInterpreter(name))
    return rest.some((word) => CODE.test(word ?? ''))
      ? false
      : isOpen(rest.find((word) => word === null || !/^[-+]/.test(word)));
  if (isRead && PASSES_ON.test(name)) return rest.includes(null);
  if (/^(?:xargs|parallel|rush)$/.test(name))
    return rest.some((word) => {
      const base = (word ?? '').slice((word ?? '').lastIndexOf('/') + 1);
      return word === null || SHELLS.has(base) || isInterpreter(base);
    });
  return OPEN_RUNNERS.test(name) || (isRunner(name) && rest.some(isOpen));
}

/** Programs that run every file of a folder they are given. */
const OPEN_RUNNERS = /^(?:run-parts|bats|prove)$/;

/** Returns the folders whose files a command lists, and the pattern of their names. */
function listedBy({ words }: ShellCommand): { root: string; pattern: string }[] {
  if (!/^(?:find|fd|fdfind)$/.test(words[0] ?? '')) return [];
  const end = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word ?? ''));
  const roots = words.slice(1, end < 0 ? undefined : end).filter((word) => word !== null);
  const name = words[words.indexOf('-name') + 1];
  const pattern = words.includes('-name') && name && !name.includes('/') ? name : '*';
  return (roots.length > 0 ? roots : ['.']).map((root) => ({ root, pattern }));
}

/** Returns where a program is found that a command calls by its name: by `PATH`, or among those of a package. */
function programsOf(
  command: ShellCommand,
  here: readonly string[],
  commands: readonly ShellCommand[],
  { path, home }: Surroundings,
): CodePlace[] {
  const name = nameOf(command);
  const [called, ...rest] = command.words;
  if (!called || called.includes('/') || /[\n\0]/.test(called)) return [];
  const found = (folders: readonly string[]): CodePlace => ({
    levels: folders.map((folder) => [join(folder, called)]),
    isShell: true,
    folders: here,
  });
  const set = commands.flatMap(({ assignments, words }) =>
    [...assignments, ...words].flatMap(
      (word) => /^PATH\+?=(.*)$/s.exec(word ?? '')?.[1]?.split(':') ?? [],
    ),
  );
  const own = set
    .map((folder) =>
      folder
        .replaceAll(/["']/g, '')
        .replace(/^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)/, '.')
        .replace(/^(?:\$HOME|\$\{HOME\})/, '~'),
    )
    .filter((folder) => !folder.includes('$'))
    .flatMap((folder) => here.map((at) => joinedPath(folder || '.', at, home)));
  const system = path.split(delimiter).filter((folder) => folder.startsWith('/'));
  const operand = RUNS_PACKAGES.test(name)
    ? rest.find((word) => word !== null && !/^-|^(?:exec|x|run|dlx|--)$/.test(word))
    : undefined;
  const packaged = operand
    ? here.map((folder) =>
        nearest(folder, [`node_modules/.bin/${operand}`, `.venv/bin/${operand}`]),
      )
    : [];
  return [
    ...(own.length > 0 ? [{ ...found(own), levels: [found(own).levels.flat()] }] : []),
    ...(system.length > 0 ? [found(system)] : []),
    ...packaged.map((place) => ({ ...place, isOptional: true })),
  ];
}

/** Programs that run one of the programs a package brings. */
const RUNS_PACKAGES = /^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun|uv|uvx|poetry|pipenv|pdm|hatch)$/;

/** Returns the code that a command gives to an interpreter by its words, `import x` at the start of lines. */
const codeOf = ({ words }: ShellCommand): string =>
  words
    .slice(1)
    .flatMap((word) => word?.split(';') ?? [])
    .join('\n');

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
    const path = (rest.includes('-m') && module?.replaceAll('.', '/')) || null;
    if (path) words.push(`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`);
    if (operand && !CODE.test(operand)) words.push(`${operand}/__main__.py`, `${operand}/index.js`);
  }
  if (isShell || isInterpreter(name)) words.push(...atHome(command));
  // A text with line breaks is code itself.
  return [...own, ...words.map((word) => ({ word, isShell }))].filter(
    ({ word }) => !/[\n\0]/.test(word),
  );
}

/** Programs that run a file they are given, besides shells, interpreters and those of build files. */
const RUNNERS =
  /^(?:uv|uvx|poetry|pipenv|pdm|hatch|rye|conda|pytest|nox|tox|coverage|torchrun|deno|bunx|ts-node|tsx|nodemon|electron|go|cargo|dotnet|sqlite3|psql|mysql|jq|sed|gdb|lldb|vim?)$/;

const isRunner = (name: string): boolean =>
  RUNNERS.test(name) || (runsBuildFile(name) && name !== 'git');

/** Tells whether a command runs what some file says. */
function runsCode(command: ShellCommand): boolean {
  const name = nameOf(command);
  const isOwn = command.words[0]?.includes('/') === true;
  return isOwn || isRunner(name) || runsShellFiles(name) || isInterpreter(name);
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
export function looksBeside({ words, text }: ShellCommand, folder: string): CodePlace[] {
  const runsFiles = words[0] === null || runsShellFiles(words[0] ?? '');
  if (!runsFiles || !words.includes(null)) return [];
  return [...text.matchAll(BEHIND_VALUE)].map(([, name = '']) => {
    const path = folder + name;
    return { levels: [[path]], isShell: true, folders: [folder, dirname(path)] };
  });
}
