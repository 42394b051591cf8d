import { type Refused, refusedIn, wordsIn } from './refused';
import { createEventReader, eventsOfWhole, type RawEvent, readsOf } from './server-sent-events';
import { isObject } from './stream-blocks';

/** Something with status 200 that is no answer: the address is wrong. */
export class NotAnAnswer extends Error {
  /** The kind of what came instead, e.g. `text/html`. */
  readonly kind: string;
  /** Its words; empty where it has none. */
  readonly words: string;

  constructor(kind: string, words = '') {
    super('not an answer');
    this.kind = kind;
    this.words = words;
  }
}

/** An error of the API in an answer with status 200. */
export class RefusedInside extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super('refused');
    this.refused = refused;
  }
}

/** The most of an answer that is looked at for words. Characters. */
const MAX_WORDS = 4_096;

/**
 * Gives the events of an answer, together those that became whole with one read from the network; none for a comment, by
 * which servers keep a line open. Tells a stream from an answer in one piece by how it begins: servers and proxies do not always name its kind, or
 * name a wrong one. Throws for a page, for words, and for JSON that is no answer.
 */
export async function* answerByRead(response: Response): AsyncGenerator<readonly RawEvent[]> {
  const { body } = response;
  if (/text\/html/i.test(response.headers.get('content-type') ?? '')) {
    await body?.cancel();
    throw new NotAnAnswer('text/html');
  }
  if (body === null) return;
  const reader = createEventReader();
  const decoder = new TextDecoder();
  let form: Form | null = null;
  let text = '';
  let heard = false;
  for await (const bytes of readsOf(body)) {
    if (form !== 'events' || (!heard && text.length < MAX_WORDS))
      text += decoder.decode(bytes, { stream: true });
    form ??= formOf(text);
    if (form === null) text = '';
    if (form === 'page') throw new NotAnAnswer('text/html');
    const whole = form === 'json' ? [] : reader.take(bytes);
    heard ||= whole.length > 0;
    if (whole.length > 0 || reader.commented()) yield whole;
  }
  text += decoder.decode();
  if (form === 'json') return yield eventsOfJson(text);
  const last = reader.end();
  if (!heard && last.length === 0 && isWords(text))
    throw new NotAnAnswer(parsed(text) === undefined ? 'text/plain' : 'application/json', text);
  if (last.length > 0) yield last;
}

type Form = 'events' | 'json' | 'page';

/** Tells what an answer is by its first character; null as long as there is none. */
function formOf(beginning: string): Form | null {
  const [first] = beginning.trimStart();
  if (first === undefined) return null;
  if (first === '<') return 'page';
  return first === '{' || first === '[' ? 'json' : 'events';
}

/** Tells whether a text without an event has no line of a stream either: an answer that broke off soon would. */
const isWords = (text: string): boolean =>
  text.trim() !== '' && !/^(?:event|data|id|retry)?:/m.test(text);

function eventsOfJson(text: string): readonly RawEvent[] {
  const answer = parsed(text);
  // Half an answer is one that broke off, and none of it is told apart.
  if (answer === undefined) return eventsOfLines(text) ?? [{ data: text, unfinished: true }];
  if (isObject(answer) && answer['type'] === 'message') return eventsOfWhole(answer);
  const refused = refusedIn(answer);
  if (refused !== null) throw new RefusedInside(refused);
  throw new NotAnAnswer('application/json', wordsIn(answer));
}

/** Reads lines that each are an event, as some servers stream; null for what is no JSON in its first line. The last may be half of one. */
function eventsOfLines(text: string): readonly RawEvent[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2 || !isObject(parsed(lines[0] ?? ''))) return null;
  return lines.map((data, at) => (at === lines.length - 1 ? { data, unfinished: true } : { data }));
}

/** Parses JSON; undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
