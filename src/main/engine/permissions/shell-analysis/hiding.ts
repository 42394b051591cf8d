import { scanSed } from '../read-only/scripts';
import type { Hiding } from '../request';
import { codeOf, type Input, isStream } from './interpreters';
import type { Assigned, Draft } from './simple-command';
import { hidesCode } from './variables';
import type { Evaluated, Word, WordFindings } from './words';

/** The facts about a command that tell what it does not show. */
interface Looked {
  /** Its name without folders. */
  readonly name: string;
  readonly words: readonly Word[];
  readonly input: Input;
  /** The whole line. */
  readonly line: string;
}

/**
 * Returns what a command may do that its words do not show: run other commands, or read other files. No rule about
 * commands or files can be held against that. Pure.
 */
export function hidingOf(looked: Looked): Hiding[] {
  const { name, words, input, line } = looked;
  const found: Hiding[] = [];
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin?.(words.slice(1)) || isUnsafeAttribute(name, words, line))
    found.push({ what: 'runs', why: `${name} evaluates what it is given` });
  const program = codeOf(name, words, input);
  if (program !== null && !program.isHarmless)
    found.push({ what: 'runs', why: `${name} is given a program that may run anything` });
  if (/^g?sed$/.test(name) && scanSed(program?.code.join('\n') ?? '').usesFiles)
    found.push({ what: 'reads', why: 'its script names files' });
  if (words[0]?.value === null)
    found.push({ what: 'runs', why: 'which program it runs is only known at run time' });
  if (name === 'make' && words.some(({ value }) => /\$[({]|^SHELL=/.test(value ?? '')))
    found.push({ what: 'runs', why: 'make evaluates what it is given' });
  if (name === 'crontab' && (input.kind !== 'none' || words.some((word) => word.value === '-e')))
    found.push({ what: 'runs', why: 'crontab takes commands to be run later' });
  if (name === 'run-parts') found.push({ what: 'runs', why: 'run-parts runs what a folder holds' });
  if (name === 'git') found.push(...contentOfGit(words));
  return found;
}

/** Returns the hidings of what surrounds the words of a command: expansions, arithmetic, variables it sets. */
export function hidingAround(draft: Draft, line: string): Hiding[] {
  return [...hidingInWords(draft.findings, line), ...draft.assigned.flatMap(hidingInVariable)];
}

function hidingInWords({ hidden, evaluated }: WordFindings, line: string): Hiding[] {
  const reasons = [...hidden];
  if (!evaluated.every((one) => computesWithNumbers(one, line)))
    reasons.push('arithmetic on variables can run commands hidden in their values');
  return reasons.map((why) => ({ what: 'runs', why }));
}

/** Variables that change what `~`, relative paths and `cd` mean for the rest of the line. */
const MOVES = /^(?:HOME|CDPATH|PWD|OLDPWD)$/;

function hidingInVariable({ name, value }: Assigned): Hiding[] {
  if (MOVES.test(name)) return [{ what: 'reads', why: `setting ${name} changes what paths mean` }];
  return hidesCode(name, value)
    ? [{ what: 'runs', why: `setting ${name} can make programs run something` }]
    : [];
}

/** `declare -i x` makes arithmetic of whatever `x` is set to, `declare -n` the name of another variable. */
function isUnsafeAttribute(name: string, words: readonly Word[], line: string): boolean {
  if (!/^(?:declare|typeset|local|readonly|export)$/.test(name)) return false;
  const flags = words
    .filter(({ value }) => /^[-+]\w+$/.test(value ?? ''))
    .map(({ value }) => value);
  if (flags.some((flag) => flag?.includes('n'))) return name !== 'export';
  if (!flags.some((flag) => flag?.includes('i'))) return false;
  return words.slice(1).some(({ source }) => {
    const text = /^\w+/.exec(source)?.[0];
    return text !== undefined && !computesWithNumbers({ text }, line);
  });
}

type Test = (words: readonly Word[]) => boolean;

/** A word whose value may be evaluated as arithmetic, or is only known at run time. */
const isEvaluable = ({ value }: Word): boolean => value === null || /[[$`]/.test(value);

const names: Test = (words) => words.some(isEvaluable);

/** Tells whether the word behind an option, or attached to it, is one that may be evaluated. */
const behind =
  (option: RegExp): Test =>
  (words) =>
    words.some((word, at) => {
      const text = word.value ?? word.source;
      const found = option.exec(text);
      if (!found) return false;
      const attached = text.slice(found[0].length);
      const next = words[at + 1];
      return attached === '' ? next !== undefined && isEvaluable(next) : /[[$`]/.test(attached);
    });

const has =
  (option: RegExp): Test =>
  (words) =>
    words.some((word) => word.value === null || option.test(word.value));

/** Builtins that evaluate a name or run a text, and when they may do so. */
const BUILTINS: Readonly<Record<string, Test>> = {
  test: behind(/^-[vR]$/),
  '[': behind(/^-[vR]$/),
  printf: behind(/^-v/),
  read: (words) =>
    names(words.filter((_, at) => !/^-\w*[dinNptu]$/.test(words[at - 1]?.value ?? ''))),
  unset: names,
  declare: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  typeset: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  local: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  readonly: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  export: (words) => names(words.filter(({ source }) => !/^\w+\+?=/.test(source))),
  let: (words) =>
    words.some(({ value }) => !/^\w+\s*(?:[-+*/%]?=\s*-?\d+|\+\+|--)$/.test(value ?? '')),
  mapfile: (words) => names(words) || words.some((word) => /^-\w*C/.test(word.value ?? '')),
  readarray: (words) => names(words) || words.some((word) => /^-\w*C/.test(word.value ?? '')),
  getopts: names,
  wait: behind(/^-p/),
  compgen: has(/^-\w*[CWFAe]/),
  complete: has(/^-\w*[CF]/),
  bind: has(/^-\w*[xf]/),
  enable: has(/^-\w*f/),
  hash: has(/^-\w*p/),
  history: has(/^-\w*[srnp]/),
  fc: (words) => !words.some((word) => /^-\w*l/.test(word.value ?? '')),
  coproc: () => true,
  alias: (words) =>
    words.some(
      (word) => !/^(?:-p|[\w.:-]+(?:=[\w ./:=,@%+-]*[\w./:=,@%+-])?)$/.test(word.value ?? '$'),
    ),
  source: (words) => isStream(words[0]?.value ?? ''),
  '.': (words) => isStream(words[0]?.value ?? ''),
};

/** Subcommands of git that print what is committed, alone or with one of the options. */
const GIT_PRINTS: Readonly<Record<string, RegExp | null>> = {
  show: null,
  diff: null,
  'diff-tree':
    /^(?:-p|-u|--patch|-c|--cc|-U|--unified|-W|--word-diff|--color-words|--function-context|--binary)/,
  'diff-index': /^(?:-p|-u|--patch|-c|--cc|-U|--unified|-W|--word-diff|--color-words|--binary)/,
  'diff-files': /^(?:-p|-u|--patch|-c|--cc|-U|--unified|-W|--word-diff|--color-words|--binary)/,
  log: /^(?:-\w*[pucL]|--patch|--cc|-U|--unified|-W|--word-diff|--color-words|--function-context|--remerge-diff|--diff-merges|--binary|-m$|-L)/,
  reflog: /^(?:-\w*[puc]|--patch|--cc|-U|--unified|-W|--word-diff|--color-words|--binary)/,
  whatchanged: /^(?:-\w*[puc]|--patch|--cc|-U|--unified|-W|--word-diff|--color-words|--binary)/,
  'rev-list': /^--(?:patch|filter-print)/,
  grep: null,
  stash: /^(?:-\w*p\w*|--patch|--unified|-U)/,
  'format-patch': null,
  'fast-export': null,
  archive: null,
  bundle: null,
  difftool: null,
  'range-diff': null,
  'merge-tree': null,
  'cat-file': /^--(?:batch|textconv|filters)/,
  add: /^(?:-\w*[pie]|--patch|--interactive|--edit)$/,
  checkout: /^(?:-\w*p|--patch)$/,
  restore: /^(?:-\w*p|--patch)$/,
  reset: /^(?:-\w*p|--patch)$/,
  commit: /^(?:-\w*[pv]|--patch|--verbose|--interactive|--dry-run)$/,
  status: /^(?:-\w*v\w*|--verbose)$/,
  am: /^--show-current-patch/,
  rebase: /^--show-current-patch/,
  'request-pull': /^-p$/,
  send: null,
};

/** Options that leave names or counts of what would be printed. */
const GIT_SUMMARIES =
  /^(?:--stat|--shortstat|--numstat|--dirstat|--summary|--name-only|--name-status|--raw|--check|--quiet|-s|--no-patch|-q)(?:=|$)/;
const GIT_PATCH = /^(?:-p|-u|--patch(?:-with-\w+)?|-U\d*|--unified(?:=\d+)?)$/;

/** `git show` and its like print committed files that the line does not name. */
function contentOfGit(words: readonly Word[]): Hiding[] {
  const values = words.map((word) => word.value ?? word.glob);
  const at = values.findIndex(
    (value, i) =>
      i > 0 &&
      value?.startsWith('-') !== true &&
      !/^(?:-C|-c|--git-dir|--work-tree)$/.test(values[i - 1] ?? ''),
  );
  const subcommand = values[at] ?? '';
  const option = Object.hasOwn(GIT_PRINTS, subcommand) ? GIT_PRINTS[subcommand] : undefined;
  if (at < 0 || option === undefined) return [];
  const rest = values.slice(at + 1);
  const ended = rest.indexOf('--');
  const options = ended < 0 ? rest : rest.slice(0, ended);
  const isOpen = /^(?:log|reflog|diff-\w+|whatchanged|rev-list|cat-file)$/.test(subcommand);
  if (
    option !== null &&
    !options.some((word) => (word === null ? isOpen : option.test(word))) &&
    !(subcommand === 'stash' && options[0] === 'show' && options.includes('-u'))
  )
    return [];
  const isSummary =
    options.some((word) => GIT_SUMMARIES.test(word ?? '')) &&
    !options.some((word) => GIT_PATCH.test(word ?? ''));
  if (isSummary || isLimited(subcommand, options, ended < 0 ? [] : rest.slice(ended + 1)))
    return [];
  return [
    {
      what: printsTracked(subcommand, options) ? 'printsTracked' : 'prints',
      why: `git ${subcommand} prints committed files that the line does not name`,
    },
  ];
}

/** Tells whether only files that are tracked now can be printed: no other revision is named. */
const printsTracked = (subcommand: string, options: readonly (string | null)[]): boolean =>
  /^(?:diff|diff-files|status|add|commit|restore)$/.test(subcommand) &&
  options.every(
    (word) => word !== null && (word === 'HEAD' || (word.startsWith('-') && word !== '--no-index')),
  );

/** Tells whether a look at what is committed names the files it is about: by paths, or `HEAD:path` alone. */
function isLimited(
  subcommand: string,
  options: readonly (string | null)[],
  paths: readonly (string | null)[],
): boolean {
  const isPath = (word: string | null) => word !== null && !/^:|[*?[\\]|^\.\.?\/?$/.test(word);
  if (paths.length > 0) return paths.every(isPath);
  const operands = options.filter((word) => word?.startsWith('-') !== true);
  if (operands.includes(null) || operands.length === 0) return false;
  if (operands.every((word) => /^[^:]*:.+/.test(word ?? ''))) return true;
  // A name with an ending is a file: git refuses one that is a revision too.
  return (
    !/^(?:archive|bundle|fast-export|format-patch)$/.test(subcommand) &&
    operands.some(
      (word) => /(?<!\.)\.[A-Za-z]\w{0,5}$/.test(word ?? '') && !/\.\.|:/.test(word ?? ''),
    )
  );
}

/** Variables that the shell itself fills with numbers. */
const SHELL_NUMBERS = new Set(
  'RANDOM SRANDOM SECONDS LINENO BASHPID PPID UID EUID COLUMNS LINES EPOCHSECONDS OPTIND SHLVL'.split(
    ' ',
  ),
);

/** A command substitution whose output is a number. */
const COUNTS =
  /^\s*(?:[^;&\n]*\|)?\s*(?:wc\s+-[lcwm]\b[^|;&\n]*|grep\s+-\w*c\w*\b[^|;&\n]*|date\s+["']?\+%[sYmdHMSj]["']?|nproc|id\s+-u|tput\s+(?:cols|lines)|git\s+rev-list\s+--count\b[^|;&\n]*|stat\s+-[cf]\s*["']?%[sYXzm]["']?[^|;&\n]*|seq\s[-\d\s]*|expr\s[^|;&\n]*)$/;

/** `$(…)` without another one in it, but not `$((…))`. */
const SUBSTITUTION = /\$\((?!\()([^()]*)\)/g;

/**
 * Tells whether a text of arithmetic only computes with numbers. The shell evaluates what its variables hold, and a
 * subscript in there may run commands. `line` is the whole line, which may set them.
 */
function computesWithNumbers({ text, array }: Evaluated, line: string): boolean {
  if (array !== undefined && isAssociative(array, line)) return !/[`]|\$\(/.test(text);
  const plain = text.replace(SUBSTITUTION, (whole, inner: string) =>
    COUNTS.test(inner) ? '1' : whole,
  );
  if (/[`'\\]|\$\((?!\()/.test(plain)) return false;
  return [...plain.matchAll(/\$?\{?#?([A-Za-z_]\w*|(?<=[$#{])[\d@*])/g)].every(
    ([use, name = '']) => use.includes('#') || isNumber(name, line),
  );
}

const isAssociative = (array: string, line: string): boolean =>
  new RegExp(`\\b(?:declare|typeset|local)\\s+-\\w*A\\w*\\s+(?:[\\w=()"' ]*\\s)?${array}\\b`).test(
    line,
  );

/** Whatever sets variables by a name that is an ordinary word. */
const SETTERS =
  'read|mapfile|readarray|select|getopts|declare|typeset|local|export|readonly|let|coproc|printf|wait';

/** A value that is a number, as an assignment writes it. */
const NUMBER =
  /^["']?(?:-?\d+|\$[#?]|\$\{#[\w@*[\]]+\}|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\((?!\()([^()]*)\)|\((?:\s*-?\d+)*\s*\))?["']?(?=$|[\s;&|)}])/;

/** Tells whether a line never sets a variable to anything but a number. A variable it does not set holds what it did. */
function isNumber(name: string, line: string): boolean {
  if (SHELL_NUMBERS.has(name)) return true;
  // Arguments are set by `set` and by calls of functions.
  if (/^[\d@*]$/.test(name)) return !/\bset\s|\bfunction\s|\(\)|\bshift\b/.test(line);
  const set = new RegExp(
    `\\$\\{${name}:?=|(?<![\\w$])${name}\\[[^\\]]*\\]\\+?=|\\b(?:${SETTERS})\\b[^;&|\\n]*(?<![$\\w{])${name}\\b(?!\\+?=)`,
  );
  if (set.test(line)) return false;
  const assigned = [...line.matchAll(new RegExp(`(?<![\\w$])${name}\\+?=(?!=)`, 'g'))];
  const looped = [...line.matchAll(new RegExp(`\\bfor\\s+${name}\\s+in\\s([^;\\n]*)`, 'g'))];
  return (
    assigned.every(({ index, 0: sign }) => isNumericValue(line.slice(index + sign.length))) &&
    looped.every(([, values = '']) => isNumericList(values))
  );
}

function isNumericValue(rest: string): boolean {
  const [value, command] = NUMBER.exec(rest) ?? [];
  return value !== undefined && (command === undefined || COUNTS.test(command));
}

const isNumericList = (values: string): boolean =>
  /^\s*(?:(?:-?\d+|\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}|\$\(seq\s[-\d\s$\w]*\))\s*)*$/.test(values);
