import { variableRisk } from './variables';
import type { Evaluated } from './words';

/** Variables that the shell itself fills with numbers. */
const SHELL_NUMBERS = new Set(
  'RANDOM SRANDOM SECONDS LINENO BASHPID PPID UID EUID COLUMNS LINES EPOCHSECONDS OPTIND SHLVL'.split(
    ' ',
  ),
);

/** A command substitution whose output is a number. */
const COUNTS =
  /^\s*(?:[^;&\n]*[^|>\\;&\n]\|)?\s*(?:wc\s+-[lcwm]\b[^|;&\n]*|grep(?![^|;&\n]*\s["']?-(?:\w*[rR]|-[rd]))\s+-\w*c\w*\b[^|;&\n]*|date\s+["']?\+%[sYmdHMSj]["']?|nproc|id\s+-u|tput\s+(?:cols|lines)|git\s+rev-list\s+--count\b[^|;&\n]*|stat\s+-[cf]\s*["']?%[sYXzm]["']?[^|;&\n]*|seq\s[-\d\s]*|expr\s[^|;&\n]*)$/;

/** `$(…)` without another one in it, but not `$((…))`. */
const SUBSTITUTION = /\$\((?!\()([^()]*)\)/g;

/** More variables in one text are not looked after: they may hold anything. */
const MAX_NAMES = 40;

/** The text around arithmetic, which may set the variables in it. */
export interface Surroundings {
  /** The whole line, and the script in it. */
  readonly line: string;
  /** The script that another shell may evaluate: what its variables held before is not known. Null for the line itself. */
  readonly script: string | null;
}

/**
 * Tells whether a text of arithmetic only computes with numbers. The shell evaluates what its variables hold, and a
 * subscript in there may run commands.
 */
export function computesWithNumbers({ text }: Evaluated, around: Surroundings): boolean {
  const plain = text.replace(SUBSTITUTION, (whole, inner: string) =>
    COUNTS.test(inner) ? '1' : whole,
  );
  if (/[`'\\]|\$\((?!\()/.test(plain)) return false;
  const names = new Set<string>();
  for (const [use, name = ''] of plain.matchAll(/\$?\{?#?([A-Za-z_]\w*|(?<=[$#{])[\d@*])/g))
    if (!use.includes('#')) names.add(name);
  return names.size <= MAX_NAMES && [...names].every((name) => holdsNumber(name, around));
}

/** Signs of which plain arithmetic is made: no quotes, no subscripts, no commands. */
const PLAIN =
  /^(?:\$(?![({])|\$(?=\(\()|\$\{(?:#?\w+|#\w+\[[@*]\])\}|[\w\s?#+\-*/%<>=!&|:(),~^])*$/;

/** Tells whether `((…))` around a text is arithmetic to every reader: plain signs, and no bracket that ends early. */
export function isArithmeticText(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth === 0 && PLAIN.test(text) && !text.includes('\n');
}

/** Whatever sets variables that a line may not show by name, or to what it does not show. */
const SETS_UNSEEN = new RegExp(
  [
    '\\b(?:read|mapfile|readarray|select|getopts|declare|typeset|local|export|readonly|coproc|eval|source|alias|trap|unset|enable|exec|wait\\s+-\\w*p)\\b',
    '(?:^|[\\s;&|({])\\.\\s',
    'printf\\s+(?!["\']?[%\\w])',
    '\\bprintf\\b.*-v',
    '[\\\\`]|\\$[\'"]|\\$\\((?!\\()',
    '[$}"\']\\+?=',
  ].join('|'),
);

/**
 * The knowledge of what a text of arithmetic computes with: numbers alone that the line shows, values that its variables may
 * have from before, or anything.
 */
export type Computation = 'numbers' | 'inherited' | 'unknown';

/** Commands that print one number and no name: no pattern or file of theirs is an option, and no folder is looked through. */
const COUNTS_ALONE =
  /^\s*(?:(?:(?!\s#)[^;&\n])*[^|>\\;&\n]\|\s*)?(?:wc\s+-[lcwm](?:\s*<\s*[\w./-]+)?|grep\s+-[ivwxEF]*c[ivwxEF]*\s+(?!["']?[-$])(?:[\w./-]+|'[^']*'|"[^"]*")(?:\s+(?!-)[\w./-]+)?|nproc|id\s+-u|date\s+["']?\+%s["']?|git\s+rev-list\s+--count\s[\w./~^ -]*)\s*$/;

/** A line that begins by making arrays of names. Nothing else is set by it, and where it fails, subscripts are arithmetic. */
const MAKES_ARRAYS = /^\s*(?:declare|typeset)\s+-A(?:\s+[A-Za-z_]\w*)+\s*(?:;|&&|\n)/;

/** Returns what a text computes with, as far as a line shows it without any doubt. */
export function computationOf(text: string, around: Surroundings): Computation {
  if (/^[\d\s()+\-*/%<>]*$/.test(text)) return 'numbers';
  // What runs in a shell of its own sets nothing here.
  const line = around.line
    .replace(MAKES_ARRAYS, '')
    .replace(SUBSTITUTION, (whole, inner: string) => (COUNTS_ALONE.test(inner) ? '1' : whole));
  const isPlain =
    PLAIN.test(text) &&
    !SETS_UNSEEN.test(line) &&
    computesWithNumbers({ text }, around) &&
    namesIn(text).every((name) => variableRisk(`${name}=`) !== 'dangerous');
  if (!isPlain) return 'unknown';
  const sets = /\+\+|--|(?<![=!<>])=(?!=)|[<>]{2}=/.test(text);
  const script = around.script ?? around.line;
  const known = namesIn(text).every(
    (name) => SHELL_NUMBERS.has(name) || beginsAsNumber(name, script),
  );
  return known && !sets ? 'numbers' : 'inherited';
}

const namesIn = (text: string): readonly string[] => [
  ...new Set(text.match(/(?<![\w#])[A-Za-z_]\w*/g) ?? []),
];

/** Whatever sets variables by a name that is an ordinary word. */
const SETTERS =
  'read|mapfile|readarray|select|getopts|declare|typeset|local|export|readonly|let|coproc|printf|wait';

/** A value that is a number, as an assignment writes it. */
const NUMBER =
  /^["']?(?:-?\d+|\$[#?!$]|\$\{#[\w@*[\]]+\}|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\((?!\()([^()]*)\)|\((?:\s*-?\d+)*\s*\))?["']?(?=$|[\s;&|)}])/;

/** Variables that the shell fills with texts: its last word, its input, what a pattern matched, folders. */
const SHELL_TEXTS =
  /^(?:_|REPLY|MAPFILE|OPTARG|BASH_(?!SUBSHELL$)\w*|(?:OLD)?PWD|DIRSTACK|FUNCNAME|COPROC\w*|COMP_\w*|READLINE_\w*|HIST\w*|PIPESTATUS|GROUPS|[\d@*])$/;

/** A setter that is given the name of a variable in another one. */
const SETS_NAMED =
  /\b(?:(?:read|mapfile|readarray|select|getopts|declare|typeset|local|export|readonly)\b[^;&|\n]*\s|wait\s[^;&|\n]*-\w*p\s*|printf\s+(?:-v\s*)?)["']?(?:\$[\w{@*]|`|\$\()/;

/** Tells whether a line never sets a variable to anything but a number. A variable it does not set holds what it did. */
export function holdsNumber(name: string, { line, script }: Surroundings): boolean {
  if (SHELL_NUMBERS.has(name)) return true;
  if (SHELL_TEXTS.test(name) || SETS_NAMED.test(line)) return false;
  const set = new RegExp(
    `\\$\\{${name}:?=|(?<![\\w$])${name}\\[[^\\]]*\\]\\+?=|\\b(?:${SETTERS})\\b[^;&|\\n]*(?<![$\\w{])${name}\\b(?!\\+?=)|\\bfor\\s+${name}\\b(?!\\s+in\\s)`,
  );
  if (set.test(line)) return false;
  const assigned = [...line.matchAll(new RegExp(`(?<![\\w$])${name}\\+?=(?!=)`, 'g'))];
  const looped = [...line.matchAll(new RegExp(`\\bfor\\s+${name}\\s+in\\s([^;\\n]*)`, 'g'))];
  if (script !== null && !beginsAsNumber(name, script)) return false;
  return (
    assigned.every(({ index, 0: sign }) => isNumericValue(line.slice(index + sign.length))) &&
    looped.every(([, values = '']) => isNumericList(values))
  );
}

/** Tells whether a text begins by setting variables to numbers, this one among them. */
const beginsAsNumber = (name: string, text: string): boolean =>
  new RegExp(
    `^(?:\\s*\\w+=-?\\d+\\s*(?:;|&&|\\n))*\\s*(?:${name}=-?\\d+\\s*(?:;|&&|\\n)|for\\s+${name}\\s+in(?:\\s+-?\\d+)+\\s*;)`,
  ).test(text);

function isNumericValue(rest: string): boolean {
  const [value, command] = NUMBER.exec(rest) ?? [];
  return value !== undefined && (command === undefined || COUNTS.test(command));
}

const isNumericList = (values: string): boolean =>
  /^\s*(?:(?:-?\d+|\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}|\$\(seq\s[-\d\s$\w]*\))\s*)*$/.test(values);
