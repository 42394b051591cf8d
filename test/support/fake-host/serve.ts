import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FakeEngine } from './fake-engine';
import { fakeTerminalLine } from './fake-terminals';

/** A page and a fake engine behind one address. There is no guard: any ticket is good. */
export interface FakeHost {
  readonly url: string;
  /** The engine behind the newest page. */
  engine(): FakeEngine;
  /** From now on pages get engines from here. */
  use(newEngine: () => FakeEngine): void;
  /** Cuts every socket; while `refusing`, the page is answered 401 and new sockets are cut too. */
  drop(refusing?: boolean): void;
  /** Cuts every socket and answers nobody, as a host that is gone. */
  leave(): void;
  /** Admits pages again after `drop(true)` or `leave()`. */
  admit(): void;
  /** Everything typed into terminals since the start. */
  typed(): string;
  close(): Promise<void>;
}

/** The path of an empty page. */
export const EMPTY = '/empty';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

/** Serves a built page on the loopback address. Each load gets a fresh engine; a reconnect keeps its own. */
export async function serveFake(
  newEngine: () => FakeEngine,
  pageFolder: string,
  port = 0,
): Promise<FakeHost> {
  const state = { make: newEngine, engine: newEngine(), refusing: false, away: false, typed: '' };
  const sockets = new Set<WebSocket>();
  const server = createServer((request, response) => {
    if (state.away) return response.destroy();
    const path = normalize((request.url ?? '/').split('?')[0] ?? '/');
    if (path === EMPTY) return response.writeHead(200, { 'content-type': 'text/html' }).end();
    if (path === '/session') return response.writeHead(state.refusing ? 401 : 204).end();
    if (path === '/') state.engine = state.make();
    const file = join(pageFolder, path === '/' ? 'index.html' : path);
    readFile(file).then(
      (body) => response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? '' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  const isShut = () => state.refusing || state.away;
  acceptSockets(server, isShut, (socket, path) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (path === '/rpc') return void new RPCHandler(state.engine.router).upgrade(socket);
    const line = fakeTerminalLine(
      (frame) => socket.send(frame),
      (text) => {
        state.typed += text;
      },
    );
    socket.on('message', (data: Buffer) => line(new Uint8Array(data)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    engine: () => state.engine,
    use(make) {
      state.make = make;
    },
    drop(refusing = false) {
      state.refusing = refusing;
      cut();
    },
    leave() {
      state.away = true;
      cut();
    },
    admit() {
      state.refusing = false;
      state.away = false;
    },
    typed: () => state.typed,
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function acceptSockets(
  server: Server,
  isShut: () => boolean,
  accept: (socket: WebSocket, path: string) => unknown,
) {
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (isShut()) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (ws) => accept(ws, request.url ?? ''));
  });
}
