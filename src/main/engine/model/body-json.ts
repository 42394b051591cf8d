import type { Body } from './sdk';

/** Longer JSON (images) is made again each time: keeping it would cost more than making it. Characters. */
const MAX_KEPT = 64 * 1024;

/** The lists of a body that are most of it, and whose parts are nearly all those of the body before. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'system', 'messages']);

/**
 * Gives a function that turns bodies into JSON, exactly as `JSON.stringify` does. Tools, system texts and messages that were in
 * an earlier body are not turned again.
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

  // Added up, the pieces are copied once, when the text is sent; joined, once for each list around them.
  const listOf = (parts: readonly object[]): string => {
    let text = '';
    for (const part of parts) text += text === '' ? once(part) : `,${once(part)}`;
    return `[${text}]`;
  };

  return (body) => {
    let text = '';
    for (const [key, value] of Object.entries(body)) {
      const json: string | undefined =
        LISTS.has(key) && isList(value) ? listOf(value) : JSON.stringify(value);
      if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${json}`;
    }
    return `{${text}}`;
  };
}

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null);
