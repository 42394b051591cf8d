import {
  createScanner,
  type FormattingOptions,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import { err, fault, ok, type Result } from '../../../shared/result';

/** The text of a file, and how it was written. */
interface DecodedText {
  /** Without byte order marks at its beginning. */
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16';
  /** The part of its encoding that other programs may not understand; null: none. */
  readonly oddity: string | null;
}

/**
 * Reads the bytes of a settings file as text: UTF-8, or UTF-16 with a byte order mark. Bytes that are no text become
 * U+FFFD. Pure.
 */
export function decodeText(bytes: Uint8Array | string): DecodedText {
  const encoding = typeof bytes === 'string' ? 'utf-8' : encodingOf(bytes);
  const marked =
    typeof bytes === 'string'
      ? bytes
      : new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
  const text = marked.replace(/^\uFEFF+/, '');
  const oddity =
    marked.length - text.length > 1
      ? 'the file begins with more than one byte order mark, and other programs may refuse it'
      : encoding === 'utf-8'
        ? null
        : 'the file is read as UTF-16; UTF-8 is expected, and other programs may refuse it';
  return { text, encoding: encoding === 'utf-8' ? 'utf-8' : 'utf-16', oddity };
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** A JSON text with comments, read as far as it goes. */
export interface JsonTree {
  /** Null for an empty text. */
  readonly root: Node | null;
  /** The first thing wrong with it: a 1-based line and what was expected there. */
  readonly fault: { readonly line: number; readonly message: string } | null;
  /** The places at which the text is wrong, in order. UTF-16 units. */
  readonly faultsAt: readonly number[];
  /** True when the text stops before what it began is complete. */
  readonly endsEarly: boolean;
  /** Returns the 1-based line of a place in the text. */
  lineOf(offset: number): number;
}

/** Parses tolerantly: comments and trailing commas are fine, a fault does not hide what could be read. */
export function readJson(text: string): JsonTree {
  const lineOf = lineCounter(text);
  const whole = { faultsAt: [], endsEarly: false };
  if (text.trim() === '') return { root: null, fault: null, ...whole, lineOf };
  const tooDeep = placeOfDepth(MAX_DEPTH, text);
  if (tooDeep !== null) {
    const fault = { line: lineOf(tooDeep), message: `it is nested more than ${MAX_DEPTH} deep` };
    return { root: null, fault, faultsAt: [tooDeep], endsEarly: true, lineOf };
  }
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true }) ?? null;
    const [first] = errors;
    const fault = first
      ? { line: lineOf(first.offset), message: explain(first) }
      : nothingRead(root);
    const end = text.trimEnd().length;
    const endsEarly = errors.some(
      ({ error, offset, length }) =>
        offset + length >= end && !/^(EndOfFile|InvalidSymbol)/.test(printParseErrorCode(error)),
    );
    return { root, fault, faultsAt: errors.map(({ offset }) => offset), endsEarly, lineOf };
  } catch {
    const fault = { line: 1, message: 'it is nested too deeply' };
    return { root: null, fault, faultsAt: [0], endsEarly: true, lineOf };
  }
}

/** Tells whether nothing but whole comments stands in a text. Pure. */
export function holdsOnlyComments(text: string): boolean {
  if (text.trim() === '' || stripComments(text).trim() !== '') return false;
  const errors: ParseError[] = [];
  parseTree(text, errors);
  return errors.every(({ error }) => printParseErrorCode(error) !== 'UnexpectedEndOfComment');
}

/** Objects and lists within one another: what reads them needs a call in a call for each. */
const MAX_DEPTH = 200;

/** Returns where a text first has more brackets open than this; null where it never does. Pure. */
function placeOfDepth(most: number, text: string): number | null {
  if ((text.match(/[[{]/g)?.length ?? 0) <= most) return null;
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    // Texts and comments are tokens of their own, which begin with other signs.
    const sign = text[scanner.getTokenOffset()];
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (depth > most) return scanner.getTokenOffset();
  }
  return null;
}

/** Returns the 1-based line of places in a text. The line ends are looked for once, at the first question. Pure. */
function lineCounter(text: string): (offset: number) => number {
  let ends: number[] | null = null;
  return (offset) => {
    ends ??= lineEnds(text);
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function lineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return ends;
}

const nothingRead = (root: Node | null) =>
  root === null ? { line: 1, message: 'a JSON object is expected' } : null;

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a value or a name is expected here, texts in double quotes',
  InvalidNumberFormat: 'this is not a valid number',
  PropertyNameExpected: 'a name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing } is expected here',
  CloseBracketExpected: 'a closing ] is expected here',
  EndOfFileExpected: 'nothing more is expected here',
  InvalidCommentToken: 'a comment is not complete',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a text is not closed by a double quote',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'a \\u sequence is not valid',
  InvalidEscapeCharacter: 'a backslash sequence is not valid',
  InvalidCharacter: 'a character is not allowed in a text',
};

const explain = (error: ParseError): string =>
  EXPECTED[printParseErrorCode(error.error)] ?? 'this is not valid JSON';

/** One property of an object, with the places of its name and value. */
export interface Property {
  readonly name: string;
  readonly value: Node;
  /** The place at which the name begins. UTF-16 units. */
  readonly at: number;
}

/**
 * Returns the properties of an object in order, repeated names included. Empty for anything else.
 */
export function propertiesOf(node: Node | null | undefined): Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((child) => {
    const [name, value] = child.children ?? [];
    return name && value ? [{ name: String(name.value), value, at: name.offset }] : [];
  });
}

/** Returns the values of all properties of one name: of hooks that stand twice, any may be a guard. */
export const allNamed = (node: Node | null, name: string): readonly Node[] =>
  propertiesOf(node).flatMap((one) => (one.name === name ? one.value : []));

/**
 * Returns the value of a node as plain data. Names like `__proto__` become ordinary own properties.
 */
export function plainValue(node: Node): unknown {
  if (node.type === 'object')
    return Object.fromEntries(
      propertiesOf(node).map(({ name, value }) => [name, plainValue(value)]),
    );
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  return getNodeValue(node);
}

/** A settings file's text, taken apart so that it can be changed. */
export interface SettingsText {
  readonly bom: string;
  /** The text without its byte order mark; an empty object when it was empty. */
  readonly body: string;
  readonly root: Node;
  readonly tree: JsonTree;
}

/** Reads a settings file's text, or says why it cannot be changed. Pure. */
export function readRoot(text: string, file: string): Result<SettingsText> {
  const bom = /^\uFEFF*/.exec(text)?.[0] ?? '';
  const body = text.slice(bom.length).trim() === '' ? '{}\n' : text.slice(bom.length);
  const tree = readJson(body);
  if (tree.fault !== null)
    return refuse(file, `line ${tree.fault.line}: ${tree.fault.message}`, tree.fault.line);
  const { root } = tree;
  if (root?.type !== 'object') return refuse(file, 'an object is expected', 1);
  return ok({ bom, body, root, tree });
}

/** Creates the error for a file that is left as it is. */
export const refuse = (file: string, what: string, line: number): Result<never> =>
  err(
    fault(
      'malformed_settings',
      `Nothing was saved, because ${file} cannot be understood (${what}). The file was not touched.`,
      `Correct line ${line} of ${file} and choose again.`,
    ),
  );

/** Returns the indentation and line ends that the file has already. */
export function layoutOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** A part of a text, UTF-16 units [start, end). */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns a JSON text without one item of a list: the item, one comma, and the line when nothing
 * else stands on it. Every comment and all other layout stay. Pure. (The edits of jsonc-parser take
 * comments along and can break one-line lists.)
 */
export function withoutItem(text: string, list: Node, index: number): string {
  const items = list.children ?? [];
  const item = items[index];
  if (item === undefined) return text;
  const previous = items[index - 1];
  const comma =
    commaAfter(text, endOf(item)) ?? (previous ? commaAfter(text, endOf(previous)) : null);
  const spans = [{ start: item.offset, end: endOf(item) }, ...(comma ? [comma] : [])];
  return spans.toSorted((a, b) => b.start - a.start).reduce(cut, text);
}

/** Returns a JSON text without a property of an object; every comment and all other layout stay. Pure. */
export const withoutProperty = (text: string, object: Node, name: string): string =>
  withoutItem(
    text,
    object,
    propertiesOf(object).findIndex((one) => one.name === name),
  );

const endOf = (node: Node): number => node.offset + node.length;

/**
 * Returns the comma that comes next, over white space and comments; null when something else does.
 */
function commaAfter(text: string, offset: number): Span | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const start = scanner.getTokenOffset();
  return text[start] === ',' ? { start, end: start + 1 } : null;
}

/** Cuts a span out, with the line it leaves empty or the blanks it leaves over. */
function cut(text: string, { start, end }: Span): string {
  const left = text.slice(0, start);
  const right = text.slice(end);
  const alone = /(^|\n)[ \t]*$/.test(left) && /^[ \t]*\r?\n/.test(right);
  if (alone) return left.replace(/[ \t]*$/, '') + right.replace(/^[ \t]*\r?\n/, '');
  const ends = /^[ \t]*(\r?\n|$)/.test(right);
  return ends ? left.replace(/[ \t]+$/, '') + right : left + right.replace(/^[ \t]+/, '');
}

/** Returns what kind of value stands somewhere, for people: `a list`, `a number`. Pure. */
export const kindOf = ({ type }: Node): string =>
  type === 'array' ? 'a list' : type === 'null' ? 'null' : `a ${type}`;
