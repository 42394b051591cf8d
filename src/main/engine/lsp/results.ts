import { z } from 'zod';
import { withoutHidden } from '../../../shared/plain-line';
import { pathOf } from './documents';

/** A place in a file. Line and character count from 1. */
interface Spot {
  /** Absolute; null for what is in no file, such as a library in an archive. */
  readonly path: string | null;
  /** The address that the server gave. */
  readonly uri: string;
  readonly line: number;
  readonly character: number;
}

/** A thing that a server found, at its place. */
export interface Finding extends Spot {
  /** Its kind and name, and what it is in; '' for a mere place. */
  readonly label: string;
  /** The number of things it is in, as lists show it. */
  readonly depth: number;
}

/** The most findings that are read of one answer. */
const MAX_READ = 5_000;
/** The longest text of a hover that is looked at: much longer than any that is shown. Characters. */
const MAX_HOVER = 100_000;
/** Symbols one in another that are followed. */
const MAX_DEPTH = 20;

const Position = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });
const Range = z.object({ start: Position });
const Location = z.object({ uri: z.string(), range: Range });
const Link = z.object({
  targetUri: z.string(),
  targetSelectionRange: Range.optional(),
  targetRange: Range,
});
const Nested = z.object({
  name: z.string(),
  kind: z.number(),
  detail: z.string().optional().catch(undefined),
  selectionRange: Range,
  children: z.array(z.unknown()).optional().catch(undefined),
});
const Flat = z.object({
  name: z.string(),
  kind: z.number(),
  containerName: z.string().optional().catch(undefined),
  location: z.union([Location, z.object({ uri: z.string() })]),
});
const Item = z.object({
  name: z.string(),
  kind: z.number(),
  detail: z.string().optional().catch(undefined),
  uri: z.string(),
  selectionRange: Range,
});

const KINDS = [
  ...['file', 'module', 'namespace', 'package', 'class', 'method', 'property', 'field'],
  ...['constructor', 'enum', 'interface', 'function', 'variable', 'constant', 'string', 'number'],
  ...['boolean', 'array', 'object', 'key', 'null', 'enum member', 'struct', 'event', 'operator'],
  'type parameter',
];

const kindWord = (kind: number): string => KINDS[kind - 1] ?? 'symbol';

const spot = (uri: string, { start }: z.infer<typeof Range>): Spot => ({
  ...{ path: pathOf(uri), uri },
  ...{ line: start.line + 1, character: start.character + 1 },
});

const listOf = (value: unknown): readonly unknown[] =>
  (Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]).slice(
    0,
    MAX_READ,
  );

/** Reads places, whichever of their three forms they have; each once, in order. Pure. */
export function readPlaces(value: unknown): readonly Finding[] {
  const found = listOf(value).flatMap((one): readonly Finding[] => {
    const link = Link.safeParse(one).data;
    if (link !== undefined) {
      const range = link.targetSelectionRange ?? link.targetRange;
      return [{ ...spot(link.targetUri, range), label: '', depth: 0 }];
    }
    const place = Location.safeParse(one).data;
    return place === undefined ? [] : [{ ...spot(place.uri, place.range), label: '', depth: 0 }];
  });
  const known = new Set<string>();
  return found.filter(({ uri, line, character }) => {
    const key = `${uri}\n${line}\n${character}`;
    return known.has(key) ? false : known.add(key);
  });
}

/** Reads the symbols of a file, or of all: one in another, or in a list. `details`: signatures may be shown, too. Pure. */
export function readSymbols(
  value: unknown,
  uri: string,
  details: boolean,
  depth = 0,
): readonly Finding[] {
  return listOf(value).flatMap((one): readonly Finding[] => {
    const nested = Nested.safeParse(one).data;
    if (nested !== undefined) {
      const { name, kind, detail = '', selectionRange, children = [] } = nested;
      const label = labelOf(kind, name, details ? detail : '');
      const inner = depth < MAX_DEPTH ? readSymbols(children, uri, details, depth + 1) : [];
      return [{ ...spot(uri, selectionRange), label, depth }, ...inner];
    }
    const flat = Flat.safeParse(one).data;
    if (flat === undefined) return [];
    const { name, kind, containerName = '', location } = flat;
    const inside = containerName === '' ? '' : ` in ${containerName}`;
    const range = 'range' in location ? location.range : FIRST;
    return [
      { ...spot(location.uri, range), label: `${kindWord(kind)} ${name}${inside}`, depth: 0 },
    ];
  });
}

const labelOf = (kind: number, name: string, detail: string): string =>
  [kindWord(kind), name, detail].filter((word) => word !== '').join(' ');

const FIRST = { start: { line: 0, character: 0 } };

/** Reads the functions of a call hierarchy. Pure. */
export const readItems = (value: unknown, details: boolean): readonly Finding[] =>
  listOf(value).flatMap((one) => readItem(one, details) ?? []);

function readItem(value: unknown, details: boolean, calls = 0): Finding | null {
  const item = Item.safeParse(value).data;
  if (item === undefined) return null;
  const { name, kind, uri, detail = '', selectionRange } = item;
  const label = labelOf(kind, name, details ? detail : '');
  const times = calls > 1 ? ` (${calls} calls)` : '';
  return { ...spot(uri, selectionRange), label: label + times, depth: 0 };
}

/** Reads who calls a function (`from`), or whom it calls (`to`). Pure. */
export const readCalls = (
  value: unknown,
  side: 'from' | 'to',
  details: boolean,
): readonly Finding[] =>
  listOf(value).flatMap((one) => {
    const { [side]: item, fromRanges } = Object(one) as Readonly<Record<string, unknown>>;
    return readItem(item, details, listOf(fromRanges).length) ?? [];
  });

/** Returns the text of a hover: Markdown, plain, or a list of either; '' for none. Pure. */
export function readHover(value: unknown): string {
  const { contents } = Object(value) as Readonly<Record<string, unknown>>;
  return withoutHidden(
    listOf(contents)
      .map((one) => {
        if (typeof one === 'string') return one;
        const { value: text, language } = Object(one) as Readonly<Record<string, unknown>>;
        if (typeof text !== 'string') return '';
        return typeof language === 'string' ? `\`\`\`${language}\n${text}\n\`\`\`` : text;
      })
      .filter((text) => text.trim() !== '')
      .join('\n\n')
      .slice(0, MAX_HOVER),
  ).trim();
}
