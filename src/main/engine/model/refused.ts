import { isObject } from './stream-blocks';

/** The words of a server that refuses or fails, without a status of HTTP. */
export interface Refused {
  /** The API's name of the cause. */
  readonly errorType: string;
  /** The status that other servers tell in its place. */
  readonly status?: number;
  readonly message: string;
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
  const message = wordsIn(body);
  const { type, code } = isObject(error) ? error : {};
  return {
    errorType: typeof type === 'string' ? type : 'api_error',
    ...(isFailure(code) ? { status: code } : {}),
    message,
  };
}

const isFailure = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600;
