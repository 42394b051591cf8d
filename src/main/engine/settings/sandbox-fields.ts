import type { Node } from 'jsonc-parser';
import { nearestName } from '../../../shared/nearest-name';
import { plainValue, propertiesOf } from './json-text';

/** Says what is wrong with a value: its node, its field, and what is expected. */
export type ReportProblem = (node: Node, field: string, expected: string) => void;

/** Returns a named property; of repeated names the last counts, as everywhere in JSON. */
export const child = (node: Node | undefined, name: string): Node | undefined =>
  propertiesOf(node).findLast((property) => property.name === name)?.value;

/** Returns the values of a name, from every place at which it stands: denials of all of them count. */
export const children = (nodes: readonly Node[], name: string): readonly Node[] =>
  nodes.flatMap((node) =>
    propertiesOf(node).flatMap((property) => (property.name === name ? property.value : [])),
  );

/** Tells whether a value that may be badly written switches nothing on. */
export const isOff = (node: Node): boolean =>
  /^(?:|0|false|off|no|none|never|null|disabled?)$/i.test(String(plainValue(node)).trim());

/** Reads switches by their names. */
export function switches<K extends string>(
  node: Node | undefined,
  names: readonly K[],
  prefix: string,
  report: ReportProblem,
): { readonly [name in K]?: boolean } {
  const found: { [name in K]?: boolean } = {};
  for (const name of names) {
    const value = child(node, name);
    if (value === undefined) continue;
    if (value.type === 'boolean') found[name] = Boolean(value.value);
    else report(value, prefix + name, 'true or false is expected');
  }
  return found;
}

/** Reads lists of texts by their names. */
export function lists<K extends string>(
  node: Node | undefined,
  names: readonly K[],
  prefix: string,
  fits: (text: string) => boolean,
  expected: string,
  report: ReportProblem,
): { readonly [name in K]: readonly string[] } {
  const read = (name: K): readonly string[] => {
    const value = child(node, name);
    if (value === undefined) return [];
    if (value.type !== 'array') {
      report(value, prefix + name, 'a list of texts is expected');
      return [];
    }
    return (value.children ?? []).flatMap((item) => {
      const text = plainValue(item);
      if (typeof text === 'string' && fits(text)) return [text];
      report(item, prefix + name, `${expected} is expected`);
      return [];
    });
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as {
    readonly [name in K]: readonly string[];
  };
}

/**
 * Reads lists of denials by their names, from every place at which they stand, misspelled ones included. A text counts as a list of one,
 * which is told; `lose` is told of what cannot be read.
 */
export function denials<K extends string>(
  nodes: readonly Node[],
  names: readonly K[],
  known: ReadonlySet<string>,
  prefix: string,
  fits: (text: string) => boolean,
  expected: string,
  { report, lose }: { readonly report: ReportProblem; readonly lose: ReportProblem },
): { readonly [name in K]: readonly string[] } {
  const read = (list: K): readonly string[] =>
    nodes.flatMap(propertiesOf).flatMap(({ name, value }) => {
      if (name !== list && (known.has(name) || nearestName(name, known) !== list)) return [];
      const items = value.type === 'array' ? (value.children ?? []) : [value];
      return items.flatMap((item) => {
        const text = plainValue(item);
        const isRead = typeof text === 'string' && fits(text);
        if (!isRead) lose(item, prefix + name, `${expected} is expected`);
        else if (item === value) report(item, prefix + name, LIST_OF_ONE);
        return isRead ? [text] : [];
      });
    });
  return Object.fromEntries(names.map((name) => [name, read(name)])) as {
    readonly [name in K]: readonly string[];
  };
}

/** Said of a text in the place of a list. */
export const LIST_OF_ONE = 'a list of texts is expected; this text counts as a list of one';

/** Tells whether a text can be a path. */
export const isPath = (text: string): boolean => text.trim() !== '' && !text.includes('\0');

const LABEL = '[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?';
/** A whole name, an address, or everything below a name of at least two parts. */
const HOST_PATTERN = new RegExp(
  `^(\\[[0-9a-f:.]+\\]|\\*\\.${LABEL}(\\.${LABEL})+|${LABEL}(\\.${LABEL})*)(:[1-9][0-9]{0,4})?$`,
  'i',
);

/** Tells whether a text names a host (or everything below one) as the allow list understands it. */
export const isHostPattern = (text: string): boolean =>
  text.length <= 255 && HOST_PATTERN.test(text);
