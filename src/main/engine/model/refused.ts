import { isObject } from './stream-blocks';

/** What a server says when it refuses or fails. */
export interface Refused {
  /** Its name of the cause, as the API has them. */
  readonly type?: string;
  /** The HTTP status that it tells beside its words, where it names no type. */
  readonly status?: number;
  readonly words: string;
}

/** The fields in which servers of all kinds put their words about an error, the best first. */
const WORDS = [
  'message',
  'error_description',
  'detail',
  'error',
  'errors',
  'msg',
  'reason',
  'code',
];

/** Objects and lists inside each other, as far as words are looked for. */
const MAX_DEPTH = 4;

/** Returns the words of an error's JSON, wherever its server put them; empty when there are none. */
export function wordsIn(body: unknown, depth = 0): string {
  if (typeof body === 'string') return body.trim();
  if (typeof body === 'number') return String(body);
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(body)) return wordsIn(body[0], depth + 1);
  if (!isObject(body)) return '';
  for (const field of WORDS) {
    const words = wordsIn(body[field], depth + 1);
    if (words !== '') return words;
  }
  return '';
}

/** Reads an error out of JSON that came where an answer should; null when it is none. */
export function refusedIn(body: unknown): Refused | null {
  if (!isObject(body)) return null;
  const { error } = body;
  if (body['type'] !== 'error' && typeof error !== 'string' && !isObject(error)) return null;
  const words = wordsIn(body);
  if (!isObject(error)) return { words };
  const { type, code } = error;
  if (typeof type === 'string') return { type, words };
  return isFailure(code) ? { status: code, words } : { words };
}

const isFailure = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600;
