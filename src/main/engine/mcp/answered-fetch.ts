import { asMessage, failedAnswer } from './messages-in';

/** The longest event that is taken. Characters. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

const NO_JSON = 'Its answer is no JSON.';
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

function withBody({ status, statusText, headers, url }: Response, body: BodyInit): Response {
  const kept = new Headers(headers);
  kept.delete('content-length');
  const changed = new Response(body, { status, statusText, headers: kept });
  // The address tells whether a redirect was followed.
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
  const encoder = new TextEncoder();
  let isOwed = asked !== null;
  const read = eventReader((lines) => {
    // An event with a number can be asked for again.
    if (lines.some((line) => /^id:/.test(line))) isOwed = false;
    const { message, text } = mended(lines);
    if (message !== null && isAnswerTo(message, asked)) isOwed = false;
    return text;
  });
  const failed = () =>
    isOwed && asked !== null
      ? encoder.encode(`data: ${JSON.stringify(failedAnswer(asked, NO_ANSWER))}\n\n`)
      : null;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const part = await reader.read().catch((thrown: unknown) => ({ done: true, thrown }));
        if (!('value' in part) || part.value === undefined) {
          const last = failed();
          if (last !== null) controller.enqueue(last);
          if (last === null && 'thrown' in part) return controller.error(part.thrown);
          return controller.close();
        }
        const text = read(decoder.decode(part.value, { stream: true }));
        if (text === '') continue;
        return controller.enqueue(encoder.encode(text));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Creates a function that cuts a stream into events, in whatever pieces it comes, and returns what `take` makes of each. */
function eventReader(take: (lines: readonly string[]) => string): (text: string) => string {
  let open: string[] = [];
  let openChars = 0;
  let lines: string[] = [];
  let chars = 0;
  return (text) => {
    let out = '';
    open.push(text);
    openChars += text.length;
    if (chars + openChars > MAX_EVENT_CHARS) throw new Error('One event has no end.');
    // A long line comes in many pieces: they are joined once, at its end.
    if (!/[\r\n]/.test(text) && open.at(-2)?.endsWith('\r') !== true) return out;
    // A line may end with the first half of \r\n.
    const [last = '', ...whole] = open
      .join('')
      .split(/\r\n|\n|\r(?!$)/)
      .reverse();
    open = [last];
    openChars = last.length;
    for (const line of whole.reverse()) {
      if (line !== '') {
        lines.push(line);
        chars += line.length;
        continue;
      }
      if (lines.length > 0) out += take(lines);
      lines = [];
      chars = 0;
    }
    return out;
  };
}

/** Returns an event as it is passed on, and the message in it; null: there is none. */
function mended(lines: readonly string[]) {
  const of = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}:`) ? line.replace(/^[a-z]+: ?/, '') : []));
  const as = `${lines.join('\n')}\n\n`;
  const data = of('data');
  if (data.length === 0 || !['', 'message'].includes(of('event').at(-1) ?? ''))
    return { message: null, text: as };
  const message = asMessage(parsed(data.join('\n')));
  if (message === null) return { message, text: as };
  const others = lines.filter((line) => !line.startsWith('data:'));
  const text = [...others, `data: ${JSON.stringify(message)}`, '', ''].join('\n');
  return { message, text };
}

/** Returns what a JSON text says; undefined for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
