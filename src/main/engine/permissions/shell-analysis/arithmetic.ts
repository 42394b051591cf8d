import type { Evaluated } from './words';

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
export function computesWithNumbers({ text, array }: Evaluated, line: string): boolean {
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
