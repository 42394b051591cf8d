import type { Node } from 'web-tree-sitter';

/** One argument as the shell will see it, as far as the text alone tells. */
export interface Word {
  /** Quotes and escapes resolved; null when only known at run time. */
  readonly value: string | null;
  /** Set when the word is a file glob: its pattern, quoted glob characters escaped by a backslash. */
  readonly glob: string | null;
  /** The text as written. */
  readonly source: string;
  /** It stands for files with names that fit one of these patterns. */
  readonly names?: readonly string[];
  /** Those files are below one of these folders. */
  readonly roots?: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Facts about a word besides its value. */
export interface WordFindings {
  /** Command and process substitutions, to be judged as commands of their own. */
  readonly substitutions: Node[];
  /** Expansions that can set or run something by themselves. */
  readonly doubts: string[];
  /** Places where the parser and the shell may see different commands. */
  readonly problems: string[];
  /** Texts that the shell evaluates as arithmetic: a value in them may run commands. */
  readonly evaluated: Evaluated[];
  readonly numeric: Numeric[];
  /** Reasons why it may run what it does not show. */
  readonly hidden: string[];
  /** Every variable it sets, for itself or for what follows. */
  readonly assigned: Assigned[];
}

/** A variable and what it is set to; null for a value only known at run time. */
export interface Assigned {
  readonly name: string;
  readonly value: string | null;
}

/** A text of arithmetic. A subscript is one, too: that an array takes names instead, no line shows for sure. */
export interface Evaluated {
  readonly text: string;
}

/** A text that is a reason to doubt its command, unless it computes with numbers. */
interface Numeric extends Evaluated {
  readonly doubt: string;
}

/** Creates empty findings. */
export const noFindings = (): WordFindings => ({
  substitutions: [],
  doubts: [],
  problems: [],
  evaluated: [],
  numeric: [],
  hidden: [],
  assigned: [],
});

/** Operators of `${x…}` that only compute a text. */
const PURE_EXPANSION = new Set([
  '$' + '{',
  ...'} : :- - :+ + :? ? # ## % %% / // /# /% ^ ^^ , ,,'.split(' '),
]);

/** Resolves one argument of a command and collects what it contains. */
export function resolveWord(node: Node, findings: WordFindings): Word {
  const build = new WordBuilder();
  append(node, build, findings);
  return { ...build.finish(), source: node.text, start: node.startIndex, end: node.endIndex };
}

const BRACES = /^([\w./-]*)\{([\w./-]*(?:,[\w./-]*)+)\}([\w./-]*)$/;

/**
 * Returns the words that `src/{a,b}.ts` stands for; any other word alone. Together they keep the
 * text as written.
 */
export function bracedWords(word: Word): Word[] {
  const [, before = '', parts, after = ''] = BRACES.exec(word.source) ?? [];
  if (parts === undefined) return [word];
  return parts
    .split(',')
    .map((part, at) => ({
      ...word,
      value: before + part + after,
      source: at === 0 ? word.source : '',
    }))
    .filter(({ value }) => value !== '');
}

/** Returns what a word says, quotes taken off: what is only known at run time stands in it as it is written. */
export const textAsWritten = ({ value, source }: Word): string =>
  value ??
  source.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/gs,
    (_, raw?: string, quoted = '') => raw ?? unescapeDoubleQuoted(quoted),
  );

/** Creates a word that is not in the source as such. */
export const literalWord = (value: string, start: number, end: number): Word => ({
  value,
  glob: null,
  source: value,
  start,
  end,
});

class WordBuilder {
  #value = '';
  #pattern = '';
  #glob = false;
  #unknown = false;
  #brace = false;
  #braceParts = false;
  #isFirst = true;

  quoted(text: string): void {
    // A quoted tilde is a file named `~`, not the home folder.
    if (this.#isFirst && text.startsWith('~')) this.#literal(`./${text}`);
    else this.#literal(text);
  }

  #literal(text: string): void {
    this.#value += text;
    this.#pattern += text.replace(/[*?[\]\\]/g, '\\$&');
    if (text !== '') this.#isFirst = false;
  }

  unquoted(source: string): void {
    const text = source.replaceAll('\\\n', '');
    if (this.#isFirst && /^(~[^/]|=)/.test(text)) this.#unknown = true;
    for (let i = 0; i < text.length; i++) {
      const char = text.charAt(i);
      if (char === '\\') {
        this.quoted(text.charAt(++i));
        continue;
      }
      if ('*?['.includes(char)) this.#glob = true;
      if (char === '{') this.#brace = true;
      if (this.#brace && (char === ',' || (char === '.' && text[i + 1] === '.')))
        this.#braceParts = true;
      this.#value += char;
      this.#pattern += char;
      this.#isFirst = false;
    }
  }

  unknown(): void {
    this.#unknown = true;
    this.#isFirst = false;
  }

  finish(): { value: string | null; glob: string | null } {
    if (this.#unknown || (this.#brace && this.#braceParts)) return { value: null, glob: null };
    return this.#glob ? { value: null, glob: this.#pattern } : { value: this.#value, glob: null };
  }
}

function append(node: Node, build: WordBuilder, findings: WordFindings): void {
  const text = plainText(node);
  if (text !== null) {
    // This grammar takes a line that begins with a backslash for a word of the line before.
    if (!text.quoted && /\n/.test(text.value.replaceAll('\\\n', '')))
      findings.problems.push('a line that begins in an unusual way');
    if (text.quoted) build.quoted(text.value);
    else build.unquoted(text.value);
  } else if (node.type === 'process_substitution' && node.text.startsWith('<(')) {
    // The shell passes a device with the output of the command inside.
    build.quoted('/dev/fd/63');
    inspect(node, findings);
  } else if (node.type === 'command_name' || node.type === 'concatenation') {
    for (const child of node.children) append(child, build, findings);
  } else {
    build.unknown();
    inspect(node, findings);
  }
}

/**
 * Returns the text of a part that the shell takes as it is, quotes removed; null for everything
 * else.
 */
function plainText(node: Node): { readonly value: string; readonly quoted: boolean } | null {
  switch (node.type) {
    case 'word':
    case 'variable_name':
    case '$':
    case '==':
    case '=~':
    case 'test_operator':
      return { value: node.text, quoted: false };
    case 'number':
      return node.childCount > 0 ? null : { value: node.text, quoted: false };
    case 'raw_string':
      return { value: node.text.slice(1, -1), quoted: true };
    case 'ansi_c_string': {
      const value = decodeAnsiC(node.text.slice(2, -1));
      return value === null ? null : { value, quoted: true };
    }
    case 'string': {
      const literal = node.children.every((part) => /^("|string_content)$/.test(part.type));
      return literal ? { value: unescapeDoubleQuoted(node.text.slice(1, -1)), quoted: true } : null;
    }
    default:
      return null;
  }
}

const unescapeDoubleQuoted = (text: string): string =>
  text.replace(/\\([$`"\\\n])/g, (_, char: string) => (char === '\n' ? '' : char));

/** Collects substitutions and doubtful expansions anywhere below a node. */
export function inspect(node: Node, findings: WordFindings): void {
  switch (node.type) {
    case 'command_substitution':
    case 'process_substitution':
      if (node.text.startsWith('`') && node.text.includes('\\'))
        findings.problems.push('backquotes with backslashes in them');
      findings.substitutions.push(node);
      // In here-documents this grammar takes arithmetic for a command in brackets.
      if (/^\$\(\(.*\)\)$/s.test(node.text))
        findings.evaluated.push({ text: node.text.slice(3, -2) });
      return;
    case 'word':
      if (HIDDEN_EXPANSION.test(node.text))
        findings.problems.push('an expansion that the parser takes for text');
      break;
    case 'raw_string':
      // Inside double quotes a single quote is a character like any other.
      if (/[`$]/.test(node.text) && isInQuotes(node))
        findings.problems.push('an expansion that the parser takes for text');
      break;
    case 'regex':
      if (/[`$]/.test(node.text)) findings.problems.push('an expansion inside a pattern');
      break;
    case 'arithmetic_expansion':
      addArithmetic(node.text.replace(/^\$(\(\(|\[)|(\)\)|\])$/g, ''), findings);
      if (node.text.startsWith('$[')) findings.doubts.push(HIDDEN_IN_VALUES);
      break;
    case 'expansion':
      if (!isPureExpansion(node)) {
        // In quotes this grammar takes the blanks in front for a part of it.
        const written = node.text.trimStart();
        const doubt = `${written} does more than insert a value`;
        const [, text] = ELEMENT.exec(written) ?? [];
        if (text === undefined) findings.doubts.push(doubt);
        else findings.numeric.push({ text, doubt });
        inspectExpansion(written.slice(2, -1), findings);
      }
      break;
    case 'ERROR':
      findings.problems.push('a part of it could not be parsed');
      break;
  }
  for (const child of node.children) inspect(child, findings);
}

/** One element of an array, by a name or a variable. */
const ELEMENT = /^\$\{#?\w+\[(\w+|\$\w+|\$\{\w+\})\]\}$/;

/** Adds a text that the shell evaluates as arithmetic for its value or its effect. */
export function addArithmetic(text: string, findings: WordFindings): void {
  findings.evaluated.push({ text });
  findings.numeric.push({ text, doubt: HIDDEN_IN_VALUES });
}

export const HIDDEN_IN_VALUES = 'arithmetic on variables can run commands hidden in their values';

/** Tells whether a part of `${…}` stands in double quotes or in a here-document. */
function isInQuotes(node: Node): boolean {
  for (let around = node.parent; around !== null; around = around.parent) {
    if (around.type === 'string' || around.type === 'heredoc_body') return true;
    if (!/^(?:expansion|concatenation)$/.test(around.type)) return false;
  }
  return false;
}

/** Collects what `${…}` evaluates or looks up once more. `inner` is the text between its braces. */
function inspectExpansion(inner: string, findings: WordFindings): void {
  const isList = /^!\w+(\[[@*]\]|[@*])$/.test(inner);
  if ((inner.startsWith('!') && !isList) || /@P$/.test(inner))
    findings.hidden.push(`\${${inner}} evaluates what a variable holds`);
  const [, array, subscript, rest = ''] = /^#?(\w+|[@*])(?:\[([^\]]*)\])?(.*)$/s.exec(inner) ?? [];
  if (array !== undefined && subscript !== undefined && !/^[@*]?$/.test(subscript))
    findings.evaluated.push({ text: subscript });
  const slice = /^:(?![-=?+])(.*)$/s.exec(rest)?.[1];
  if (slice !== undefined) findings.evaluated.push({ text: slice });
  const given = /^:?=(.*)$/s.exec(rest)?.[1];
  if (array !== undefined && given !== undefined)
    findings.assigned.push({ name: array, value: /^[\w./-]*$/.test(given) ? given : null });
}

/** This grammar overlooks backquotes inside `${x:-…}`. */
const HIDDEN_EXPANSION = /(?<!\\)(?:\\\\)*(?:`|\$[({])/;

function isPureExpansion(node: Node): boolean {
  const slices = node.children.some((child) => child.type === ':');
  return node.children.every((child, index) => {
    if (!child.isNamed) return PURE_EXPANSION.has(child.type);
    if (child.type === 'variable_name' || child.type === 'special_variable_name') return index <= 2;
    // Any other index is arithmetic, which can run commands.
    if (child.type === 'subscript') return index <= 2 && /^\w+\[(\d+|[@*])\]$/.test(child.text);
    if (slices) return child.type === 'number' && child.childCount === 0;
    return index > 1 && OPERANDS.has(child.type);
  });
}

const OPERANDS = new Set(
  'word string raw_string number concatenation simple_expansion expansion command_substitution regex ansi_c_string'.split(
    ' ',
  ),
);

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** An escape of `$'…'`: a name, octal, hexadecimal, Unicode, or a control letter. */
const ESCAPE =
  /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))/gs;

/**
 * Decodes `$'…'` (without the signs around it); null when it has an escape that shells read
 * differently or a NUL, at which they stop.
 */
export function decodeAnsiC(text: string): string | null {
  if (/\\(?![abeEfnrtv\\'"?0-7xuUc])/.test(text.replace(/\\\\/g, ''))) return null;
  const decoded = text.replace(
    ESCAPE,
    (
      whole,
      name?: string,
      octal?: string,
      hex?: string,
      u?: string,
      U?: string,
      control?: string,
    ) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
      const code =
        octal === undefined
          ? Number.parseInt(hex ?? u ?? U ?? '', 16)
          : Number.parseInt(octal, 8) & 0xff;
      // Above ASCII, bytes and characters are not the same in every locale.
      return code > 0 && code < 0x80 ? String.fromCharCode(code) : '\0';
    },
  );
  return decoded.includes('\0') ? null : decoded;
}
