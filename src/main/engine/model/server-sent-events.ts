import { createParser, type EventSourceMessage, type ParserCallbacks } from 'eventsource-parser';

/** The longest event and the largest answer that are taken. 128 000 tokens, each in an event of its own, are some 20 MB. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** An answer, or an event of it, that is larger than any model's. */
export class AnswerTooLarge extends Error {}

export type { EventSourceMessage };

/** The names of the events that make up an answer. */
const OF_ANSWER = /^(?:message|content_block)_/;

/** The data of one server-sent event. */
export interface RawEvent {
  readonly data: string;
  /** The data as they are, where they were never sent as an event. */
  readonly event?: Readonly<Record<string, unknown>>;
  /** The line beside the data names it so, with a name of the API. */
  readonly type?: string;
  /** The stream ended in it: it may be half of one. */
  readonly unfinished?: true;
  /** The server calls it an error. */
  readonly isError?: true;
  /** The data were words beside the answer, and are left out of it. */
  readonly words?: string;
}

/** Reads a body to its end, as text. Throws {@link AnswerTooLarge}, and what the body throws. */
export async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of readsOf(body)) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
}

/** Gives what each read of a body brought, and lets the rest of it go when nobody reads on or it is too large. */
export async function* readsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  // By its reader, which costs half of what iterating does.
  const reader = body.getReader();
  let left = MAX_ANSWER_BYTES;
  let over = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      over = done;
      if (done) return;
      left -= value.byteLength;
      if (left < 0) throw new AnswerTooLarge();
      yield value;
    }
  } finally {
    if (!over) await reader.cancel().catch(() => undefined);
    reader.releaseLock();
  }
}

/** Reads events out of bytes that may be cut anywhere. */
export interface EventReader {
  /** Gives the events that these bytes complete. Throws {@link AnswerTooLarge}. */
  take(bytes: Uint8Array): readonly RawEvent[];
  /** Tells whether there was a comment among the bytes that were taken last. */
  commented(): boolean;
  /**
   * Gives the event the bytes ended in, which the standard drops: some servers leave out the empty line behind their
   * last one.
   */
  end(): readonly RawEvent[];
}

/**
 * Creates a function that takes a stream of events in pieces of text, cut anywhere. It throws {@link AnswerTooLarge} at an event
 * that is longer than so many characters.
 */
export function createEventParser(
  maxChars: number,
  callbacks: Pick<ParserCallbacks, 'onEvent' | 'onRetry' | 'onComment'>,
): (text: string) => void {
  const parser = createParser({
    ...callbacks,
    maxBufferSize: maxChars,
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new AnswerTooLarge();
    },
  });
  return (text) => parser.feed(text);
}

/** Tells whether data neither is JSON nor was meant to be: what is damaged must not be passed over. */
function isWord(data: string): boolean {
  if (/^\s*[{[]/.test(data)) return false;
  try {
    JSON.parse(data);
    return false;
  } catch {
    return true;
  }
}

/** Creates a reader for one stream. Leaves out words in events of other names: servers keep lines open by them. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let events: RawEvent[] = [];
  let ended = false;
  let commented = false;
  const feed = createEventParser(MAX_EVENT_CHARS, {
    onEvent: ({ event, data }) => {
      const isOfAnswer = event !== undefined && OF_ANSWER.test(event);
      const whole: RawEvent = isOfAnswer ? { data, type: event } : { data };
      const isAside = event !== undefined && !isOfAnswer && isWord(data);
      const told: RawEvent =
        event === 'error' ? { data, isError: true } : isAside ? { data: '', words: data } : whole;
      events.push(ended ? { ...told, unfinished: true } : told);
    },
    onComment: () => {
      commented = true;
    },
  });
  const take = (text: string): readonly RawEvent[] => {
    events = [];
    commented = false;
    feed(text);
    return events;
  };
  return {
    take: (bytes) => take(decoder.decode(bytes, { stream: true })),
    commented: () => commented,
    end: () => {
      const whole = take(decoder.decode());
      ended = true;
      return [...whole, ...take('\n\n')];
    },
  };
}

/**
 * Turns a message (a response without `stream`) into the events it would have come in, so that one reducer understands
 * both.
 */
export function eventsOfWhole({
  content,
  stop_reason,
  stop_details,
  usage,
  ...message
}: Readonly<Record<string, unknown>>): readonly RawEvent[] {
  // Some servers give their words as they are, as the API takes them.
  const blocks = [content ?? []]
    .flat()
    .map((block: unknown) => (typeof block === 'string' ? { type: 'text', text: block } : block));
  return [
    { type: 'message_start', message: { ...message, usage } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_details }, usage },
    { type: 'message_stop' },
  ].map((event) => ({ data: '', event }));
}
