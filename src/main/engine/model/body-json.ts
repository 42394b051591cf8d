import type { Body } from './sdk';

/** Longer JSON (images) is made again each time: keeping it would cost more than making it. Characters. */
const MAX_KEPT = 64 * 1024;

/**
 * Gives a function that turns bodies into JSON, exactly as `JSON.stringify` does. Tools, system texts and blocks that were in an
 * earlier body are not turned again: they are most of it, and do not change.
 */
export function createBodyJson(): (body: Body) => string {
  const known = new WeakMap<object, string>();

  const once = (part: object): string => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const json = JSON.stringify(part);
    if (json.length <= MAX_KEPT) known.set(part, json);
    return json;
  };
  const message = (given: object): string =>
    fieldsOf(given, (key, value) => (key === 'content' ? listOf(value, once) : null));

  return (body) =>
    fieldsOf(body, (key, value) => {
      if (key === 'messages') return listOf(value, message);
      return key === 'tools' || key === 'system' ? listOf(value, once) : null;
    });
}

/** The JSON of an object; a field for which `made` gives null as `JSON.stringify` makes it. */
function fieldsOf(value: object, made: (key: string, value: unknown) => string | null): string {
  const fields = Object.entries(value).flatMap(([key, inner]) => {
    const json: string | undefined = made(key, inner) ?? JSON.stringify(inner);
    return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
  });
  return `{${fields.join(',')}}`;
}

/** The JSON of a list of objects; null when it is anything else. */
function listOf(value: unknown, made: (part: object) => string): string | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  return `[${value.map(made).join(',')}]`;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
