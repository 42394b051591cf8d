import { writeUse } from './file-commands';
import type { Hiding, ShellCommand, TrackedFiles } from './request';
import { allowsCommand, fileMatcher, mayCoverBelow } from './rule-match';
import { coversTool, type ParsedRule } from './rules';
import { isInterpreter } from './shell-analysis/interpreters';
import { isMessage, NAMES_THINGS } from './shell-analysis/launchers';
import type { ShellContext } from './shell-paths';

/** A command that may do, unseen, what a rule restricts. */
export interface Hidden {
  readonly command: ShellCommand;
  readonly why: string;
}

/**
 * Finds a command of a line that may do what a deny or ask rule restricts without showing it: what no analysis can know is
 * asked, in every mode, unless an allow rule names the program. Null when there is none. `ownMakings` is what
 * {@link runsWhatItMakes} found, which is the same for every rule.
 */
export function hiddenFrom(
  shell: ShellContext,
  rule: ParsedRule,
  ownMakings: Hidden | null,
): Hidden | null {
  const isBash = rule.tool === 'Bash';
  if (!isBash && !/^(?:Read|Edit|Write)$/.test(rule.tool)) return null;
  const found = hiddenIn(shell, rule, isBash) ?? ownMakings;
  if (found) return found;
  return isBash ? mentioned(shell, rule) : null;
}

function hiddenIn(shell: ShellContext, rule: ParsedRule, isBash: boolean): Hidden | null {
  for (const command of shell.request.analysis.commands) {
    for (const { what, why } of command.hides ?? [])
      if (concerns(shell, rule, isBash, what) && !isVouchedFor(shell, command))
        return { command, why };
  }
  return null;
}

function concerns(
  shell: ShellContext,
  rule: ParsedRule,
  isBash: boolean,
  what: Hiding['what'],
): boolean {
  if (what === 'runs') return true;
  if (isBash) return false;
  if (what === 'reads') return true;
  const { project, cwd } = shell.context;
  const { tracked } = shell.request;
  if (what === 'printsTracked' && tracked !== undefined)
    return rule.tool === 'Read' && coversTracked(shell, rule, tracked);
  return (
    rule.tool === 'Read' &&
    [project, cwd].some((folder) => mayCoverBelow(rule, folder, shell.context))
  );
}

/** More tracked files are not compared with a rule that may mean any name. */
const MAX_COMPARED = 20_000;

function coversTracked(
  shell: ShellContext,
  rule: ParsedRule,
  { root, names }: TrackedFiles,
): boolean {
  const last =
    rule.specifier
      ?.replace(/\/(?:\*\*)?$/, '')
      .split('/')
      .at(-1) ?? '';
  const literal = /[*?[\\]/.test(last) || shell.context.caseInsensitive ? '' : last;
  const candidates = literal === '' ? names : names.filter((name) => name.includes(literal));
  const covers = fileMatcher(rule, shell.context);
  return (
    candidates.length > MAX_COMPARED || candidates.some((name) => covers(`${root}/${name}`, false))
  );
}

/** An allow rule that names a program allows what that runs. */
const isVouchedFor = (shell: ShellContext, command: ShellCommand): boolean =>
  shell.rules.some(
    (rule) =>
      rule.rule.behavior === 'allow' &&
      rule.specifier !== null &&
      coversTool(rule.tool, shell.request.tool) &&
      allowsCommand(rule, command) !== 'none',
  );

const baseOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

const nameOf = ({ words }: ShellCommand): string => baseOf(words[0] ?? '');

/**
 * Finds a command that names the program of a rule in a place where it may be started: behind a launcher nobody knows, or in
 * an option.
 */
function mentioned(shell: ShellContext, rule: ParsedRule): Hidden | null {
  const [pattern] = rule.patterns;
  const literal = pattern === undefined ? '' : literalOf(pattern);
  const names = literal.trim().split(/\s+/);
  const [first = ''] = names;
  if (first.length < 2) return null;
  let expression: RegExp | null = null;
  for (const [index, command] of shell.request.analysis.commands.entries()) {
    if (command.role === 'inner' || !command.text.includes(baseOf(first))) continue;
    const use = shell.request.touches[index]?.use ?? null;
    if (use === 'reads' && command.writes.length === 0) continue;
    const name = nameOf(command);
    const isNaming = NAMES_THINGS.has(name);
    expression ??= mention(names);
    const found = command.words.some((word, at) => {
      if (at === 0 || word === null || !expression?.test(word)) return false;
      if (isMessage(command.words, at)) return false;
      return !isNaming || !/^[\w./@:+-]+$/.test(word);
    });
    if (found && !isVouchedFor(shell, command)) return { command, why: `it may start ${first}` };
  }
  return null;
}

/** Returns the text a pattern begins with, up to its first star. */
function literalOf(pattern: readonly (string | null)[]): string {
  const star = pattern.indexOf(null);
  return (star < 0 ? pattern : pattern.slice(0, star)).join('');
}

/** A program name as it may stand in a word: by itself, with its folder, behind the letter of an option. */
function mention(names: readonly string[]): RegExp {
  const escaped = names.map((name) => baseOf(name).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?:^-\\w|^|[^\\w.-])${escaped.join('[^\\w]+')}(?![\\w/.=-])`);
}

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
  /^(?:[Mm]akefile|GNUmakefile|.*\.mk|package\.json|conftest\.py|setup\.py|setup\.cfg|pyproject\.toml|pytest\.ini|tox\.ini|noxfile\.py|tasks\.py|sitecustomize\.py|usercustomize\.py|__(?:init|main)__\.py|.*\.gradle(?:\.kts)?|gradle\.properties|pom\.xml|Cargo\.toml|build\.rs|Rakefile|Gemfile|[Jj]ustfile|Taskfile\.ya?ml|Dockerfile.*|(?:docker-)?compose.*\.ya?ml|CMakeLists\.txt|.*\.cmake|BUILD(?:\.bazel)?|WORKSPACE|configure|.*\.config\.[cm]?[jt]s(?:on)?|\.(?:eslint|babel|mocha|prettier|lintstaged)rc.*|[Gg]runtfile\.\w+|gulpfile\.\w+|.*\.(?:cs|fs|vb)proj|go\.mod|go\.work|\.env(?:rc)?|\.npmrc|index\.[cm]?[jt]s|pre-commit|post-\w+|config)$/;

/** Finds a command that runs or loads a file which the same line makes: what is in it was not judged. */
export function runsWhatItMakes(shell: ShellContext): Hidden | null {
  const { commands } = shell.request.analysis;
  const made = commands.flatMap((by) => madeBy(by).map((file) => ({ by, file })));
  if (made.length === 0) return null;
  for (const [index, command] of commands.entries()) {
    // Of what a runner may start, only what surely runs a file counts.
    if (command.role === 'inner' && !startsFiles(command) && !loadsFiles(command)) continue;
    const isRunner =
      loadsFiles(command) ||
      ((shell.request.touches[index]?.use ?? null) === null && !takesData(command));
    const runs =
      (isRunner && made.some(({ by, file }) => !isSame(by, command) && mayRun(command, file))) ||
      made.some(({ file }) => isFoundByPath(command, file));
    if (runs && !isVouchedFor(shell, command))
      return { command, why: 'it may run what the line itself writes' };
  }
  return null;
}

/** Tells whether two commands are one: a runner lists what stands behind it once more (`sudo install x`). */
const isSame = (one: ShellCommand, other: ShellCommand): boolean =>
  one === other ||
  (one.start === other.start && (one.text.endsWith(other.text) || other.text.endsWith(one.text)));

function takesData(command: ShellCommand): boolean {
  const name = nameOf(command);
  if (command.words.length === 0) return true;
  if (/^(?:npx|bunx|pnpx)$/.test(name) || command.words[1] === 'exec')
    return command.words.slice(1, 4).some((word) => TAKES_DATA.has(word ?? '') && word !== 'git');
  return TAKES_DATA.has(name) && !(name === 'git' && command.words.some((word) => word === '-c'));
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
  const use = MAKES_NOTHING.test(name) ? null : writeUse(command);
  const isCopied = (word: string) => !(name === 'sed' && /^s\W/.test(word));
  files.push(
    ...(use?.writes ?? [])
      .filter(({ word }) => isCopied(word))
      .map(({ word, glob }) => (glob ? null : word)),
  );
  return files.map((file) => (file !== null && /[*?[]/.test(file) ? null : file));
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
  if (file === null) return startsFiles(command) && (targets.length > 0 || isOpen);
  const made = baseOf(file.replace(/\/+$/, ''));
  const folders = file.split('/').slice(0, -1);
  if (RUN_BY_NAME.test(made) && name !== '') return true;
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
    const attached = /^(?:--?[\w-]+=|-\w|@)([^=].*)$/s.exec(word)?.[1];
    return word.startsWith('-') || attached !== undefined ? (attached ?? []) : word;
  });
  return [...path, ...named, ...reads.filter((file) => file !== null)];
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
