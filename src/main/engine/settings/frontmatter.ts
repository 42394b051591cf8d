import type { SettingsProblem } from '../../../shared/settings';
import { decodeText } from './json-text';

/** The fields of a Markdown file that stand between its first two `---` lines, and the text behind them. */
export interface Frontmatter {
  /** By name, as written; plain values only. A map, so that no name is special. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Returns the line of the file in which a field stands; 1 for one that is not there. */
  lineOf(field: string): number;
  readonly body: string;
  /** The reason that the fields cannot be read, and its line; null when they could be. */
  readonly fault: { readonly message: string; readonly line: number } | null;
  /** Names that are no field's: quoted ones, `__proto__` and the like. They are left out. */
  readonly odd: readonly { readonly name: string; readonly line: number }[];
  /** The faults of its text, each with its line. */
  readonly remarks: readonly { readonly message: string; readonly line: number }[];
}

/** More aliases than these in one file are an attack on memory. */
const MAX_ALIASES = 50;
/** Longer fields define nothing, and take a parser seconds. UTF-16 units. */
export const MAX_FRONT_CHARS = 32 * 1024;
/** Deeper nesting is no definition of anything, and takes a parser seconds or its stack. */
const MAX_DEPTH = 64;

/**
 * Reads a file's front part as YAML. What people write there is often no YAML to the letter (`description: Use this: …`,
 * `argument-hint: [file] [line]`): such lines are taken as plain text. A file without a closed front part is all body.
 */
export async function readFrontmatter(bytes: Uint8Array | string): Promise<Frontmatter> {
  const remarks = remarksOn(bytes);
  try {
    return { ...(await readText(decodeText(bytes).text)), remarks };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { ...plainFile(''), fault: { message: firstLine(message), line: 1 }, remarks };
  }
}

/** Returns what is wrong with the bytes of a file as a text, each with its line. Pure. */
export function remarksOn(bytes: Uint8Array | string): Frontmatter['remarks'] {
  const { text, oddity } = decodeText(bytes);
  const at = text.search(/[\0\uFFFD]/);
  return [
    ...(oddity === null ? [] : [{ message: oddity, line: 1 }]),
    ...(at < 0
      ? []
      : [{ message: 'some of it is not UTF-8 text', line: text.slice(0, at).split('\n').length }]),
  ];
}

/** Splits a text into its fields, as written, and what is behind them; null when it does not begin with fields. Pure. */
export function splitFront(text: string): { readonly front: string; readonly body: string } | null {
  const parts = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/m.exec(text);
  return parts?.index === 0 ? { front: parts[1] ?? '', body: (parts[2] ?? '').trim() } : null;
}

async function readText(text: string): Promise<Omit<Frontmatter, 'remarks'>> {
  const parts = splitFront(text);
  if (parts === null) {
    const isOpen = /^---[ \t]*\r?\n[A-Za-z][\w-]*:(?:\s|$)/.test(text);
    const message = isOpen
      ? 'the line --- that ends the fields is missing'
      : 'the fields are expected behind a first line of three dashes and nothing else';
    const isMeant = isOpen || beginsAsFields(text);
    return { ...plainFile(text.trim()), fault: isMeant ? { message, line: 1 } : null };
  }
  const { front, body } = parts;
  if (front.trim() === '') return plainFile(body);
  const faultAt = (message: string, line: number) => ({
    ...plainFile(body),
    fault: { message, line },
  });
  if (front.length > MAX_FRONT_CHARS) return faultAt('its fields are longer than 32 KB', 2);
  if (deepest(front) > MAX_DEPTH) return faultAt('it is nested too deeply', 2);
  const yaml = await import('yaml');
  const parse = (source: string) => {
    const lines = new yaml.LineCounter();
    const document = yaml.parseDocument(source, {
      lineCounter: lines,
      logLevel: 'silent',
      // Their words name a line of the fields, which is another one of the file.
      prettyErrors: false,
    });
    return { document, lineAt: (offset: number) => lines.linePos(offset).line + 1 };
  };
  const isYaml = (line: string) => parse(line).document.errors.length === 0;
  const first = parse(front);
  const read = first.document.errors.length === 0 ? first : parse(quoted(front, isYaml));
  const { document, lineAt } = read.document.errors.length === 0 ? read : first;
  const [error] = document.errors;
  if (error) return faultAt(firstLine(error.message), lineAt(error.pos[0]));
  const { contents } = document;
  if (contents === null) return plainFile(body);
  if (!yaml.isMap(contents) || contents.flow === true) {
    return faultAt('"name: value" lines are expected between the two --- lines', 2);
  }
  const fields = new Map<string, unknown>();
  const at = new Map<string, number>();
  const odd: { name: string; line: number }[] = [];
  for (const { key, value } of contents.items) {
    const name = yaml.isScalar(key) ? String(key.value) : '';
    // Trust looks for the names as they are written plainly.
    const isPlain = yaml.isScalar(key) && key.type === 'PLAIN' && /^[A-Za-z][\w-]*$/.test(name);
    if (!isPlain) {
      const place = yaml.isNode(key) ? (key.range?.[0] ?? 0) : 0;
      odd.push({ name, line: lineAt(place) });
      continue;
    }
    try {
      fields.set(
        name,
        yaml.isNode(value) ? value.toJS(document, { maxAliasCount: MAX_ALIASES }) : null,
      );
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return faultAt(`${name}: ${why}`, lineAt(key.range?.[0] ?? 0));
    }
    at.set(name, lineAt(key.range?.[0] ?? 0));
  }
  return { fields, lineOf: (field) => at.get(field) ?? 1, body, fault: null, odd };
}

/**
 * Returns what stands where fields do, be it not valid or without an end: up to a line of dashes or a block of code. Null
 * where a text does not begin with a line of dashes. Pure.
 */
export function frontWritten(text: string): string | null {
  const [first = '', ...lines] = withoutLead(text).split(/\r\n?|\n/);
  if (!first.startsWith('---')) return null;
  const end = lines.findIndex((line) =>
    /^(?:(?:-{3,}|\.{3})[ \t]*$|[ \t]*(?:`{3}|~{3}))/.test(line),
  );
  return lines.slice(0, end < 0 ? lines.length : end).join('\n');
}

/** Returns a text without blank lines and comments of HTML at its beginning. */
const withoutLead = (text: string): string => text.replace(/^(?:\s+|<!--[\s\S]*?-->)+/, '');

/** More lines of what may be fields are not looked at: each can take a parser a millisecond. */
const MAX_LOOKED = 200;
const FIELD = /^[ \t]*["']?[A-Za-z][\w-]*["']?[ \t]*:(?:\s|$)/;
const BESIDE_FIELDS = /^(?:\s|#|- |$)/;

/**
 * Tells whether a file begins with what means fields: behind blank lines, comments, more dashes, words or with line ends of
 * old systems. Paragraphs between two rules of Markdown are none. Pure.
 */
function beginsAsFields(text: string): boolean {
  const [first = '', ...lines] = withoutLead(text).split(/\r\n?|\n/, MAX_LOOKED);
  const end = lines.findIndex((line) => /^(?:-{3,}|\.{3})[ \t]*$/.test(line));
  const inside = lines.slice(0, Math.max(0, end));
  return (
    first.startsWith('---') &&
    inside.some((line) => FIELD.test(line)) &&
    inside.every((line) => FIELD.test(line) || BESIDE_FIELDS.test(line))
  );
}

/** Returns the most brackets and list marks that stand in each other, quotes not looked at. Pure. */
function deepest(front: string): number {
  let [depth, most] = [0, 0];
  for (const [mark] of front.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (mark === '[' || mark === '{' ? 1 : -1));
    most = Math.max(most, depth);
  }
  const marks = front.match(/(?:[-?][ \t]+){2,}/g) ?? [];
  return Math.max(most, ...marks.map((run) => run.trim().split(/[ \t]+/).length));
}

const plainFile = (body: string): Omit<Frontmatter, 'remarks'> => ({
  fields: new Map(),
  lineOf: () => 1,
  body,
  fault: null,
  odd: [],
});

const firstLine = (text: string): string => text.split('\n')[0]?.replace(/[.:]\s*$/, '') ?? text;

/**
 * Puts quotes around the values of the first `name: value` lines that are no YAML by themselves. The lines stay where they
 * are.
 */
function quoted(front: string, isYaml: (line: string) => boolean): string {
  let left = MAX_LOOKED;
  return front
    .split('\n')
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Za-z][\w-]*:[ \t]+)(\S.*?)\s*$/.exec(line) ?? [];
      if (name === '' || left === 0) return line;
      left -= 1;
      return isYaml(line) ? line : `${name}${JSON.stringify(value)}`;
    })
    .join('\n');
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...(['true', 'yes', 'on'] as const).map((word): [string, boolean] => [word, true]),
  ...(['false', 'no', 'off'] as const).map((word): [string, boolean] => [word, false]),
]);

/** Returns the state of a switch; null for what is none. In quotes, and in the words of older YAML, it is one too. Pure. */
export const switchOf = (value: unknown): boolean | null =>
  typeof value === 'boolean'
    ? value
    : (SWITCHES.get(typeof value === 'string' ? value.trim().toLowerCase() : '') ?? null);

/** Creates the problem of a field of a file. `level`: an error where what the file defines is left out. */
export const fieldProblem = (
  file: string,
  field: string,
  message: string,
  line = 1,
): SettingsProblem => ({
  file,
  line,
  field,
  message: `${file}, line ${line}: ${field === '' ? '' : `${field}: `}${message}.`,
  level: 'warning',
});

/** Creates the problems of a file as a text. */
export const textProblems = (
  file: string,
  remarks: Frontmatter['remarks'],
): readonly SettingsProblem[] =>
  remarks.map(({ message, line }) => fieldProblem(file, '', message, line));
