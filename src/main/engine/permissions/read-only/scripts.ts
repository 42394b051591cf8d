import type { ShellCommand } from '../request';
import type { PathUse } from './command-shape';

const FIND_PLAIN = new Set(
  '-print -print0 -ls -empty -prune -not ! -a -and -o -or ( ) , -depth -d -xdev -mount -follow -readable -writable -executable -true -false -daystart -noleaf -quit -L -H -P -nouser -nogroup -O1 -O2 -O3'.split(
    ' ',
  ),
);
const FIND_VALUED = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -printf'.split(
    ' ',
  ),
);

/** Returns the start folders of a `find` that only lists; null when it has any other primary. */
export function findListing(command: ShellCommand): PathUse[] | null {
  const starts: PathUse[] = [];
  const compared: PathUse[] = [];
  let expression = false;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    // An unquoted glob may become whatever files are named like, primaries among it.
    if (word === null) return null;
    if (FIND_VALUED.has(word)) {
      expression = true;
      const value = command.words[++i];
      if (typeof value !== 'string') return null;
      if (/^-([ac]?newer|samefile)$/.test(word)) compared.push({ word: value, glob: false });
    } else if (FIND_PLAIN.has(word)) {
      expression ||= !/^-[LHPO]/.test(word);
    } else if (expression || word.startsWith('-')) return null;
    else starts.push({ word, glob: false });
  }
  return [...(starts.length > 0 ? starts : [{ word: '.', glob: false }]), ...compared];
}

/** Returns the files of a `sed` that only prints; null for any other. */
export function sedPrints(command: ShellCommand): PathUse[] | null {
  const operands: PathUse[] = [];
  const scripts: string[] = [];
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (word === null) {
      if (glob === undefined || /^[-*?[]/.test(glob)) return null;
      operands.push({ word: glob, glob: true });
    } else if (/^(-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data|--posix)$/.test(word)) {
    } else if (/^(-[nErsuz]*e|--expression)$/.test(word)) {
      const script = command.words[++i];
      if (typeof script !== 'string') return null;
      scripts.push(script);
    } else if (word.startsWith('--expression=')) scripts.push(word.slice('--expression='.length));
    else if (word.startsWith('-') && word !== '-') return null;
    else operands.push({ word, glob: false });
  }
  const first = scripts.length === 0 ? operands.shift() : undefined;
  if (first) scripts.push(first.word);
  // Several scripts are one: what ends in a backslash would swallow the next.
  const harmless = scripts.length > 0 && scripts.every(isHarmlessSedScript);
  return harmless && first?.glob !== true ? operands : null;
}

/**
 * Returns the archive of a `tar` that only lists; null for any other. A name with a colon is
 * another machine.
 */
export function tarLists(command: ShellCommand): PathUse[] | null {
  const [, mode, archive, ...rest] = command.words;
  if (typeof mode !== 'string' || !/^-?[tvzjJ]*f$/.test(mode) || !mode.includes('t')) return null;
  if (typeof archive !== 'string' || /:|^-/.test(archive)) return null;
  const plain = rest.every((word) => typeof word === 'string' && !word.startsWith('-'));
  return plain ? [{ word: archive, glob: false }] : null;
}

/** Returns the words of a `jq` call without `--arg name value`, which only sets a variable. */
export function withoutJqArguments(command: ShellCommand): ShellCommand {
  const at = command.words.findIndex((word) => word === '--arg' || word === '--argjson');
  if (at < 0 || command.words.length < at + 3 || command.globs) return command;
  const words = [...command.words.slice(0, at), ...command.words.slice(at + 3)];
  return withoutJqArguments({ ...command, words });
}

/** Tells whether `read` only fills variables of the line's own. */
export function readsIntoLocals(command: ShellCommand): boolean {
  const names = command.words.slice(1);
  while (names.length > 0 && /^-/.test(names[0] ?? '')) {
    const option = names.shift() ?? '';
    if (/^-[rse]*[dnNpt]$/.test(option)) {
      if (names.shift() === null) return false;
    } else if (!/^-[rse]+$/.test(option)) return false;
  }
  return names.every((name) => name !== null && /^[a-z_][a-z0-9_]*$/.test(name));
}

/** A step through a sed script: the next position, or null where it is not understood. */
type Step = (script: string, at: number) => number | null;

/** Commands that only move, print, delete or stop. No e, r, R, w, W; texts of a, i and c run to the end of the line. */
const PLAIN_COMMANDS = /^(?:[dDpPnNgGhHxlz=F]|q\s*\d*|Q\s*\d*|b\s*\w*|t\s*\w*|:\s*\w+)/;
const ADDRESS = /^(?:\d+(?:~\d+)?|\$)/;
const FLAGS = /^[gpiIM\d]*/;

/**
 * Tells whether a sed script only prints or changes what it prints. Understands less than sed does:
 * whatever it does not know is refused.
 */
export function isHarmlessSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    const gap = /^[\s;}]+/.exec(script.slice(at))?.[0].length ?? 0;
    at += gap;
    if (at >= script.length) break;
    const next = readCommand(script, at);
    if (next === null) return false;
    at = next;
    // Two commands need something between them.
    if (at < script.length && !/^\s*[;}\n]/.test(script.slice(at))) return false;
  }
  return script.trim() !== '';
}

const readCommand: Step = (script, start) => {
  let at = skipSpace(script, readAddress(script, start));
  if (at === null) return null;
  if (script[at] === ',') {
    const sign = /^,\s*[+~]?/.exec(script.slice(at))?.[0].length ?? 1;
    const from = at + sign;
    at = readAddress(script, from);
    if (at === from) return null;
    at = skipSpace(script, at);
    if (at === null) return null;
  }
  const bang = /^(?:!\s*)*/.exec(script.slice(at))?.[0].length ?? 0;
  at += bang;
  const rest = script.slice(at);
  if (rest.startsWith('{')) {
    const inside = skipSpace(script, at + 1);
    return inside === null ? null : readCommand(script, inside);
  }
  if (rest.startsWith('s') || rest.startsWith('y')) return readSubstitution(script, at);
  const plain = PLAIN_COMMANDS.exec(rest);
  return plain ? at + plain[0].length : null;
};

const skipSpace = (script: string, at: number | null): number | null =>
  at === null ? null : at + (/^[ \t]*/.exec(script.slice(at))?.[0].length ?? 0);

const readAddress: Step = (script, at) => {
  const simple = ADDRESS.exec(script.slice(at));
  if (simple) return at + simple[0].length;
  if (script[at] !== '/') return at;
  const end = readDelimited(script, at + 1, '/');
  return end === null ? null : end + (script[end] === 'I' ? 1 : 0);
};

const readSubstitution: Step = (script, at) => {
  const delimiter = script[at + 1] ?? '';
  if (!/^[^\w\s\\[\]]$/.test(delimiter)) return null;
  const middle = readDelimited(script, at + 2, delimiter);
  const end = middle === null ? null : readDelimited(script, middle, delimiter);
  if (end === null) return null;
  if (script[at] === 'y') return end;
  return end + (FLAGS.exec(script.slice(end))?.[0].length ?? 0);
};

/**
 * Returns the position behind the next unescaped delimiter. Systems disagree about one inside
 * brackets, so a bracket has to end before it.
 */
function readDelimited(script: string, start: number, delimiter: string): number | null {
  for (let at = start; at < script.length; at++) {
    const char = script[at];
    if (char === '\\') at++;
    else if (char === '\n') return null;
    else if (char === delimiter) {
      const part = script.slice(start, at).replace(/\\./g, '');
      return /\[(?!\^?\]?[^\]]*\])/.test(part) ? null : at + 1;
    }
  }
  return null;
}

/**
 * Words that let an awk program run, load, write or read something else, or see the environment,
 * wherever it stands: a string that looks like it is refused too. `|` pipes, but `||` does not.
 */
const RISKY =
  /system|getline|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARG[VC]|@|\bextension\b|\bload\b|\bfflush\b|(?<!\|)\|(?!\|)/;

/**
 * Tells whether an awk program only computes and prints. A `>` behind a `print` may write a file.
 */
export function isHarmlessAwkProgram(program: string): boolean {
  if (RISKY.test(program) || program.includes('\\\n')) return false;
  const print = program.search(/print/);
  return print < 0 || !program.slice(print).includes('>');
}

/** Returns the files of an awk call that only prints; null for any other. */
export function awkPrints(command: ShellCommand): PathUse[] | null {
  const operands: PathUse[] = [];
  let program: string | null = null;
  for (let i = 1; i < command.words.length; i++) {
    const word = command.words[i] ?? null;
    const glob = command.globs?.[i];
    if (program === null && word !== null && word.startsWith('-')) {
      if (/^-F.+$/s.test(word)) continue;
      const value = command.words[++i] ?? null;
      if (word === '-F' && value !== null) continue;
      if (word !== '-v' || value === null || !/^[a-zA-Z_]\w*=[^\\]*$/.test(value)) return null;
    } else if (program === null) {
      if (word === null || !isHarmlessAwkProgram(word)) return null;
      program = word;
    } else if (word !== null) {
      if (word.startsWith('-') && word !== '-') return null;
      if (!/^[a-zA-Z_]\w*=/.test(word)) operands.push({ word, glob: false });
    } else if (glob === undefined) return null;
    else operands.push({ word: glob, glob: true });
  }
  return program === null ? null : operands;
}

/** Acts of a sed script besides printing. */
export interface SedReach {
  /** It runs commands, or is not understood. */
  readonly runs: boolean;
  /** It reads or writes other files. */
  readonly usesFiles: boolean;
}

const SED_ADDRESS =
  /^(?:\d+(?:~\d+)?|\$|\/(?:\\.|\[[^\]]*\]|[^/\\\n])*\/[IM]*|\\(.)(?:\\.|(?!\1)[^\\\n])*\1[IM]*)/;
const SED_PLAIN = /^(?:[=dDgGhHnNpPxzF]|[lqQL][ \t]*\d*|[btT:][ \t]*[^\s;}]*)/;

/** Reads a sed script as far as it takes to know whether it runs commands or uses files. */
export function scanSed(script: string): SedReach {
  let usesFiles = false;
  let rest = script;
  while (rest !== '') {
    rest = rest.replace(/^[\s;{}]+|^#[^\n]*/, '');
    if (rest === '' || rest.startsWith('#')) continue;
    rest = withoutSedAddresses(rest);
    const command = rest.charAt(0);
    if (command === '{' || command === '}') continue;
    if (/^[rRwW]/.test(command)) usesFiles = true;
    const length = sedCommandLength(rest);
    if (length === null) return { runs: true, usesFiles };
    if (command === 's' && /w[^\n]*$/.test(rest.slice(0, length)))
      usesFiles ||= /[gpiImM\d]*w\s/.test(rest);
    rest = rest.slice(length);
  }
  return { runs: false, usesFiles };
}

function withoutSedAddresses(text: string): string {
  const first = SED_ADDRESS.exec(text)?.[0] ?? '';
  let rest = text.slice(first.length).replace(/^[ \t]+/, '');
  if (first !== '' && rest.startsWith(',')) {
    rest = rest.replace(/^,[ \t]*[+~]?/, '');
    rest = rest.slice(SED_ADDRESS.exec(rest)?.[0].length ?? 0);
  }
  return rest.replace(/^[ \t]*(?:![ \t!]*)?/, '');
}

/** Returns the length of the command a text begins with; null when it runs something or is not known. */
function sedCommandLength(text: string): number | null {
  if (/^[aic]/.test(text)) return /^.(?:\\[\s\S]|[^\\\n])*/.exec(text)?.[0].length ?? null;
  if (/^[rRwWv]/.test(text)) return /^[^\n]*/.exec(text)?.[0].length ?? null;
  if (/^[sy]/.test(text)) {
    const end = SED_SUBSTITUTION.exec(text);
    const flags = end?.[2] ?? 'e';
    return end === null || (text.startsWith('s') && flags.includes('e')) ? null : end[0].length;
  }
  return SED_PLAIN.exec(text)?.[0].length ?? null;
}

const SED_SUBSTITUTION =
  /^[sy]([^\w\s\\])(?:\\[\s\S]|\[(?:\^?\]?)[^\]\n]*\]|(?!\1)[^\\])*?\1(?:\\[\s\S]|(?!\1)[^\\])*\1((?:[gpiImMe\d]|w[^\n]*)*)/;
