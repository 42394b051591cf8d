import path from 'node:path';
import type { PermissionRule } from '../../../shared/permission';
import { climbs, composed, joinedPath, pathsStoodFor, relativeInside } from './paths';
import {
  coversPath,
  matchesPath,
  matchesWildcard,
  mayOverlap,
  type PathPattern,
  parsePathPattern,
  parseWildcard,
  type Wildcard,
} from './patterns';
import type { DecisionContext, ShellCommand } from './request';
import type { ParsedRule } from './rules';
import { variableRisk } from './shell-analysis/variables';

/**
 * The fit of a Bash rule to a command: not at all, by a pattern, word for word, or as a rule for
 * every command.
 */
export type BashMatch = 'none' | 'pattern' | 'exact' | 'whole';

/**
 * Tells whether an allow rule fits a command, its assignments included unless they are harmless.
 */
export function allowsCommand(rule: ParsedRule, command: ShellCommand): BashMatch {
  if (rule.specifier === null) return 'whole';
  const { patterns } = rule;
  const fits = (text: string) => patterns.some((pattern) => matchesWildcard(pattern, text));
  if (!allowableTexts(command).some(fits)) return 'none';
  return patterns.some((pattern) => pattern.includes(null)) ? 'pattern' : 'exact';
}

/** Returns the texts by which an allow rule may name a command. */
export function allowableTexts(command: ShellCommand): string[] {
  const assignments = command.assignments.filter((text) => variableRisk(text) !== 'harmless');
  const texts = command.words.length === 0 ? [command.text] : [command.text, ...plainly(command)];
  return texts.map((text) => [...assignments, text].join(' ').trim());
}

/** Returns the command without needless quotes; empty when a word means something to a shell. */
const plainly = ({ words }: ShellCommand): string[] =>
  words.every((word) => word !== null && /^[\w./:@=+,-]+$/.test(word)) ? [words.join(' ')] : [];

/** The ways to write the same command. */
export interface Spellings {
  readonly texts: readonly string[];
  /** The command with `*` for everything only known at run time; null when all of it is known. */
  readonly open: Wildcard | null;
}

/**
 * Returns the ways to write a command, so that quoting, paths and git's global options do not dodge
 * a deny or ask rule.
 */
export const spellingsOf = (command: ShellCommand, ignoreCase: boolean): Spellings => ({
  texts: [...new Set(spelledTexts(command, ignoreCase))],
  open: command.words.includes(null) ? openSpelling(command) : null,
});

/**
 * Tells whether a deny or ask rule fits: yes, perhaps (a part is only known at run time), or no.
 */
export function restrictsCommand(
  { specifier, patterns }: ParsedRule,
  { texts, open }: Spellings,
): 'yes' | 'perhaps' | 'no' {
  if (specifier === null) return 'yes';
  if (texts.some((text) => patterns.some((pattern) => matchesWildcard(pattern, text))))
    return 'yes';
  return open && patterns.some((pattern) => mayOverlap(pattern, open)) ? 'perhaps' : 'no';
}

function spelledTexts(command: ShellCommand, ignoreCase: boolean): string[] {
  const words = command.words.map((word, i) => word ?? command.globs?.[i] ?? '$?');
  const [name = '', ...rest] = words;
  const base = path.posix.basename(name);
  const plain = [base, ...rest];
  const forms = [command.text, words.join(' '), plain.join(' ')];
  if (command.assignments.length > 0) forms.push([...command.assignments, command.text].join(' '));
  if (base === 'git') {
    const own = withoutGitOptions(rest).join(' ');
    forms.push(`git ${own}`.trimEnd(), `git-${own}`);
  }
  // Programs of Windows are started from a shell of Linux, too.
  const bare = base.replace(/\.(?:exe|cmd|bat|com)$/i, '');
  if (bare !== base) forms.push([bare, ...rest].join(' '));
  if (ignoreCase) forms.push([base.toLowerCase(), ...rest].join(' '));
  return forms;
}

/** The options of git in front of its subcommand that take the next word. */
export const VALUED_BY_GIT =
  '-[Cc]|--(?:git-dir|work-tree|namespace|config-env|exec-path|super-prefix|attr-source)';
const GIT_OPTION = new RegExp(`^(?:${VALUED_BY_GIT})$`);

function withoutGitOptions(words: readonly string[]): readonly string[] {
  let i = 0;
  while (i < words.length && (words[i] ?? '').startsWith('-')) {
    i += GIT_OPTION.test(words[i] ?? '') ? 2 : 1;
  }
  return words.slice(i);
}

function openSpelling(command: ShellCommand): Wildcard {
  return command.words.flatMap((word, i): Wildcard => {
    const gap: Wildcard = i === 0 ? [] : [' '];
    const glob = command.globs?.[i];
    if (word !== null) return [...gap, ...(i === 0 ? path.posix.basename(word) : word)];
    if (glob === undefined || i === 0) return [...gap, null];
    return [...gap, ...parseWildcard(glob.replaceAll('?', '*').replace(/\[.*/, '*'))];
  });
}

/** Stands for any name in a directory: no pattern but one for all of them fits it. */
const ANY_NAME = '\u0001\u0001\u0001';

/** Tells whether a file rule covers a path. */
export const coversFile = (
  rule: ParsedRule,
  target: string,
  isDirectory: boolean,
  context: DecisionContext,
): boolean => fileMatcher(rule, context)(target, isDirectory);

/** Tells whether a path is covered. */
export type FileMatcher = (target: string, isDirectory: boolean) => boolean;

/**
 * Returns the test of a file rule, for many paths. Deny and ask rules read doubtful roots
 * generously, allow rules narrowly.
 */
export function fileMatcher(rule: ParsedRule, context: DecisionContext): FileMatcher {
  if (rule.specifier === null) return () => true;
  const ignoreCase = context.caseInsensitive;
  const fold = rule.rule.behavior === 'allow' ? (text: string) => text : composed;
  const roots = rootsOf(rule, rule.specifier, context).map(({ root, pattern, anchored }) => ({
    root: fold(root),
    parsed: parsePathPattern(fold(pattern), anchored),
  }));
  const covers = (folded: string, isDirectory: boolean): boolean =>
    roots.some(({ root, parsed }) => {
      const relative = relativeInside(root, folded, ignoreCase);
      if (relative === null) return false;
      // A pattern for nothing but its root, as in `Read(//)` or `Read(~/)`: all below it.
      if (parsed === null) return true;
      const options = { isDirectory, ignoreCase };
      if (coversPath(parsed, relative, options))
        return !isExcepted(rule, parsed, relative, ignoreCase);
      // A rule for all that is in a directory reaches the directory: it is listed, searched, removed.
      return isDirectory && coversPath(parsed, `${relative}/${ANY_NAME}`, options);
    });
  const isStrict = rule.rule.behavior !== 'allow';
  return (target, isDirectory) =>
    covers(fold(target), isDirectory) ||
    (isStrict && pathsStoodFor(target, context).some((path) => covers(fold(path), isDirectory)));
}

/**
 * Tells whether a `!` rule takes a path out of a rule. What lies in a folder that is covered as a
 * whole stays covered.
 */
function isExcepted(
  rule: ParsedRule,
  pattern: PathPattern,
  relative: string,
  ignoreCase: boolean,
): boolean {
  const excepted = rule.exceptions?.paths.some((exception, at) => {
    if (at < (rule.exceptions?.from ?? 0)) return false;
    const parsed = parsePathPattern(composed(exception.replace(/^\.\//, '/')), false);
    return parsed !== null && matchesPath(parsed, relative, ignoreCase);
  });
  if (!excepted) return false;
  const segments = relative.split('/');
  return segments.slice(1).every((_, at) => {
    const folder = segments.slice(0, at + 1).join('/');
    const options = { isDirectory: true, ignoreCase };
    return (
      !coversPath(pattern, folder, options) &&
      !coversPath(pattern, `${folder}/${ANY_NAME}`, options)
    );
  });
}

/** A pattern and the folder it begins at. */
interface RootedPattern {
  readonly root: string;
  readonly pattern: string;
  readonly anchored: boolean;
}

/**
 * Returns the folders a pattern begins at: `//abs`, `~/x`, `/x` at the root of the settings it
 * stands in, `x` and `./x` at the current folder. Deny and ask rules of the form `name/**` reach
 * folders of that name at every depth.
 */
function rootsOf(
  { rule }: ParsedRule,
  specifier: string,
  context: DecisionContext,
  asWritten = false,
): RootedPattern[] {
  const at = (root: string, pattern: string, anchored = true) => ({ root, pattern, anchored });
  if (specifier.startsWith('//')) return [at('/', specifier.slice(2))];
  if (specifier === '~' || specifier.startsWith('~/'))
    return [at(context.home, specifier.slice(2))];
  if (specifier.startsWith('/')) return [at(settingsRoot(rule, context), specifier.slice(1))];
  const strict = rule.behavior !== 'allow';
  const pattern = specifier.replace(/^\.\//, '');
  const isWide = strict && !asWritten;
  const anchored = pattern !== specifier && !isWide;
  const everywhere = isWide && pattern === specifier && /^[^/]+\/(\*\*)?$/.test(pattern);
  // A denial must not be shaken off by changing the folder.
  const roots = strict ? new Set([context.cwd, context.project]) : new Set([context.cwd]);
  return [...roots].map((root) => at(root, everywhere ? `**/${pattern}` : pattern, anchored));
}

/**
 * Returns the folder `/x` is relative to: for the user's settings and a `--settings` file their
 * folder, else the project.
 */
function settingsRoot(rule: PermissionRule, context: DecisionContext): string {
  const given = rule.source === 'commandLine' && path.isAbsolute(rule.file ?? '');
  if (rule.source !== 'userSettings' && !given) return context.project;
  return rule.file === undefined ? path.join(context.home, '.claude') : path.dirname(rule.file);
}

/**
 * Tells whether some path below a folder could be covered by a deny or ask rule: searching it would
 * reach it. `asWritten`: `./x` and `x/**` mean one place, though as denials they count in every folder.
 */
export function mayCoverBelow(
  rule: ParsedRule,
  folder: string,
  context: DecisionContext,
  asWritten = false,
): boolean {
  const places = [folder, ...pathsStoodFor(folder, context)];
  return places.some((place) =>
    mayCoverIn(rule, place.replace(/\/$/, '') || '/', context, asWritten),
  );
}

function mayCoverIn(
  rule: ParsedRule,
  folder: string,
  context: DecisionContext,
  asWritten: boolean,
): boolean {
  if (rule.specifier === null) return true;
  if (isElsewhere(rule.specifier, folder, context)) return false;
  return rootsOf(rule, rule.specifier, context, asWritten).some(({ root, pattern, anchored }) => {
    const parsed = parsePathPattern(pattern, anchored);
    if (parsed === null) return true;
    const floating = parsed.segments.findIndex((segment) => /[*?[\\]/.test(segment));
    const fixed = floating < 0 ? parsed.segments : parsed.segments.slice(0, floating);
    const base = path.join(root, ...fixed);
    const ignoreCase = context.caseInsensitive;
    return (
      relativeInside(folder, base, ignoreCase) !== null ||
      (floating >= 0 && relativeInside(base, folder, ignoreCase) !== null)
    );
  });
}

/** Tells at a glance that a pattern from the root of the disk begins beside a folder: there may be very many such rules. */
function isElsewhere(specifier: string, folder: string, context: DecisionContext): boolean {
  const [head = ''] = /^\/\/[^*?[\\]*/.exec(specifier) ?? [];
  if (head === '' || context.caseInsensitive || /.\/\/|\/\./.test(head)) return false;
  const base = head.slice(1, head.lastIndexOf('/') + 1);
  return !base.startsWith(folder) && !`${folder}/`.startsWith(base);
}

/** A name that is hardly one of a file: `.cache` and `conf.d`, but not `.env`, `.npmrc` or `.gitignore`. */
const FOLDER_NAME =
  /^\.(?!env$|\w*(?:rc|ignore|attributes|modules|config|profile|history|pass\w*)$)[\w-]+$|\.d$/;

/** Tells whether a rule for names such as `*.pem` may mean a file that fits one of the patterns; a folder may hold any. */
export function mayNameOneOf(
  { specifier }: ParsedRule,
  names: readonly string[] | undefined,
  { caseInsensitive }: Pick<DecisionContext, 'caseInsensitive'>,
): boolean {
  const fold = (text: string) => parseWildcard(caseInsensitive ? text.toLowerCase() : text);
  const name = specifier?.split('/').at(-1) ?? '';
  const isOpen =
    names === undefined ||
    !name.includes('.') ||
    FOLDER_NAME.test(name) ||
    /[?[\\]|\*\*/.test(name + names);
  return isOpen || names.some((pattern) => mayOverlap(fold(name), fold(pattern)));
}

/** Tells whether a rule of any other tool fits: bare, `domain:…`, an exact or `*` specifier; denials in any letter case. */
export function coversSpecifier(rule: ParsedRule, specifier: string | undefined): boolean {
  if (rule.specifier === null) return true;
  if (specifier === undefined) return false;
  if (specifier.startsWith('domain:') && rule.specifier.startsWith('domain:'))
    return coversHost(rule.specifier.slice(7), specifier.slice(7), rule.rule.behavior !== 'allow');
  if (rule.rule.behavior === 'allow')
    return rule.patterns.some((pattern) => matchesWildcard(pattern, specifier));
  const folded = specifier.toLowerCase();
  return rule.patterns.some((pattern) =>
    matchesWildcard(
      pattern.map((part) => part?.toLowerCase() ?? null),
      folded,
    ),
  );
}

/**
 * Tells whether a pattern of hosts fits a host: `*.` at its start stands for any subdomain, `*`
 * alone for every host, any other `*` only for text between two dots, so that nobody can register a
 * name that fits an allowed `example.*`. `strict` (deny, ask): it stands for any text.
 */
function coversHost(pattern: string, host: string, strict: boolean): boolean {
  const plain = (text: string) => text.trim().toLowerCase().replace(/\.$/, '');
  const wanted = plain(pattern);
  if (wanted === '*' || (strict && matchesWildcard(parseWildcard(wanted), plain(host))))
    return true;
  const below = wanted.startsWith('*.');
  const labels = (below ? wanted.slice(2) : wanted).split('.');
  const found = plain(host).split('.');
  if (below ? found.length <= labels.length : found.length !== labels.length) return false;
  const tail = found.slice(-labels.length);
  return labels.every((label, i) => matchesWildcard(parseWildcard(label), tail[i] ?? ''));
}

/** Tells whether a deny or ask rule of the form `Tool(param:value)` fits the call's input. */
export function coversParams(
  rule: ParsedRule,
  params: Readonly<Record<string, string>> | undefined,
): boolean {
  const colon = rule.specifier?.indexOf(':') ?? -1;
  if (rule.specifier === null || colon <= 0 || !params) return false;
  const name = rule.specifier.slice(0, colon).trim();
  if (!Object.hasOwn(params, name)) return false;
  return matchesWildcard(parseWildcard(rule.specifier.slice(colon + 1).trim()), params[name] ?? '');
}

/** The folder a line starts in and the home folder. */
export type Whereabouts = Pick<DecisionContext, 'cwd' | 'home'>;

/**
 * Returns the absolute places a word of a command may name, each `..` in it kept. Null when it is
 * not known where the command runs.
 */
export function placesOf(word: string, command: ShellCommand, where: Whereabouts): string[] | null {
  const directories = command.directories ?? [''];
  if (directories.includes(null)) {
    const fixed = /^(\/|~$|~\/)/.test(word);
    return fixed ? [joinedPath(word, '/', where.home)] : null;
  }
  return directories
    .flatMap((directory) => foldersOf(directory ?? '', where))
    .map((folder) => joinedPath(word, folder, where.home));
}

/** Returns the folders of a `cd`: above the first folder it goes up as text, or as the system does. */
function foldersOf(directory: string, { cwd, home }: Whereabouts): string[] {
  if (directory === '') return [cwd];
  const folder = joinedPath(directory, cwd, home);
  const isBoth = /^(\.\.|~)/.test(directory) && climbs(directory);
  return isBoth ? [path.resolve(folder), folder] : [folder];
}

/** Paths that deny rules keep from being read and written, as far as they name one. */
export interface DeniedPaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/**
 * Returns the paths that deny rules for files name, so that the sandbox keeps programs from them
 * too. Patterns with wildcards are left out: what they mean is only known by looking at every file.
 * Pure.
 */
export function deniedPaths(rules: readonly ParsedRule[], context: DecisionContext): DeniedPaths {
  const of = (tools: RegExp) => [
    ...new Set(
      rules
        .filter(({ rule, tool }) => rule.behavior === 'deny' && tools.test(tool))
        .flatMap((rule) => namedPaths(rule, context)),
    ),
  ];
  return { read: of(/^Read$/), write: of(/^(Edit|Write)$/) };
}

function namedPaths(rule: ParsedRule, context: DecisionContext): readonly string[] {
  if (rule.specifier === null) return [];
  return rootsOf(rule, rule.specifier, context).flatMap(({ root, pattern }) => {
    const folder = pattern.replace(/\/(\*\*)?$/, '');
    const hasWildcard = /(?<!\\)[*?[]/.test(folder);
    return hasWildcard || folder === '' ? [] : [path.resolve(root, folder.replace(/\\(.)/g, '$1'))];
  });
}
