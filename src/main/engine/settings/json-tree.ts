import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** A JSON text with comments, read as far as it goes. */
export interface JsonTree {
  /** Null for an empty text. */
  readonly root: Node | null;
  /** The first thing wrong with it: a 1-based line and what was expected there. */
  readonly fault: { readonly line: number; readonly message: string } | null;
  /** The 1-based line of a place in the text. */
  lineOf(offset: number): number;
}

/** Parses tolerantly: comments and trailing commas are fine, a fault does not hide what could be read. */
export function readJson(text: string): JsonTree {
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  if (text.trim() === '') return { root: null, fault: null, lineOf };
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true }) ?? null;
    const [first] = errors;
    const fault = first
      ? { line: lineOf(first.offset), message: explain(first) }
      : nothingRead(root);
    return { root, fault, lineOf };
  } catch {
    return { root: null, fault: { line: 1, message: 'it is nested too deeply' }, lineOf };
  }
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
}

/** The properties of an object in order, repeated names included. Empty for anything else. */
export function propertiesOf(node: Node | null | undefined): Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((child) => {
    const [name, value] = child.children ?? [];
    return name && value ? [{ name: String(name.value), value }] : [];
  });
}

/** The value of a node as plain data. Names like `__proto__` become ordinary own properties. */
export function plainValue(node: Node): unknown {
  if (node.type === 'object')
    return Object.fromEntries(
      propertiesOf(node).map(({ name, value }) => [name, plainValue(value)]),
    );
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  return getNodeValue(node);
}
