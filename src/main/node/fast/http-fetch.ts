import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { TrustMore } from '../network';
import { answerOf } from './http-answer';

type FetchInput = Parameters<typeof fetch>[0];
type FetchInit = Parameters<typeof fetch>[1];
type HeadersInit = ConstructorParameters<typeof Headers>[0];

/** Options of {@link createHttpFetch}. */
export interface HttpFetchOptions {
  /** Bypasses every proxy. */
  readonly direct?: boolean;
  /** Trusts more where a connection failed for want of it. Default: nothing. */
  readonly trustMore?: TrustMore;
}

/**
 * Creates a `fetch` for small requests with long answers. It takes a third of the time of the runtime's own: it keeps
 * one connection and sends the headers together with the body. Proxies and certificates are those of Node's global
 * agents. It never follows redirects (`redirect: 'manual'`), and passes what it is not made for to the runtime's own.
 */
export function createHttpFetch(options: HttpFetchOptions = {}): typeof fetch {
  const agent = options.direct ? new http.Agent({ keepAlive: true }) : undefined;
  const trustMore: Mend = (cause) => options.trustMore?.(cause) === true;
  return (input, init): Promise<Response> => {
    const body = init?.body ?? undefined;
    const url = addressOf(input);
    const fits = body === undefined || typeof body === 'string';
    if (url === null || !fits || init?.redirect !== 'manual') return fetch(input, init);
    // As bytes, the body leaves in one system call with the headers; as text, the two are joined and encoded again.
    const bytes = body === undefined ? undefined : Buffer.from(body);
    return exchange({ url, init, body: bytes, agent }, [startAnew, trustMore]);
  };
}

/** A request, and how to send it. */
interface Sent {
  readonly url: URL;
  readonly init: FetchInit;
  readonly body: Uint8Array | undefined;
  readonly agent: http.Agent | undefined;
}

/** Examines a failure before any answer; true when the same request may succeed now. Each is called once. */
type Mend = (cause: Error, request: ClientRequest, sent: Sent) => boolean;

/** Asks again where the server closed a kept connection just then: a race that says nothing about the request. */
const startAnew: Mend = (cause, request, { url, agent }) => {
  if (!request.reusedSocket || !wasClosed(cause)) return false;
  dropIdle(agent ?? (url.protocol === 'https:' ? https.globalAgent : http.globalAgent));
  return true;
};

/** Sends a request and gives its answer. */
const exchange = (sent: Sent, mends: readonly Mend[]): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { init, body } = sent;
    const signal = init?.signal ?? undefined;
    if (signal?.aborted) return reject(signal.reason);
    const request = open(sent);
    let answering = false;
    const stop = () => {
      request.destroy();
      if (!answering) reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', stop));
    // Later errors are those of the answer, which tells them itself.
    request.on('error', (cause) => {
      if (answering) return;
      const mend = signal?.aborted ? undefined : mends.find((one) => one(cause, request, sent));
      if (mend === undefined) return reject(new TypeError('fetch failed', { cause }));
      const rest = mends.filter((one) => one !== mend);
      exchange(sent, rest).then(resolve, reject);
    });
    // Without a listener Node closes the connection, and tells neither an answer nor an error.
    request.on('upgrade', (_message, socket) => {
      socket.destroy();
      reject(new TypeError('fetch failed', { cause: new Error('it asked for another protocol') }));
    });
    request.on('response', (message) => {
      answering = true;
      resolve(answerOf(message, signal));
    });
    request.end(body);
  });

const wasClosed = (cause: Error): boolean =>
  ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(cause, 'code')));

/** Drops the kept connections: where one was closed, the others most likely were too. */
function dropIdle(agent: http.Agent): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** Returns the address; null for a `Request` object, which carries more than that. */
function addressOf(input: FetchInput): URL | null {
  if (input instanceof URL) return input;
  return typeof input === 'string' && URL.canParse(input) ? new URL(input) : null;
}

function open({ url, init, body, agent }: Sent): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': body.byteLength };
  const options: RequestOptions = {
    method: init?.method ?? 'GET',
    headers: { ...headersOf(init?.headers), ...length },
    ...(agent === undefined ? {} : { agent }),
  };
  return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
}

/** Returns headers as a plain record: `Headers` objects are slow to make. */
function headersOf(given: HeadersInit | undefined): Readonly<Record<string, string>> {
  if (given instanceof Headers) return Object.fromEntries(given);
  return given === undefined || Array.isArray(given)
    ? Object.fromEntries(new Headers(given))
    : given;
}
