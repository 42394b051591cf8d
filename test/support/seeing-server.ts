import { readFile } from 'node:fs/promises';
import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const TLS = join(import.meta.dirname, '..', 'fixtures', 'tls');

/** The authority that signed the certificate of servers that are encrypted. */
export const CA_FILE = join(TLS, 'ca.pem');

/** A request as it came. */
interface SeenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on a free port of this machine, which keeps what it is sent. */
export interface SeeingServer {
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server that answers each request with `seen`; its certificate is for `localhost` and 127.0.0.1. */
export async function startSeeingServer(protocol: 'https' | 'http'): Promise<SeeingServer> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      seen.push({ headers: request.headers, body });
      response.end('seen\n');
    });
  };
  const pem = (name: string) => readFile(join(TLS, name));
  const server =
    protocol === 'https'
      ? createServer({ key: await pem('server.key'), cert: await pem('server.pem') }, listener)
      : createPlainServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
