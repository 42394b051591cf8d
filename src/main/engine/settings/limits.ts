import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { propertiesOf } from './json-text';
import { limitMeant, meansPermissions } from './restricting-keys';
import type { FieldRule } from './schema';

/** A value and its field, as the file names it. */
export interface Place {
  readonly field: string;
  readonly value: Node;
}

/**
 * Returns the places of the fields that only take something away, by their names: at the top of a file and in every
 * `permissions` object, misspelled ones included. Pure.
 */
export function limitsIn(root: Node | null): ReadonlyMap<string, readonly Place[]> {
  const found = new Map<string, Place[]>();
  const top = propertiesOf(root);
  const parts = [
    { prefix: '', properties: top },
    ...top
      .filter(({ name }) => meansPermissions(name))
      .map(({ name, value }) => ({ prefix: `${name}.`, properties: propertiesOf(value) })),
  ];
  for (const { prefix, properties } of parts)
    for (const { name, value } of properties) {
      const limit = limitMeant(name);
      if (limit === null) continue;
      const places = found.get(limit) ?? [];
      places.push({ field: `${prefix}${name}`, value });
      found.set(limit, places);
    }
  return found;
}

/** Returns what several values of such a field come to: lists of denials join, of others that differ the strictest counts. Pure. */
export function strictest(values: readonly unknown[], { joins, otherwise }: FieldRule): unknown {
  const [first, ...more] = values;
  if (more.every((one) => isDeepStrictEqual(one, first))) return first;
  return joins === true ? values.flat() : otherwise;
}
