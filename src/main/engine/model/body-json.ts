import type { Body } from './sdk';

/** Longer JSON (images) is made again each time: keeping it would cost more than making it. Bytes. */
const MAX_KEPT = 64 * 1024;

/** The lists of a body that are most of it, and whose parts are nearly all those of the body before. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'system', 'messages']);

const COMMA = Buffer.from(',');

/**
 * Gives a function that turns bodies into the bytes of their JSON, exactly as `JSON.stringify` does. Tools, system texts and
 * messages that were in an earlier body are not turned again: their bytes are only put together, which makes no strings of
 * the whole body's length.
 */
export function createBodyJson(): (body: Body) => Uint8Array<ArrayBuffer> {
  const known = new WeakMap<object, Buffer>();

  const once = (part: object): Buffer => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const json = Buffer.from(JSON.stringify(part));
    if (json.byteLength <= MAX_KEPT) known.set(part, json);
    return json;
  };

  const piecesOf = (key: string, value: unknown): readonly Buffer[] => {
    if (LISTS.has(key) && isList(value))
      return [Buffer.from('['), ...separated(value.map((part) => [once(part)])), Buffer.from(']')];
    const json: string | undefined = JSON.stringify(value);
    return json === undefined ? [] : [Buffer.from(json)];
  };

  return (body) => {
    const fields = Object.entries(body).flatMap(([key, value]) => {
      const json = piecesOf(key, value);
      return json.length === 0 ? [] : [[Buffer.from(`${JSON.stringify(key)}:`), ...json]];
    });
    return Buffer.concat([Buffer.from('{'), ...separated(fields), Buffer.from('}')]);
  };
}

const separated = (parts: readonly (readonly Buffer[])[]): readonly Buffer[] =>
  parts.flatMap((part, i) => (i === 0 ? part : [COMMA, ...part]));

const isList = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null);
