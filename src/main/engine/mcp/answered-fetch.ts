import {
  AnswerTooLarge,
  createEventParser,
  type EventSourceMessage,
} from '../model/server-sent-events';
import { asMessage, failedAnswer } from './messages-in';

/** The longest event that is taken. Characters. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

const NO_JSON = 'Its answer is no JSON.';
const TOO_LONG = 'Its answer is longer than 32 million characters.';
const NO_ANSWER = 'It did not answer what it was asked.';

type Id = string | number;

/**
 * Wraps a fetch so that what is asked is answered: an answer that the SDK would drop, or that never comes, becomes a failure of
 * what was asked, as its asker would wait for ever. What a server sends of itself is left as it is.
 */
export const answeredFetch =
  (request: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await request(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || response.body === null) return response;
    const asked = askedIn(init);
    if (type.includes('text/event-stream')) return withBody(response, events(response.body, asked));
    if (asked === null || !type.includes('application/json')) return response;
    return withBody(response, answerIn(await response.text(), asked));
  };

/** Returns a response with another body, at the address that tells whether a redirect was followed. */
export function withBody({ status, statusText, headers, url }: Response, body: BodyInit): Response {
  const kept = new Headers(headers);
  kept.delete('content-length');
  const changed = new Response(body, { status, statusText, headers: kept });
  Object.defineProperty(changed, 'url', { value: url });
  return changed;
}

/** Returns the id of what a request asks; null when it asks nothing. */
function askedIn(init: RequestInit | undefined): Id | null {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return null;
  const sent = parsed(init.body);
  if (typeof sent !== 'object' || sent === null || !('method' in sent && 'id' in sent)) return null;
  return typeof sent.id === 'string' || typeof sent.id === 'number' ? sent.id : null;
}

/** Returns the body of an answer in which what was asked is answered. */
function answerIn(text: string, asked: Id): string {
  const said = parsed(text);
  const messages = [said].flat().flatMap((value) => asMessage(value) ?? []);
  const answered = messages.some((message) => isAnswerTo(message, asked));
  const rest = answered ? [] : [failedAnswer(asked, said === undefined ? NO_JSON : NO_ANSWER)];
  return JSON.stringify([...messages, ...rest]);
}

const isAnswerTo = (message: object, asked: Id | null): boolean =>
  !('method' in message) && 'id' in message && message.id === asked;

/** Passes events on with their messages mended, and ends with a failure where the answer has not come. */
function events(body: ReadableStream<Uint8Array>, asked: Id | null): ReadableStream<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let isOwed = asked !== null;
  let out = '';
  const feed = createEventParser(MAX_EVENT_CHARS, {
    onRetry: (ms) => {
      out += `retry: ${ms}\n\n`;
    },
    onEvent: (event) => {
      const isMessage = [undefined, 'message'].includes(event.event);
      const message = isMessage ? asMessage(parsed(event.data)) : null;
      // An event with a number can be asked for again.
      if (event.id !== undefined || (message !== null && isAnswerTo(message, asked)))
        isOwed = false;
      out += eventText(message === null ? event : { ...event, data: JSON.stringify(message) });
    },
  });
  const reader = body.getReader();
  /** Returns whether there is more; what it brought is in `out`. */
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (!done) feed(decoder.decode(value, { stream: true }));
    return !done;
  };
  return new ReadableStream({
    pull: async (controller) => {
      out = '';
      let more = true;
      let why = NO_ANSWER;
      try {
        while (more && out === '') more = await read();
      } catch (thrown) {
        await reader.cancel().catch(() => {});
        if (!isOwed) return controller.error(thrown);
        if (thrown instanceof AnswerTooLarge) why = TOO_LONG;
        more = false;
      }
      if (!more && isOwed && asked !== null)
        out += eventText({ data: JSON.stringify(failedAnswer(asked, why)) });
      if (out !== '') controller.enqueue(encoder.encode(out));
      if (!more) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Writes an event down. */
const eventText = ({ event, id, data }: EventSourceMessage): string =>
  [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...data.split('\n').map((line) => `data: ${line}`),
    '\n',
  ].join('\n');

/** Returns what a JSON text says; undefined for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
