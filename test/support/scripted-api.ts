import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { TITLE_SYSTEM } from '../../src/main/engine/sessions/title';
import { refusal, sign, type WireRequest } from './scripted-api-check';
import {
  type Cut,
  error,
  errorBody,
  type MessageReply,
  type RawReply,
  type Reply,
} from './scripted-api-replies';
import { type AnswerFacts, streamSteps, type WireStep, wholeMessage } from './scripted-api-stream';

/** One request as it arrived. `betas` is the parsed `anthropic-beta` header. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly betas: readonly string[];
  readonly body: WireRequest;
}

/** Answers in order, or a function of the request (its number counts from 0). */
export type Script =
  | readonly Reply[]
  | ((request: RecordedRequest, number: number) => Reply | Promise<Reply>);

export interface ScriptedApiOptions {
  /** When set, any other key is refused with 401. */
  readonly apiKey?: string;
  /** Applied to every answer that does not say otherwise. */
  readonly chunkBytes?: number;
  readonly paceMs?: number;
  /** What other paths than `/v1/messages` answer, as JSON. */
  readonly pages?: Readonly<Record<string, unknown>>;
  /** False makes it a server without a list of models. By default it has an empty one. */
  readonly modelsPath?: boolean;
  /**
   * Answers what asks for a title of a session, by the number of the request. Such requests are none of the script's and stand in
   * `titleRequests`; by default they are refused, which leaves the first words of the prompt.
   */
  readonly titles?: Script;
  /** Lets histories through that the API would refuse. */
  readonly lenient?: boolean;
}

/** Milliseconds. */
const PING_EVERY_MS = 5_000;

const BAD_KEY = 'invalid x-api-key';

/** A running server. */
export interface ScriptedApi {
  /** Base URL, e.g. `http://127.0.0.1:40001`. */
  readonly url: string;
  /** Every request to `/v1/messages`, oldest first, refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** Those that asked for a title of a session. */
  readonly titleRequests: readonly RecordedRequest[];
  /** What was refused as an invalid history; a healthy test ends with none. */
  readonly refusals: readonly string[];
  close(): Promise<void>;
}

/**
 * A Messages API on 127.0.0.1 that plays a script over real HTTP and SSE. It refuses what the API refuses
 * with a 400 and the API's words (see `scripted-api-check`). A script that has run out answers 400.
 */
export async function startScriptedApi(
  script: Script,
  options: ScriptedApiOptions = {},
): Promise<ScriptedApi> {
  const requests: RecordedRequest[] = [];
  const titleRequests: RecordedRequest[] = [];
  const refusals: string[] = [];
  const tag = randomUUID().slice(0, 8);
  let calls = 0;
  let messages = 0;
  let plays = 0;

  const takesKey = ({ headers }: RecordedRequest): boolean =>
    options.apiKey === undefined ||
    options.apiKey === (headers['x-api-key'] ?? headers['authorization']?.slice(7));

  const choose = async (request: RecordedRequest): Promise<Reply> => {
    if (!takesKey(request)) return error(401, BAD_KEY);
    const refused = options.lenient === true ? null : refusal(request.body, request.betas);
    if (refused !== null) {
      refusals.push(refused);
      return error(400, refused);
    }
    return answerOf(script, request, plays++);
  };

  /** Answers a request for a title. */
  const chooseTitle = (request: RecordedRequest): Reply | Promise<Reply> =>
    options.titles !== undefined && takesKey(request)
      ? answerOf(options.titles, request, titleRequests.length - 1)
      : error(400, 'scripted API: no titles here');

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const request = await record(req);
    const page = options.pages?.[request.path];
    if (page !== undefined) {
      sendJson(res, 200, page, {});
      return;
    }
    if (request.path === '/v1/models' && options.modelsPath !== false) {
      const page = { data: [], has_more: false };
      sendJson(
        res,
        takesKey(request) ? 200 : 401,
        takesKey(request) ? page : errorBody(401, BAD_KEY),
        {},
      );
      return;
    }
    if (request.path !== '/v1/messages') {
      sendJson(res, 404, errorBody(404, `no such path: ${request.path}`), {});
      return;
    }
    const isTitle = asksForTitle(request.body);
    (isTitle ? titleRequests : requests).push(request);
    const chosen = await (isTitle ? chooseTitle(request) : choose(request));
    if (chosen.kind === 'drop') res.destroy();
    else if (chosen.kind === 'hang') return;
    else if (chosen.kind === 'raw') await playRaw(res, chosen);
    else if (chosen.kind === 'error')
      sendJson(res, chosen.status, chosen.body, chosen.headers ?? {});
    else {
      messages += 1;
      const facts: AnswerFacts = {
        messageId: `msg_${tag}_${messages}`,
        model: request.body.model,
        callId: () => `toolu_${tag}_${++calls}`,
        sign: (thinking) => sign(request.body, thinking),
      };
      const headers = { 'request-id': `req_${messages}`, ...chosen.headers };
      if (request.body.stream === true) await play(res, chosen, facts, headers, options);
      else sendJson(res, 200, wholeMessage(chosen, facts), headers);
    }
  };

  const server = createServer((req, res) => {
    answer(req, res).catch((problem: unknown) => {
      if (!res.headersSent) sendJson(res, 500, errorBody(500, String(problem)), {});
      else res.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    titleRequests,
    refusals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Tells whether a request asks for a title of a session, beside the conversation. */
const asksForTitle = ({ system = [] }: WireRequest): boolean =>
  typeof system !== 'string' && system.some((block) => block['text'] === TITLE_SYSTEM);

async function answerOf(script: Script, request: RecordedRequest, number: number): Promise<Reply> {
  if (typeof script === 'function') return script(request, number);
  return script[number] ?? error(400, `scripted API: no answer left for request ${number + 1}`);
}

async function record(req: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: req.method ?? '',
    path: (req.url ?? '').split('?')[0] ?? '',
    headers,
    betas: (headers['anthropic-beta'] ?? '').split(',').map((b) => b.trim()),
    body: (bytes === '' ? {} : JSON.parse(bytes)) as WireRequest,
  };
}

function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function play(
  res: ServerResponse,
  reply: MessageReply,
  facts: AnswerFacts,
  headers: Readonly<Record<string, string>>,
  options: ScriptedApiOptions,
): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
  res.socket?.setNoDelay(true);
  res.flushHeaders();
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  const paceMs = reply.paceMs ?? options.paceMs ?? 0;
  const chunkBytes = reply.chunkBytes ?? options.chunkBytes;
  let sent = 0;
  for (const step of streamSteps(reply, facts)) {
    if (gone.signal.aborted) return;
    if ('until' in step) {
      await heldBack(res, step.until, gone.signal);
      continue;
    }
    if (reply.cut !== undefined && sent >= reply.cut.afterEvents) return cut(res, reply.cut);
    await send(res, encode(step), chunkBytes);
    sent += 1;
    if (paceMs > 0) await delay(paceMs);
  }
  res.end();
}

/** Waits, with pings meanwhile as the API sends them, so that nobody takes a long wait for a dead stream. */
async function heldBack(
  res: ServerResponse,
  until: Promise<unknown>,
  gone: AbortSignal,
): Promise<void> {
  const pings = setInterval(
    () => res.write('event: ping\ndata: {"type": "ping"}\n\n'),
    PING_EVERY_MS,
  );
  await Promise.race([until, closed(gone)]);
  clearInterval(pings);
}

async function playRaw(
  res: ServerResponse,
  { pieces, contentType = 'text/event-stream; charset=utf-8', encoding }: RawReply,
): Promise<void> {
  const packed = encoding === undefined ? {} : { 'content-encoding': encoding };
  res.writeHead(200, { 'content-type': contentType, ...packed });
  res.socket?.setNoDelay(true);
  res.flushHeaders();
  const gone = new AbortController();
  res.on('close', () => gone.abort());
  for await (const piece of pieces) {
    if (gone.signal.aborted) return;
    if (res.write(piece)) await nextTick();
    else await once(res, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  res.end();
}

const closed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const encode = (step: Extract<WireStep, { event: string }>): Buffer =>
  Buffer.from(`event: ${step.event}\ndata: ${JSON.stringify(step.data)}\n\n`);

/** Writes in pieces, giving the loop a turn after each, so that they really leave apart. */
async function send(res: ServerResponse, bytes: Buffer, chunkBytes = bytes.length): Promise<void> {
  for (let i = 0; i < bytes.length; i += chunkBytes) {
    res.write(bytes.subarray(i, i + chunkBytes));
    await nextTick();
  }
}

async function cut(res: ServerResponse, how: Cut): Promise<void> {
  if (how.how === 'stall') return;
  if (how.how === 'truncated') res.end();
  else if (how.how === 'reset') {
    await (how.when ?? delay(5)); // what was written must reach the client before the reset overtakes it
    res.socket?.resetAndDestroy();
  } else {
    const data = {
      type: 'error',
      error: { type: how.errorType, message: 'scripted stream error' },
    };
    res.end(`event: error\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
