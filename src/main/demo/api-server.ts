import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_MODEL } from '../../shared/settings';
import {
  estimateTokens,
  type Pace,
  readRequest,
  SPEAKING_PACE,
  streamEvents,
  toMessage,
  wholeBody,
} from './messages-api';
import { nextStep } from './script';

/** A running demo API. */
export interface DemoApi {
  /** Its base URL, for `ANTHROPIC_BASE_URL` and the like. */
  readonly url: string;
  /** Ends it and every answer that is still streaming. */
  close(): Promise<void>;
}

/** The longest request body that is read, in bytes: the limit of the real API. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The context window the script claims, in tokens. */
const DEMO_CONTEXT_TOKENS = 200_000;

/**
 * Serves the scripted model over the Messages API on a free port of 127.0.0.1. It keeps no state: every answer
 * follows from its request. It needs no key and refuses none, because it does nothing but recite.
 * Rejects only when no port can be had.
 */
export async function startDemoApi(pace: Pace = SPEAKING_PACE): Promise<DemoApi> {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    answer(request, response, pace, signal).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  const route = `${request.method} ${new URL(request.url ?? '/', 'http://demo').pathname}`;
  if (route === 'GET /v1/models') return sendJson(response, 200, MODELS);
  if (route === `GET /v1/models/${DEMO_MODEL}`) return sendJson(response, 200, MODEL);
  if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens')
    return sendError(response, 404, 'not_found_error', `The offline demo has no ${route}.`);
  const body = await readBody(request);
  if (body === null)
    return sendError(response, 413, 'request_too_large', 'The request is over 32 MB.');
  const asked = readRequest(parseJson(body));
  if (asked === null)
    return sendError(
      response,
      400,
      'invalid_request_error',
      'The body is no Messages API request.',
    );
  if (route.endsWith('count_tokens'))
    return sendJson(response, 200, { input_tokens: estimateTokens(body.length) });
  const message = toMessage(nextStep(asked), body.length);
  if (!asked.stream) return sendJson(response, 200, wholeBody(message));
  await recite(response, streamEvents(message, pace), signal);
}

/** Writes the events at their pace and waits for a slow reader. Ends early when the reader is gone. */
async function recite(
  response: ServerResponse,
  events: ReturnType<typeof streamEvents>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': 'req_offline_demo',
  });
  for (const { pauseMs, event } of events) {
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const free = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!free) await drained(response, signal);
  }
  response.end();
}

const drained = (response: ServerResponse, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });

/** Reads the whole body; null when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.byteLength;
    if (size <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const sendError = (response: ServerResponse, status: number, type: string, message: string): void =>
  sendJson(response, status, { type: 'error', error: { type, message } });

const MODEL = {
  id: DEMO_MODEL,
  type: 'model',
  display_name: 'Offline demo (a script, not a model)',
  created_at: '2026-11-01T00:00:00Z',
  lifecycle: 'active',
  max_input_tokens: DEMO_CONTEXT_TOKENS,
  max_tokens: 8192,
};

const MODELS = { data: [MODEL], has_more: false, first_id: DEMO_MODEL, last_id: DEMO_MODEL };
