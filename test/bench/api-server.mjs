import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A Messages API of the smallest kind, the same for everyone who is measured: answer N of `answers` to request N, all
 * events in one write (or, for a long answer, as fast as the reader takes them). A number in an answer is a pause of that
 * many milliseconds. `answers` may also be a function that gives the answer to a request's body.
 *
 * `requests` holds, per request, `arrivedAt` (its headers were here), `answeredAt` (its `message_stop` was written), both
 * in `performance.now()` milliseconds, and the raw `body`.
 */
export async function startApi(answers) {
  const requests = [];
  const server = createServer(async (req, res) => {
    const request = { arrivedAt: performance.now(), answeredAt: 0, body: Buffer.alloc(0) };
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    request.body = Buffer.concat(chunks);
    if (req.method !== 'POST' || !req.url?.startsWith('/v1/messages'))
      return res.writeHead(404).end();
    // What asks for a title of the session, beside the conversation, is none of the requests that are answered here.
    if (request.body.includes('You name conversations with a coding agent'))
      return res.writeHead(400).end();
    const number = requests.push(request) - 1;
    const answer =
      (typeof answers === 'function'
        ? answers(JSON.parse(request.body.toString()))
        : answers[number]) ?? textAnswer('There is nothing left to do.');
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.socket?.setNoDelay(true);
    for (const piece of answer) {
      if (typeof piece === 'number') await delay(piece);
      else if (!res.write(piece)) await drained(res);
    }
    res.end();
    request.answeredAt = performance.now();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** Resolves when all of `answers` are written. */
    answered: async () => {
      while (!(requests[answers.length - 1]?.answeredAt > 0)) await delay(100);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

const drained = (res) =>
  new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const USAGE = { input_tokens: 10, output_tokens: 1 };

const opening = (usage = USAGE) =>
  event({
    type: 'message_start',
    message: {
      id: `msg_${Math.random().toString(36).slice(2)}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });

const closing = (reason) =>
  event({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 20 },
  }) + event({ type: 'message_stop' });

/** An answer of text; several `pieces` are several deltas, each a write of its own. */
export function textAnswer(...pieces) {
  const start = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  };
  const deltas = pieces.map((text) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  );
  const stop = event({ type: 'content_block_stop', index: 0 });
  if (deltas.length === 1)
    return [opening() + event(start) + deltas[0] + stop + closing('end_turn')];
  return [opening() + event(start), ...deltas, stop + closing('end_turn')];
}

/** An answer that asks for tools: `[name, input]` each. */
export const toolAnswer = (...uses) => countedAnswer(USAGE, ...uses);

/** The same with the tokens that the request counts as, as the API tells them. */
export function countedAnswer(usage, ...uses) {
  const blocks = uses.map(([name, input], index) => {
    const id = `toolu_${Math.random().toString(36).slice(2)}`;
    return (
      event({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id, name, input: {} },
      }) +
      event({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      }) +
      event({ type: 'content_block_stop', index })
    );
  });
  return [opening(usage) + blocks.join('') + closing('tool_use')];
}

/** An answer of text that comes at the speed of a model: `every` milliseconds a delta of `size` characters. */
export function pacedAnswer(text, { size, every }) {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
  return textAnswer(...pieces).flatMap((piece) => [piece, every]);
}
