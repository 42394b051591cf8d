import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, ok } from '../../shared/result';
import type { Callbacks } from '../engine/ports';
import { errorCode } from './file-fault';

/** Only this machine can connect there. */
const HOST = '127.0.0.1';

/** Creates what listens for browsers that come back from a sign-in. */
export const createCallbacks = (): Callbacks => ({
  open: async (port, visit) => {
    const server = createServer((request, response) => {
      const url = URL.parse(request.url ?? '', `http://${HOST}`);
      const isOurs = request.method === 'GET' && url?.pathname === '/callback';
      const said = url !== null && isOurs ? visit(url.searchParams) : null;
      response.writeHead(said === null ? 404 : 200, HEADERS);
      response.end(said === null ? '' : page(said));
    });
    const { promise, resolve } = Promise.withResolvers<string | null>();
    server.once('error', (thrown) => resolve(errorCode(thrown) ?? thrown.message));
    server.listen(port ?? 0, HOST, () => resolve(null));
    const failed = await promise;
    if (failed !== null)
      return err(`Nothing can listen on port ${port ?? 0} of this machine: ${failed}.`);
    const { port: chosen } = server.address() as AddressInfo;
    return ok({
      url: `http://${HOST}:${chosen}/callback`,
      close: () =>
        new Promise((done) => {
          server.close(() => done());
          server.closeIdleConnections();
          // Whoever is still being answered is nobody that is waited for.
          server.closeAllConnections();
        }),
    });
  },
});

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:20vh auto;padding:0 1.5em}';

const page = (text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lathe</title><style>${STYLE}</style><h1>Lathe</h1><p>${escaped(text)}</p></html>`;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
