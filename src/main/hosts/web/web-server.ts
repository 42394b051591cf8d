import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, fault, ok, type Result } from '../../../shared/result';
import { pageHeaders, type StaticFiles } from '../common/page-files';
import { type Admission, type Refusal, refusal, secretIn, sessionCookie } from './admission';

/** The parts the server is made of. */
export interface WebServerParts {
  readonly admission: Admission;
  readonly files: StaticFiles;
}

/** A listening server. */
export interface WebServer {
  readonly port: number;
  /** For sockets: the same server, after the same checks. */
  readonly http: Server;
  isAdmitted(request: IncomingMessage): boolean;
  close(): Promise<void>;
}

/** A ticket is 43 characters; anything much longer is no request of ours. Bytes. */
const MAX_BODY_BYTES = 1024;

/** Far more than the tabs of one user open. */
const MAX_CONNECTIONS = 256;

/** Only this machine can reach it. */
const ADDRESS = '127.0.0.1';

/** Starts serving the page and `/session` on the loopback address; `port` 0 takes a free one. */
export async function startWebServer(
  parts: WebServerParts,
  port: number,
): Promise<Result<WebServer>> {
  const http = createServer();
  http.maxConnections = MAX_CONNECTIONS;
  const listening = await listen(http, port);
  if (!listening.ok) return listening;
  const actualPort = listening.value;
  const isAdmitted = (request: IncomingMessage) =>
    parts.admission.isSession(secretIn(request.headers.cookie, actualPort));
  http.on('request', (request, response) => {
    answer(parts, actualPort, isAdmitted, request, response).catch(() => response.destroy());
  });
  return ok({ port: actualPort, http, isAdmitted, close: () => closeServer(http) });
}

function listen(http: Server, port: number): Promise<Result<number>> {
  return new Promise((resolve) => {
    http.once('error', (error: NodeJS.ErrnoException) => resolve(err(listenFault(error, port))));
    http.listen(port, ADDRESS, () => resolve(ok((http.address() as AddressInfo).port)));
  });
}

function listenFault(error: NodeJS.ErrnoException, port: number) {
  const fix = 'Choose another port with --port N, or leave the flag out for a free one.';
  if (error.code === 'EADDRINUSE')
    return fault('port_in_use', `Port ${port} is already in use by another program.`, fix);
  if (error.code === 'EACCES')
    return fault('port_denied', `The system does not allow listening on port ${port}.`, fix);
  return fault('port_failed', `Lathe cannot listen on port ${port}: ${error.message}`, fix);
}

function closeServer(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

async function answer(
  parts: WebServerParts,
  port: number,
  isAdmitted: (request: IncomingMessage) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = refusal(factsOf(request), request.method === 'POST');
  if (refused !== null) return send(response, 403, refusalText(refused));
  const path = pathOf(request);
  if (path === '/session') {
    if (request.method === 'POST') return redeem(parts.admission, port, request, response);
    if (request.method === 'GET') return send(response, isAdmitted(request) ? 204 : 401, '');
    return send(response, 405, 'Method not allowed');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, 405, 'Method not allowed');
  return sendFile(parts.files, path, request, response);
}

/** Returns the guard's view of a request. */
export const factsOf = (request: IncomingMessage) => ({
  host: request.headers.host,
  origin: request.headers.origin,
});

/** Returns the path a request asks for, without its query. */
export const pathOf = (request: IncomingMessage): string =>
  (request.url ?? '/').split('?')[0] ?? '/';

/** Returns the text for a refused caller. */
export const refusalText = (refused: Exclude<Refusal, null>): string =>
  refused === 'host'
    ? 'Refused: Lathe answers only to its loopback address.'
    : 'Refused: this request comes from another page.';

async function redeem(
  admission: Admission,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const ticket = ticketIn(await readBody(request));
  const secret = ticket === null ? null : admission.redeem(ticket);
  if (secret === null)
    return send(
      response,
      401,
      'This link was used already or is not valid. Ask Lathe for a new one.',
    );
  response.setHeader('set-cookie', sessionCookie(port, secret));
  send(response, 204, '');
}

/** Reads the body as text; null when it is larger than any ticket. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function ticketIn(body: string | null): string | null {
  try {
    const value: unknown = JSON.parse(body ?? '');
    const named = typeof value === 'object' && value !== null && 'ticket' in value;
    return named && typeof value.ticket === 'string' ? value.ticket : null;
  } catch {
    return null;
  }
}

async function sendFile(
  files: StaticFiles,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = await files.get(path);
  if (file === null) return send(response, 404, 'Not found');
  for (const [name, value] of Object.entries(pageHeaders([`ws://${request.headers.host}`])))
    response.setHeader(name, value);
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-length': file.body.byteLength,
    'cache-control': file.cacheControl,
  });
  response.end(request.method === 'HEAD' ? undefined : file.body);
}

function send(response: ServerResponse, status: number, text: string): void {
  for (const [name, value] of Object.entries(pageHeaders([]))) response.setHeader(name, value);
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(text);
}
