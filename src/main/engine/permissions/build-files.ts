import { basename, dirname, join } from 'node:path';
import { CODE } from './made-files';

/** A place to look for files that are run as code: the first level that holds any counts, and all of it. */
export interface CodePlace {
  readonly levels: readonly (readonly string[])[];
  /** A shell may run it, so that what it names may be run in turn. */
  readonly isShell: boolean;
  /** The folders it may run in: where relative names in it may begin. Empty: the folder it is in. */
  readonly folders: readonly string[];
  /** Tells that a missing file is not expected to appear. */
  readonly isOptional?: boolean;
}

/** A pattern that means files that are run as code. */
export interface CodePattern {
  /** Absolute. */
  readonly pattern: string;
  /** Its last part counts in every folder below. */
  readonly below: boolean;
  readonly isShell: boolean;
  readonly folders: readonly string[];
}

const PACKAGE = ['package.json'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const GRADLE = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
const PYTEST = ['conftest.py', 'pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg'];

/** Programs that run what a file of the folder, or of one above, says, by the names of that file. */
const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: PACKAGE,
  npx: PACKAGE,
  pnpm: PACKAGE,
  pnpx: PACKAGE,
  yarn: PACKAGE,
  bun: PACKAGE,
  bunx: PACKAGE,
  composer: ['composer.json'],
  deno: ['deno.json', 'deno.jsonc'],
  make: MAKEFILES,
  gmake: MAKEFILES,
  cmake: ['CMakeLists.txt'],
  ninja: ['build.ninja'],
  scons: ['SConstruct'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  bundle: ['Gemfile'],
  thor: ['Thorfile'],
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: ['pom.xml'],
  mvnw: ['pom.xml'],
  ant: ['build.xml'],
  sbt: ['build.sbt'],
  mix: ['mix.exs'],
  cargo: ['Cargo.toml', 'build.rs'],
  tox: ['tox.ini', 'setup.cfg', 'pyproject.toml'],
  nox: ['noxfile.py'],
  pytest: PYTEST,
  'py.test': PYTEST,
  poetry: ['pyproject.toml'],
  hatch: ['pyproject.toml'],
  pdm: ['pyproject.toml'],
  uv: ['pyproject.toml'],
  invoke: ['tasks.py'],
  inv: ['tasks.py'],
  fab: ['fabfile.py'],
  docker: ['Dockerfile', ...COMPOSE],
  podman: ['Dockerfile', 'Containerfile', ...COMPOSE],
  'docker-compose': COMPOSE,
  vagrant: ['Vagrantfile'],
  direnv: ['.envrc'],
  mise: ['mise.toml', '.mise.toml'],
  foreman: ['Procfile'],
  honcho: ['Procfile'],
  overmind: ['Procfile'],
  'pre-commit': ['.pre-commit-config.yaml'],
  lefthook: ['lefthook.yml'],
  git: [
    '.git/config',
    ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push', 'pre-rebase']
      .concat(
        'post-checkout',
        'post-merge',
        'post-rewrite',
        'pre-merge-commit',
        'reference-transaction',
      )
      .flatMap((hook) => [`.git/hooks/${hook}`, `.husky/${hook}`]),
  ],
};

const NAMES = new Set(
  Object.values(BUILD_FILES)
    .flat()
    .filter((name) => !name.includes('/')),
);

/** Tells whether a program runs what files of the folder say. */
export const runsBuildFile = (program: string): boolean => Object.hasOwn(BUILD_FILES, program);

/** Returns the places of the files that a program reads when it runs in `folder`. */
export const buildFilesOf = (program: string, folder: string): CodePlace[] =>
  runsBuildFile(program) ? [nearest(folder, BUILD_FILES[program] ?? [])] : [];

/** Tells whether a file says what programs such as `make` run. */
export const isBuildFile = (file: string): boolean =>
  NAMES.has(basename(file)) || file.endsWith('.mk');

/** Folders above that are looked at. */
const MAX_ABOVE = 12;

/** Returns the place of files that a program looks for in a folder, then in the one above, and so on. */
export function nearest(folder: string, names: readonly string[]): CodePlace {
  const levels: string[][] = [];
  for (let at = folder; levels.length < MAX_ABOVE; at = dirname(at)) {
    levels.push(names.map((name) => join(at, name)));
    if (dirname(at) === at) break;
  }
  return { levels, isShell: true, folders: [] };
}

/** Endings and names of files that hold code, besides {@link CODE}. */
const MORE_CODE =
  /\.(?:bash|zsh|ksh|fish|sql|mk|sed|jq|gdb|vim|r|jl|exp|kts?|groovy|bats)$|(?:^|\/)(?:makefile|justfile|rakefile)$/i;

/** Tells whether a word names a file of code by its ending. */
export const holdsCode = (word: string): boolean => CODE.test(word) || MORE_CODE.test(word);

/** More words of one text are not looked at. */
const MAX_WORDS = 400;

/** Returns the words of a text that may be paths or patterns, braces taken apart. */
export function pathWords(text: string): string[] {
  const words = new Set<string>();
  for (const [word] of text.matchAll(/[\w./*?[\]{},~+@%-]+/g)) {
    for (const one of withoutBraces(word.replace(/^[,@+]+|[,]+$/g, ''))) words.add(one);
    if (words.size > MAX_WORDS) break;
  }
  return [...words].filter((word) => /[\w*?]/.test(word) && !word.startsWith('-'));
}

/** Returns the words that `a{b,c}` stands for; words with more braces as they are. */
function withoutBraces(word: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(word) ?? [];
  return inside === undefined ? [word] : inside.split(',').map((one) => before + one + after);
}

/** The words before a file that is run: a shell or an interpreter, with its options. */
const RUN_WORD =
  /(?:^|[\s"'`;|&(@])(?:\.|source|(?:ba|da|z|k)?sh|node|deno run|tsx|ts-node|python[\d.]*|ruby|perl|php|include|-include|load|import)\s+(?:-\S+\s+)*["']?([\w./-]+)/gm;
/** Folders that a text goes to. */
const FOLDER_WORD = /(?:\bcd|\s-C|--prefix|--directory|--cwd)[=\s]+["']?([\w./-]+)/g;

/** Returns the places of files that a build file names as what is run, and of the programs its scripts may find. */
export function codeNamedIn(file: string, text: string, folders: readonly string[]): CodePlace[] {
  const own = [...new Set([...folders, dirname(file)])];
  const went = [...text.matchAll(FOLDER_WORD)].flatMap(([, to = '']) =>
    own.map((at) => join(at, to)),
  );
  const bases = [...new Set([...own, ...went])].slice(0, MAX_ABOVE);
  const named = pathWords(text).filter(
    (word) => !/[*?[{}~%]/.test(word) && (/^\.\.?\//.test(word) || holdsCode(word)),
  );
  const run = [...text.matchAll(RUN_WORD)].flatMap(([, word = '']) => word);
  const words = [...new Set([...named, ...run])].slice(0, MAX_WORDS);
  const isPackage = basename(file) === 'package.json';
  const programs = isPackage ? [...new Set(text.match(/[\w@.-]+/g))].slice(0, MAX_WORDS) : [];
  return [
    ...words.map((word) => ({
      levels: [bases.map((base) => join(base, word))],
      isShell: true,
      folders: bases,
      isOptional: !/^\.\.?\//.test(word),
    })),
    ...went.map((folder) => ({
      levels: [[...MAKEFILES, ...PACKAGE].map((name) => join(folder, name))],
      isShell: true,
      folders: [folder],
      isOptional: true,
    })),
    ...programs.map((name) => ({
      ...nearest(dirname(file), [`node_modules/.bin/${name}`]),
      isOptional: true,
    })),
  ];
}

/** Folders of packages, whose own files are not followed. */
const PACKAGES = /\/(?:node_modules|site-packages|dist-packages|vendor)\//;

/** Returns the places of the files that a file of Python or JavaScript loads by names of its own project. */
export function importsOf(file: string, text: string): CodePlace[] {
  if (PACKAGES.test(file) || text.includes('\0')) return [];
  const [start = ''] = text.split('\n', 1);
  if (/\.[cm]?[jt]sx?$/.test(file) || /^#!.*\b(?:node|deno|bun|tsx)\b/.test(start))
    return [...text.matchAll(LOADS)].map(([, name = '']) => loaded(join(dirname(file), name)));
  if (file.endsWith('.py') || /^#!.*\bpython/.test(start)) return modulesOf(text, dirname(file));
  return [];
}

/** `from './x'`, `import './x'`, `require('./x')`. */
const LOADS = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`](\.{1,2}\/[^'"`\n]+)['"`]/g;
const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx', '.json', '.node'];

function loaded(path: string): CodePlace {
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const ended = ENDINGS.map((ending) => path + ending);
  const inside = ['index.js', 'index.ts', 'index.mjs'].map((name) => join(path, name));
  const levels = [path, ...(typed === path ? [] : [typed]), ...ended, ...inside].map((one) => [
    one,
  ]);
  return { levels, isShell: false, folders: [] };
}

const MODULES =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w, \t]+)|import[ \t]+([\w., \t]+))/gm;

/** Returns the places of Python modules that lie beside the code in `folder` which loads them. */
export function modulesOf(text: string, folder: string): CodePlace[] {
  return [...text.matchAll(MODULES)].flatMap(([, from, names = '', plain = '']) => {
    const listed = (list: string) => list.split(',').map((one) => one.trim().split(/\s/)[0] ?? '');
    const modules =
      from === undefined
        ? listed(plain)
        : [
            from,
            ...listed(names).map((one) => (from.endsWith('.') ? from + one : `${from}.${one}`)),
          ];
    return modules.flatMap((module) => {
      const [, dots = '', name = ''] = /^(\.*)(.*)$/.exec(module) ?? [];
      const base = join(
        folder,
        ...Array.from({ length: Math.max(0, dots.length - 1) }, () => '..'),
      );
      const parts = name.split('.').filter((part) => part !== '');
      return parts.map((_, at): CodePlace => {
        const path = join(base, ...parts.slice(0, at + 1));
        const levels = [[`${path}.py`, join(path, '__init__.py')]];
        return { levels, isShell: false, folders: [], isOptional: at > 0 };
      });
    });
  });
}
