import { randomBytes, randomUUID } from 'node:crypto';
import type { Ids } from '../engine/ports';

/** 60 bits: short enough to be typed by a model, long enough never to meet itself in one session. */
const RANDOM_CHARS = 12;

/** Letters and digits without those that look alike (Crockford's base 32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Random identifiers: `next('b')` → `b_4k2…` (12 characters after the prefix). */
export function createNodeIds(): Ids {
  return {
    next: (prefix) => `${prefix}_${randomText(RANDOM_CHARS)}`,
    uuid: () => randomUUID(),
  };
}

const randomText = (length: number): string =>
  Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
