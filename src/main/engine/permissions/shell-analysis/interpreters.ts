import { scanSed } from '../read-only/scripts';
import {
  isHarmlessAwk,
  isHarmlessGdb,
  isHarmlessJavaScript,
  isHarmlessPerl,
  isHarmlessPython,
  isHarmlessSql,
} from './harmless-code';
import type { Word } from './words';

/** The ways to give an interpreter its program. Without `input: false` it reads one from its input when it has no other. */
interface Interpreter {
  /** Options whose value (attached, or the next word) is code. */
  readonly code?: RegExp;
  /** Options whose value is a file of code. */
  readonly file?: RegExp;
  /** Further options that take the next word. */
  readonly valued?: RegExp;
  /** The operand from which on operands are code; those before are data. Absent: the first operand is a file of code. */
  readonly codeFrom?: number;
  /** `always`: its input is a program even beside another one. */
  readonly input?: false | 'always';
  /** Tells whether a text of its language can run nothing and read nothing else. */
  readonly isHarmless?: (code: string) => boolean;
}

/** The input of a command: nothing of the line, a file, a text that is known, or something else. */
export type Input =
  | { readonly kind: 'none' | 'file' | 'unknown' }
  | { readonly kind: 'text'; readonly text: string };

const DATA_ONLY = Number.POSITIVE_INFINITY;

const SQL: Interpreter = { codeFrom: DATA_ONLY, isHarmless: isHarmlessSql };

const EDITOR: Interpreter = {
  code: /^(?:-c|--cmd|\+(?=.))/,
  file: /^-[sSu]/,
  codeFrom: DATA_ONLY,
  input: 'always',
  isHarmless: (code) =>
    /^:?(?:q!?|wq?|x|qa!?|wqa|\d+|set \w+|%?p(?:rint)?|normal [Gg]+|\/[\w ]+)$/.test(code),
};

const COMPILER: Interpreter = {
  valued: /^-(?:[xoIDLlB]|include|isystem|imacros|arch|target)$/,
  input: false,
};

/** By name without its version: `python3.11` is `python`. */
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: { code: /^-[a-zA-Z]*?c/, valued: /^-[WX]$/, isHarmless: isHarmlessPython },
  perl: {
    code: /^(?:-(?![MmIVxFCdDT])[a-zA-Z0-9]*?[eE]|-[Mm](?=.*[^\w:=,-])|-d:?)/,
    isHarmless: isHarmlessPerl,
  },
  ruby: { code: /^-[a-zA-Z]*?e/, valued: /^-[rIC]$/ },
  node: {
    code: /^(?:-[a-z]*[ep][a-z]*$|--(?:eval|print|import|loader|experimental-loader)(?:=|$))/,
    valued: /^(?:-r|-C|--require|--env-file|--conditions)$/,
    isHarmless: (code) => /^(?!data:)[\w./@-]+$/.test(code) || isHarmlessJavaScript(code),
  },
  bun: { code: /^(?:-[ep]|--(?:eval|print)(?:=|$))/, input: false },
  php: { code: /^-[rBRE]/, file: /^-[fF]/ },
  lua: { code: /^-e/, valued: /^-l$/ },
  julia: { code: /^(?:-[eE]|--(?:eval|print)(?:=|$))/ },
  Rscript: { code: /^-e/, input: false },
  R: { code: /^-e/ },
  osascript: { code: /^-e/ },
  tclsh: {},
  wish: {},
  expect: { code: /^-c/ },
  pwsh: { code: /^-(?:c|command|e|ec|encodedcommand)$/i, file: /^-f(?:ile)?$/i },
  scala: { code: /^-e/, input: false },
  groovy: { code: /^-e/, input: false },
  elixir: { code: /^(?:-e|--eval|--rpc-eval)/, input: false },
  erl: { code: /^-eval/, input: false },
  guile: { code: /^-c/ },
  racket: { code: /^-e/ },
  sbcl: { code: /^--eval/ },
  ghc: { code: /^-e/, input: false },
  octave: { code: /^--eval/ },
  gnuplot: { code: /^-e/ },
  swift: { code: /^-e/, input: false },
  emacs: {
    code: /^--?(?:eval|execute)=?/,
    file: /^(?:-l|--load=?|--script=?)/,
    codeFrom: DATA_ONLY,
    input: false,
  },
  jshell: {},
  m4: {},
  dc: {
    code: /^(?:-e|--expression=?)/,
    file: /^(?:-f|--file=?)/,
    isHarmless: (code) => !/[!?]/.test(code),
  },
  gdb: {
    code: /^--?(?:i?ex|(?:init-)?eval-command)(?:=|$)/,
    file: /^--?(?:i?x|(?:init-)?command)(?:=|$)/,
    codeFrom: DATA_ONLY,
    input: 'always',
    isHarmless: isHarmlessGdb,
  },
  lldb: {
    code: /^(?:-[oOk]|--one-line)/,
    file: /^(?:-[sS]|--source)/,
    codeFrom: DATA_ONLY,
    isHarmless: isHarmlessGdb,
  },
  sqlite: { ...SQL, code: /^-cmd$/, file: /^-init$/, codeFrom: 1 },
  psql: {
    ...SQL,
    code: /^(?:-\w*?c|--command=?)/,
    file: /^(?:-\w*?f|--file=?)/,
    valued: /^-[dhpUvPFRLo]$/,
  },
  mysql: { ...SQL, code: /^(?:-e|--execute=?)/, valued: /^-[huPDS]$/ },
  mariadb: { ...SQL, code: /^(?:-e|--execute=?)/, valued: /^-[huPDS]$/ },
  awk: {
    code: /^(?:-e|--so[urce]*=?)/,
    file: /^(?:-f|--fi[le]*=?|-i|--inc[lude]*=?|-l|--loa[d]*=?|-E|--exe[c]*=?)/,
    valued: /^-[vF]$/,
    codeFrom: 0,
    input: false,
    isHarmless: isHarmlessAwk,
  },
  sed: {
    code: /^(?:-[nErsuzbl]*?e|--ex[presion]*=?)/,
    file: /^(?:-[nErsuz]*?f|--fi[le]*=?)/,
    codeFrom: 0,
    input: false,
    isHarmless: (code) => !scanSed(code).runs,
  },
  make: {
    code: /^(?:-E|--ev[al]*(?:=|$))/,
    file: /^(?:-[a-zA-Z]*?f|--(?:ma[kefil]*|fi[le]*)(?:=|$))/,
    valued: /^-[CIjloW]$/,
    codeFrom: DATA_ONLY,
    input: false,
  },
  vim: EDITOR,
  ex: { ...EDITOR, code: /^(?:-\w*?c|--cmd|\+(?=.))/ },
  ed: {
    codeFrom: DATA_ONLY,
    input: 'always',
    isHarmless: (code) => !/!|^\s*[\d,$.]*[er]\s/m.test(code),
  },
  ftp: { codeFrom: DATA_ONLY },
  mail: { codeFrom: DATA_ONLY, isHarmless: (code) => !/^\s*[~!|]/m.test(code) },
  sftp: { file: /^-b/, codeFrom: DATA_ONLY },
  ssh: { file: /^-F/, codeFrom: DATA_ONLY, input: false },
  curl: { file: /^(?:-[a-zA-Z#]*?K|--config(?:=|$))/, codeFrom: DATA_ONLY, input: false },
  gcc: COMPILER,
  as: { valued: /^-(?:[oI]|-defsym)$/ },
  rustc: COMPILER,
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...sameAs('python', 'pypy ipython pythonw'),
  ...sameAs('node', 'nodejs tsx ts-node'),
  ...sameAs('ruby', 'irb jruby'),
  ...sameAs('lua', 'luajit texlua'),
  ...sameAs('elixir', 'iex'),
  ...sameAs('pwsh', 'powershell'),
  ...sameAs('ghc', 'runghc runhaskell'),
  ...sameAs('awk', 'gawk mawk nawk original-awk'),
  ...sameAs('sed', 'gsed ssed'),
  ...sameAs('make', 'gmake remake'),
  ...sameAs('vim', 'vi nvim view gvim rvim vimdiff vim.basic vim.tiny'),
  ...sameAs('gcc', 'g++ cc c++ clang clang++ tcc cpp'),
  ...sameAs('ftp', 'telnet lftp ncftp tnftp pftp'),
  ...sameAs('mail', 'mailx Mail nail s-nail mutt'),
};

function sameAs(name: string, others: string): Record<string, string> {
  return Object.fromEntries(others.split(' ').map((other) => [other, name]));
}

/** Modules of Python that run the code they are given as an argument. */
const RUNNING_MODULES =
  /^(?:timeit|pdb|bdb|code|cProfile|profile|trace|runpy|asyncio|doctest|_?pyrepl\b.*|IPython|bpython|ptpython|ipdb|pudb|idlelib\b.*)$/;

/** Returns the name of a program without its version: `python3.11` is `python`, `bash-5.2` is `bash`. */
export function withoutVersion(name: string, isKnown: (name: string) => boolean): string {
  return isKnown(name) ? name : name.replace(/[-.]?\d[\d.]*$/, '');
}

/** Tells whether a program is an interpreter, whatever its version. */
export const isInterpreter = (name: string): boolean => interpreterOf(name) !== undefined;

function interpreterOf(name: string): string | undefined {
  const isKnown = (one: string) =>
    Object.hasOwn(INTERPRETERS, one) || Object.hasOwn(OTHER_NAMES, one);
  const plain = withoutVersion(name, isKnown);
  const own = Object.hasOwn(OTHER_NAMES, plain) ? (OTHER_NAMES[plain] ?? plain) : plain;
  return Object.hasOwn(INTERPRETERS, own) ? own : undefined;
}

/**
 * Returns the words by which an interpreter may be given files of code; null where any word of it may be one: its operands
 * are not data.
 */
export function filesOfCode(
  name: string,
  words: readonly (string | null)[],
): readonly string[] | null {
  const own = interpreterOf(name);
  const interpreter = own === undefined ? undefined : INTERPRETERS[own];
  if (interpreter?.codeFrom === undefined) return null;
  return words.flatMap((word, at) => {
    const option = at > 0 && word?.startsWith('-') ? interpreter.file?.exec(word) : null;
    return option ? ((word?.slice(option[0].length) || words[at + 1]) ?? []) : [];
  });
}

/** Returns the options that take the next word of an interpreter whose first operand is a file of code; null for others. */
export function takesCodeFile(name: string): RegExp | null {
  const own = interpreterOf(name);
  const interpreter = own === undefined ? undefined : INTERPRETERS[own];
  if (interpreter === undefined) return null;
  return interpreter.codeFrom === undefined ? (interpreter.valued ?? /^$/) : null;
}

/**
 * Returns the code a command gives an interpreter in the line itself; null for code only known at run time. Null for
 * programs that are no interpreters.
 */
export function codeOf(
  name: string,
  words: readonly Pick<Word, 'value'>[],
  input: Input,
): { readonly code: readonly (string | null)[]; readonly isHarmless: boolean } | null {
  const own = interpreterOf(name);
  const interpreter = own === undefined ? undefined : INTERPRETERS[own];
  if (!interpreter) return null;
  const code = [...programs(interpreter, words, input)];
  const at = words.findIndex((word) => word.value === '-m');
  const module =
    at > 0
      ? words[at + 1]?.value
      : words.find(({ value }) => /^-m./.test(value ?? ''))?.value?.slice(2);
  if (own === 'python' && RUNNING_MODULES.test(module ?? '')) code.push(null);
  // Several scripts of sed are one: what ends in a backslash goes on in the next.
  const texts = own === 'sed' && !code.includes(null) ? [code.join('\n')] : code;
  const isHarmless =
    code.length === 0 ||
    texts.every((text) => text !== null && interpreter.isHarmless?.(text) === true);
  return { code, isHarmless };
}

/** Returns the programs in the words of an interpreter when all of them only compute: `psql -c "select * from curl"`. */
export function harmlessCode(
  name: string,
  words: readonly Pick<Word, 'value'>[],
): readonly (string | null)[] {
  const found = codeOf(name, words, { kind: 'none' });
  return found?.isHarmless && !found.code.includes(null) ? found.code : [];
}

/** Programs that give what they start its arguments as they are. A second shell, as that of `ssh`, reads those again. */
const PASSES_ON = /^(?:docker|docker-compose|podman|nerdctl|kubectl|lxc)$/;
/** Options of theirs, in front of the container, that take a value. */
const VALUED =
  /^(?:-[vwepunc]|--(?:volume|workdir|env|env-file|publish|user|name|mount|network|namespace|container|index))$/;

/**
 * Returns the same of an interpreter that such a runner starts (`docker exec db psql -c "…"`), where that stands, and where
 * names of containers do. A name with no option behind it may be one of those, and one of an image starts anything.
 */
export function harmlessCodeBehind(
  runner: string,
  words: readonly Pick<Word, 'value'>[],
): {
  readonly names: readonly number[];
  readonly at: number;
  readonly code: readonly (string | null)[];
} {
  const start = words.findIndex(({ value }) => /^(?:exec|run)$/.test(value ?? ''));
  const isOwn = !words.some(({ value }) => value?.startsWith('--entry'));
  const values = words.flatMap(({ value }, at) => (VALUED.test(value ?? '') ? [at + 1] : []));
  const container = words.findIndex(
    ({ value }, at) => at > start && /^[^-]/.test(value ?? '-') && !values.includes(at),
  );
  const isGiven = PASSES_ON.test(runner) && isOwn && start >= 0 && container > 0;
  for (let at = container + 1; isGiven && at < words.length; at++) {
    if (!words[at + 1]?.value?.startsWith('-')) continue;
    const code = harmlessCode(words[at]?.value?.split('/').at(-1) ?? '', words.slice(at));
    if (code.length > 0)
      return { names: [...values.filter((one) => one < at), container], at, code };
  }
  return { names: [], at: words.length, code: [] };
}

/** Tells whether a command gives an interpreter a program that runs nothing, so that all other words are data for it. */
export function onlyComputes(name: string, words: readonly Word[]): boolean {
  const own = interpreterOf(name);
  const found = codeOf(name, words, { kind: 'none' });
  const { codeFrom = 0 } = (own === undefined ? undefined : INTERPRETERS[own]) ?? {};
  return codeFrom === 0 && found !== null && found.code.length > 0 && found.isHarmless;
}

function* programs(
  { code, file, valued, codeFrom, input: reads }: Interpreter,
  words: readonly Pick<Word, 'value'>[],
  input: Input,
): Generator<string | null> {
  // sqlite3 reads its input unless an operand is its program, whatever its options run before.
  const isOperand = codeFrom !== undefined && codeFrom > 0 && codeFrom < DATA_ONLY;
  let given = false;
  let fromInput = false;
  let operands = 0;
  for (let i = 1; i < words.length; i++) {
    const word = words[i]?.value ?? null;
    const isOption = word !== null && /^[-+]./.test(word) && word !== '--';
    const option = isOption ? (code?.exec(word) ?? file?.exec(word)) : null;
    if (option && word !== null) {
      const attached = word.slice(option[0].length);
      const value = attached === '' ? (words[++i]?.value ?? null) : attached;
      given ||= !isOperand;
      if (code?.test(word)) yield value;
      else if (value === '-' || isOwnInput(value)) fromInput = true;
      else if (value === null || isStream(value)) yield null;
    } else if (isOption) {
      if (valued?.test(word)) i++;
    } else if (word === '-' || isOwnInput(word)) {
      fromInput ||= codeFrom === undefined;
      if (codeFrom === undefined) break;
    } else if (codeFrom === undefined) {
      // A file of code: what is in it was there before, or was written by this line, which is looked at elsewhere.
      if (word !== null && isStream(word)) yield null;
      given = true;
      break;
    } else {
      if (operands++ >= codeFrom && !(given && codeFrom === 0)) yield word;
      if (codeFrom === 0 || operands > codeFrom) given = true;
    }
  }
  const isRead = fromInput || reads === 'always' || (!given && reads !== false);
  if (!isRead) return;
  if (input.kind === 'text') yield input.text;
  if (input.kind === 'unknown') yield null;
}

/** Tells whether a path is the command's own input. */
const isOwnInput = (path: string | null): boolean =>
  /^\/(?:dev\/(?:stdin|fd\/0)|proc\/(?:self|\d+)\/fd\/0)$/.test(path ?? '');

/** Tells whether a path is an open file or a process substitution, whose content nobody knows. */
export const isStream = (path: string): boolean =>
  /^\/(?:dev\/(?:stdin|fd\/)|proc\/(?:self|\d+)\/fd\/)/.test(path);
