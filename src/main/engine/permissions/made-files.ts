import { writeUse } from './file-commands';
import type { ShellCommand } from './request';
import { filesOfCode, isInterpreter } from './shell-analysis/interpreters';
import { variableRisk } from './shell-analysis/variables';
import { baseOf, type Hidden, isVouchedFor, nameOf } from './shell-hiding';
import type { ShellContext } from './shell-paths';

/** Programs that leave what they are given as it is, so that a file made before may be given to them. */
const TAKES_DATA = new Set(
  (
    'git gh glab curl wget tar bsdtar zip unzip gzip gunzip bzip2 xz scp sftp rsync kubectl docker podman aws gcloud az heroku prettier biome eslint stylelint tsc markdownlint black ruff isort ' +
    'flake8 mypy pylint gofmt goimports rustfmt clang-format shellcheck shfmt yamllint hadolint jq yq xmllint open xdg-open code less more pandoc convert magick ffmpeg dot sha256sum md5sum ' +
    'export local declare typeset readonly unset set shift return exit break continue trap wait kill jobs fg bg disown umask ulimit getopts let read mapfile readarray printf echo true false : ' +
    'test [ [[ cd pushd popd pwd type hash alias unalias shopt function sudo-edit crontab ssh-keygen openssl'
  ).split(' '),
);
/** Writers that leave no content of the line behind. */
const MAKES_NOTHING = /^(?:touch|mkdir|rm|rmdir|chmod|chown|chgrp|unlink|shred|mkfifo|mknod|find)$/;

/** Files that programs of projects run or load without being told to. */
const RUN_BY_NAME =
  /^(?:[Mm]akefile|GNUmakefile|.*\.mk|package\.json|conftest\.py|setup\.py|setup\.cfg|pyproject\.toml|pytest\.ini|tox\.ini|noxfile\.py|tasks\.py|sitecustomize\.py|usercustomize\.py|__(?:init|main)__\.py|.*\.gradle(?:\.kts)?|gradle\.properties|pom\.xml|Cargo\.toml|build\.rs|Rakefile|Gemfile|[Jj]ustfile|Taskfile\.ya?ml|Dockerfile.*|(?:docker-)?compose.*\.ya?ml|CMakeLists\.txt|.*\.cmake|BUILD(?:\.bazel)?|WORKSPACE|configure|.*\.config\.[cm]?[jt]s(?:on)?|\.(?:eslint|babel|mocha|prettier|lintstaged)rc.*|[Gg]runtfile\.\w+|gulpfile\.\w+|.*\.(?:cs|fs|vb)proj|go\.mod|go\.work|\.env(?:rc)?|\.npmrc|index\.[cm]?[jt]s|test_.*\.py|.*_test\.(?:py|go)|.*\.(?:test|spec)\.[cm]?[jt]sx?|pre-commit|post-\w+|config)$/;

/** Finds a command that runs or loads a file which the same line makes: what is in it was not judged. */
export function runsWhatItMakes(shell: ShellContext): Hidden | null {
  const { commands } = shell.request.analysis;
  const made = commands.flatMap((by) => madeBy(by).map((file) => ({ by, file })));
  if (made.length === 0) return null;
  for (const [index, command] of commands.entries()) {
    // Of what a runner may start, only what surely runs a file counts.
    if (command.role === 'inner' && !startsFiles(command) && !loadsFiles(command)) continue;
    // What it starts is a command of the list that is looked at by itself.
    if (nameOf(command) === 'find') continue;
    const isRunner =
      loadsFiles(command) ||
      ((shell.request.touches[index]?.use ?? null) === null && !takesData(command));
    const runs =
      (isRunner && made.some(({ by, file }) => !isSame(by, command) && mayRun(command, file))) ||
      (setsVariables(command) &&
        made.some(({ file }) => isFoundByPath(command, file) || isNamedByVariable(command, file)));
    if (runs && !isVouchedFor(shell, command))
      return { command, why: 'it may run what the line itself writes' };
  }
  return null;
}

/** Commands that put a file under another name or in another folder. */
const COPIES = /^(?:cp|mv|ln|link|install|rsync|scp|dd)$/;
/** Subcommands of git that put committed files somewhere. */
const CHECKS_OUT = /^(?:worktree|clone|checkout-index)$/;
/** Commands that show no content of what they name. */
const SHOWS_NO_CONTENT =
  /^(?:ls|du|stat|wc|file|tree|test|\[\[?|echo|printf|cd|git|basename|dirname|realpath|readlink|(?:sha\d*|md5|ck)sum|touch|mkdir|rm|rmdir|ch(?:mod|own|grp)|find|cp|mv|ln|npm|pnpm|yarn)$/;

/** Finds a command that shows what the same line copies from a place only known at run time. */
export function readsWhatItCopies(shell: ShellContext): Hidden | null {
  const { commands } = shell.request.analysis;
  const copies = commands.flatMap((by) => copiedBy(by).map((name) => ({ by, name })));
  if (copies.length === 0) return null;
  for (const command of commands) {
    if (SHOWS_NO_CONTENT.test(nameOf(command))) continue;
    const named = [...command.words.slice(1), ...command.reads].flatMap(
      (word) => word?.split('/') ?? [],
    );
    if (copies.some(({ by, name }) => !isSame(by, command) && named.includes(name)))
      return { command, why: 'it may read what the line itself copies' };
  }
  return null;
}

/** Finds a command that goes through a symbolic link which the same line makes: where that leads was not there to be looked up. */
export function followsWhatItLinks(shell: ShellContext): Hidden | null {
  const { commands } = shell.request.analysis;
  const links = commands.flatMap((by) => linkedBy(by).map((name) => ({ by, name })));
  for (const command of links.length > 0 ? commands : []) {
    const isMove = /^(?:cd|pushd|git|tar|env)$/.test(nameOf(command));
    const goes = links.some(({ by, name }) =>
      [...command.words, ...command.reads, ...command.writes].some((word) => {
        const at = isSame(by, command) ? -1 : (word?.split('/').indexOf(name) ?? -1);
        return at >= 0 && (isMove || word?.split('/')[at + 1] !== undefined);
      }),
    );
    if (goes) return { command, why: 'it goes through a link that the line itself makes' };
  }
  return null;
}

/** Returns the names of the symbolic links that a command makes. */
function linkedBy({ words }: ShellCommand): string[] {
  const at = words.findIndex((word) => baseOf(word ?? '') === 'ln');
  const rest = words.slice(at + 1);
  if (at < 0 || !rest.some((word) => /^(?:-\w*s|--sym)/.test(word ?? ''))) return [];
  const names = rest.flatMap((word) => (word === null || word.startsWith('-') ? [] : baseOf(word)));
  return names.filter((name) => !/^\.{0,2}$/.test(name));
}

/** Returns the names that a command gives to files which its words do not name. */
function copiedBy({ words }: ShellCommand): string[] {
  const at = words.findIndex((word) => COPIES.test(baseOf(word ?? '')));
  const isGit =
    baseOf(words[0] ?? '') === 'git' && words.some((word) => CHECKS_OUT.test(word ?? ''));
  const isOpen = at > 0 || (at === 0 && words.includes(null));
  if (!isGit && !isOpen) return [];
  return words.slice(Math.max(at, 0) + 1).flatMap((word) => {
    const name = baseOf((word ?? '').replace(/^--?\w*=?/, '').replace(/\/+$/, ''));
    return /^\.{0,2}$/.test(name) ? [] : [name];
  });
}

/** Tells whether two commands are one: a runner lists what stands behind it once more (`sudo install x`). */
const isSame = (one: ShellCommand, other: ShellCommand): boolean =>
  one === other ||
  (one.start === other.start && (one.text.endsWith(other.text) || other.text.endsWith(one.text)));

/** Words by which git takes programs, settings or hooks from a file or folder that the line names. */
const GIT_SETTINGS = /^(?:-c|config|--config.*|--template.*|--exec-path.*|--upload-pack.*)$/;

function takesData(command: ShellCommand): boolean {
  const name = nameOf(command);
  if (command.words.length === 0) return true;
  if (/^(?:npx|bunx|pnpx)$/.test(name) || command.words[1] === 'exec')
    return command.words.slice(1, 4).some((word) => TAKES_DATA.has(word ?? '') && word !== 'git');
  const isSet = name === 'git' && command.words.some((word) => GIT_SETTINGS.test(word ?? ''));
  return TAKES_DATA.has(name) && !isSet;
}

/** Returns the files a command makes with content of its own; null for one only known at run time. */
function madeBy(command: ShellCommand): (string | null)[] {
  const files: (string | null)[] = command.writes.filter(
    (file) => file === null || !file.startsWith('/dev/'),
  );
  const name = nameOf(command);
  if (/^(?:split|csplit)$/.test(name)) files.push(null);
  const option = /^(?:-o|-O|-out|--out|--output|--outfile|--output-document)$/;
  if (/^(?:curl|wget|openssl|base64|xxd|vim|ex|ed|ftp|awk|gawk|mawk|perl|script)$/.test(name))
    files.push(...producedBy(command, option));
  if (WRITES_AS_TOLD.test(name)) files.push(...namedIn(command));
  const computes = /awk$/.test(name) && /\bprint[^;}]*>>?\s*[A-Za-z(]/.test(command.text);
  if (computes || takesPatch(command)) files.push(null);
  const use = MAKES_NOTHING.test(name) ? null : writeUse(command);
  const isCopied = (word: string) => !(name === 'sed' && /^s\W/.test(word));
  files.push(
    ...(use?.writes ?? [])
      .filter(({ word }) => isCopied(word))
      .map(({ word, glob }) => (glob ? null : word)),
  );
  return files.map((file) => (file !== null && /[*?[]/.test(file) ? null : file));
}

/** Programs that write to an operand, or as their own language says: any name in their words may be one. */
const WRITES_AS_TOLD =
  /^(?:g?sed|[gmn]?awk|perl|ed|ex|vim?|nvim|scp|iconv|uniq|shuf|xxd|patch|rename|prename|mmv|link|jq|sqlite3|curl|wget)$/;

/** Returns every name in the words of a command that writes where its words say. */
function namedIn({ words, text }: ShellCommand): string[] {
  const [program, ...rest] = words;
  const isScript = /^(?:g?sed|[gmn]?awk|perl|sqlite3)$/.test(baseOf(program ?? ''));
  // A program without a sign of writing leaves its operands as they are.
  if (isScript && !/>|\bw|-[a-zA-Z]*i|writefile|once|output/.test(text)) return [];
  const parts = rest.flatMap((word) => (word ?? '').split(/[\s"'`()<>|;,=]+/));
  // `w file` of sed needs no blank.
  return [...parts, ...parts.flatMap((part) => /w(.+)$/.exec(part)?.[1] ?? [])].filter(
    (part) => part !== '',
  );
}

/** Tells whether a command changes files that only its input names. */
function takesPatch({ words, reads }: ShellCommand): boolean {
  const name = baseOf(words[0] ?? '');
  const isEditor = /^(?:ed|ex)$/.test(name);
  if (!isEditor && name !== 'patch' && !(name === 'git' && /^(?:apply|am)$/.test(words[1] ?? '')))
    return false;
  const from = name === 'git' ? 2 : 1;
  const given = words.slice(from).filter((word) => word === null || !word.startsWith('-'));
  const isNamed = name === 'patch' ? /^(?:-i|--input)/m.test(words.join('\n')) : given.length > 0;
  return reads.length === 0 && (isEditor || !isNamed);
}

function producedBy({ words }: ShellCommand, option: RegExp): (string | null)[] {
  return words.flatMap((word, at) => {
    if (at === 0 || word === null) return [];
    if (option.test(words[at - 1] ?? '')) return [word];
    const attached = /^(?:-[oO]|--out[a-z-]*=)(.+)$/.exec(word)?.[1];
    if (attached !== undefined) return [attached];
    // `curl -O https://x/y.sh` is named by the address.
    return /^https?:\/\//.test(word) ? [baseOf(word)] : [];
  });
}

/** Endings of files that are run under the name without it, as a module or by an interpreter that adds it. */
export const CODE =
  /\.(?:py|pyc|[cm]?[jt]sx?|rb|pl|pm|php|lua|sh|jar|class|go|rs|exe|cmd|bat|ps1|awk|tcl|node)$/;

const withoutEnding = (name: string): string => name.replace(/(?<=.)\.\w+$/, '');

/** Tells whether a command may run or load a file: it names it, or a folder that holds it, or runs what is called so. */
function mayRun(command: ShellCommand, file: string | null): boolean {
  const name = nameOf(command);
  const targets = targetsOf(command);
  const isOpen = command.words.includes(null);
  const only = filesOfCode(name, command.words);
  if (only !== null && !RUN_BY_NAME.test(baseOf(file ?? '')))
    return (
      file !== null &&
      [...only, ...command.reads].some((word) => baseOf(word ?? '') === baseOf(file))
    );
  if (file === null) return startsFiles(command) && (targets.length > 0 || isOpen);
  const made = baseOf(file.replace(/\/+$/, ''));
  const folders = file.split('/').slice(0, -1);
  if (RUN_BY_NAME.test(made) && name !== '') return true;
  if (isImported(command, made)) return true;
  // `-sfq`: the last of several letters takes the rest.
  if (command.words.some((word) => /^-\w/.test(word ?? '') && word?.endsWith(made))) return true;
  if (isOpen && (STARTS_FILES.test(name) || wordIn(command.text, made))) return true;
  return targets.some((target) => {
    const parts = target.split('/').filter((part) => part !== '' && part !== '.');
    const last = parts.at(-1) ?? '';
    return (
      parts.includes(made) ||
      (CODE.test(made) && withoutEnding(made) === last.split('.')[0]) ||
      (last !== '' && last !== '..' && folders.includes(last))
    );
  });
}

/** Tells whether Python or Node may load a made file as a module: by its name, or in place of one of their own. */
function isImported(command: ShellCommand, made: string): boolean {
  if (!CODE.test(made) || !isInterpreter(nameOf(command))) return false;
  const stem = withoutEnding(made);
  const isPython = /^(?:python|pypy)/.test(nameOf(command)) && /\.pyc?$/.test(made);
  // With `-m` and `-c` the folder it runs in comes first when modules are looked for.
  if (isPython && command.words.some((word) => /^-[a-zA-Z]*[mc]/.test(word ?? ''))) return true;
  return command.words.some((word) => word !== null && wordIn(word, stem));
}

/** Shells and interpreters, which run the file they are given. */
const STARTS_FILES =
  /^(?:\.|source|eval|exec|env|(?:ba|da|z|k|mk|a)?sh|(?:python|perl|ruby|node|php|lua)[\d.]*|)$/;

/** Programs that load a file they are given by an option. */
const loadsFiles = (command: ShellCommand): boolean =>
  isInterpreter(nameOf(command)) || nameOf(command) === 'xargs';

const startsFiles = (command: ShellCommand): boolean =>
  STARTS_FILES.test(nameOf(command)) || command.words[0]?.includes('/') === true;

const wordIn = (text: string, word: string): boolean =>
  text.split(/[^\w.-]+/).some((part) => part === word);

/** Options of `xargs` whose value is a file of arguments; what it starts is listed by itself. */
const ARGUMENTS = /^(?:-a|--arg-file)$/;

/** Returns the texts of a command that may name a file it runs. */
function targetsOf({ words, reads }: ShellCommand): string[] {
  const [name, ...rest] =
    words[0] === 'xargs'
      ? words.filter((_, at) => at === 0 || ARGUMENTS.test(words[at - 1] ?? ''))
      : words;
  const path = name?.includes('/') ? [name] : [];
  const named = rest.flatMap((word) => {
    if (word === null) return [];
    const attached = /^(?:--?[\w-]+=|[\w.-]+=|-\w|@)([^=].*)$/s.exec(word)?.[1];
    return word.startsWith('-') || attached !== undefined ? (attached ?? []) : word;
  });
  return [...path, ...named, ...reads.filter((file) => file !== null)];
}

const setsVariables = ({ assignments, words }: ShellCommand): boolean =>
  assignments.length > 0 || words.some((word) => word?.includes('='));

/** Tells whether a variable that programs load files by names a made file, or its folder. */
function isNamedByVariable(command: ShellCommand, file: string | null): boolean {
  if (file === null) return false;
  const folders = file.split('/').slice(0, -1);
  const names = new Set([baseOf(file), ...folders].filter((name) => name !== '' && name !== '.'));
  return [...command.assignments, ...command.words].some((text) => {
    const [, variable = '', value = ''] = /^(\w+)\+?=(.*)$/s.exec(text ?? '') ?? [];
    const isLoading = /^XDG_/.test(variable) || variableRisk(`${variable}=`) === 'dangerous';
    return isLoading && value.split(/[:/\s"']+/).some((part) => names.has(part));
  });
}

/** Tells whether a command sets `PATH` so that a made file is found as a program. */
function isFoundByPath(command: ShellCommand, file: string | null): boolean {
  const paths = [...command.assignments, ...command.words].flatMap(
    (text) => /^PATH\+?=(.*)$/s.exec(text ?? '')?.[1] ?? [],
  );
  return paths.some((list) => {
    const parts = list.split(/[:/"']+/);
    if (file === null) return true;
    const folders = file.split('/').slice(0, -1);
    const folder = folders.at(-1) ?? '.';
    const isHere = folder === '.' || folder === '';
    return (
      parts.includes(isHere ? '.' : folder) ||
      parts.includes(baseOf(file)) ||
      (isHere && /\$PWD|\$\{PWD\}|\$\(pwd\)|^:|::|:$/.test(list))
    );
  });
}
