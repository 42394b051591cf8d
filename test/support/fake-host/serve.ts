import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { RPCHandler } from '@orpc/server/ws';
import { WebSocketServer } from 'ws';
import type { FakeEngine } from './fake-engine';
import { fakeTerminalLine } from './fake-terminals';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

/** Serves a built page and a fresh fake engine for every page, on the loopback address. Any ticket is good; there is no other guard. */
export async function serveFake(
  newEngine: () => FakeEngine,
  pageFolder: string,
  port = 0,
): Promise<string> {
  const server = createServer((request, response) => {
    const path = normalize((request.url ?? '/').split('?')[0] ?? '/');
    if (path === '/session') return response.writeHead(204).end();
    const file = join(pageFolder, path === '/' ? 'index.html' : path);
    readFile(file).then(
      (body) => response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? '' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  acceptSockets(server, newEngine);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function acceptSockets(server: Server, newEngine: () => FakeEngine) {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (ws) => {
      if (request.url === '/rpc') return void new RPCHandler(newEngine().router).upgrade(ws);
      ws.binaryType = 'nodebuffer';
      const line = fakeTerminalLine((frame) => ws.send(frame));
      ws.on('message', (data) => line(new Uint8Array(data as Buffer)));
    });
  });
}
