import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { WindowEntry } from '../../app/app-feed';
import type { Workbench } from '../../app/workbench';
import { isRpcMessage, relayTerminals } from '../common/window-channels';
import type { WindowRouter } from '../handlers/router';
import { refusal } from './admission';
import { factsOf, pathOf, refusalText, type WebServer } from './web-server';

/** The largest message a page may send: a prompt of a million characters, escaped. Bytes. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** A socket that answered neither of two pings is gone. Milliseconds between them. */
const PING_EVERY_MS = 5_000;
/** The close code of a page that is closed, reloaded or left (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
/** Time for a page to come back from a reload before it counts as closed. Milliseconds. */
const RELOAD_GRACE_MS = 10_000;

/** Serves `/rpc` and `/terminals` on a web server; the function it returns closes every socket. */
export function serveSockets(
  server: WebServer,
  workbench: Workbench,
  routerFor: (window: WindowEntry) => WindowRouter,
): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  server.http.on('upgrade', (request, stream, head) => {
    const path = pathOf(request);
    const refused = refusal(factsOf(request), true);
    if (refused !== null) return refuse(stream, 403, refusalText(refused));
    if (!server.isAdmitted(request)) return refuse(stream, 401, 'Open the link Lathe printed.');
    if (path !== '/rpc' && path !== '/terminals') return refuse(stream, 404, 'Not found');
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => socket.terminate());
      keepAlive(socket);
      if (path !== '/rpc') return relayFrames(socket, workbench);
      const window = workbench.openWindow();
      closeWithPage(socket, window);
      new RPCHandler(routerFor(window)).upgrade(rpcSocket(socket)).catch(() => socket.terminate());
    });
  });
  return () => {
    for (const socket of sockets.clients) socket.terminate();
  };
}

/**
 * Closes a window some time after its page said that it goes away; one that was reloaded is back before that.
 * A connection that only broke (network, sleep) closes nothing: the question stands until the page is back.
 */
function closeWithPage(socket: WebSocket, window: WindowEntry): void {
  socket.on('close', (code) => {
    if (code === GOING_AWAY) setTimeout(window.close, RELOAD_GRACE_MS).unref();
  });
}

function refuse(stream: Duplex, status: number, text: string): void {
  stream.on('error', () => stream.destroy());
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/**
 * Ends a socket whose page is gone. One ping may be missed: after a time in which this process was suspended its timer
 * comes before the answer that has long arrived.
 */
export function keepAlive(socket: WebSocket): void {
  let missed = 0;
  const timer = setInterval(() => {
    if (missed > 1) return socket.terminate();
    missed += 1;
    socket.ping();
  }, PING_EVERY_MS);
  timer.unref();
  socket.on('pong', () => {
    missed = 0;
  });
  socket.on('close', () => clearInterval(timer));
}

/** The part of a socket that oRPC uses. */
type RpcSocket = Pick<WebSocket, 'addEventListener' | 'send'>;

/** More than this waiting for a slow page holds the streams back. Bytes. */
const HIGH_BYTES = 1_000_000;

/** Listens for well-formed messages only: oRPC would reject a promise nobody holds for the others. */
const addWellFormed =
  (socket: WebSocket): RpcSocket['addEventListener'] =>
  (type, listener, options) => {
    const hear: typeof listener = (event) => {
      if ('data' in event && !isRpcMessage(event.data)) return;
      if (typeof listener === 'function') listener(event);
      else listener.handleEvent(event);
    };
    socket.addEventListener(type, hear, options);
  };

/**
 * Wraps a socket so that `send` resolves when the page has taken what waits. oRPC awaits it before it pulls the next
 * event, so a slow page slows its streams down instead of filling our memory.
 */
export function rpcSocket(socket: WebSocket): RpcSocket {
  const send = (data: Parameters<WebSocket['send']>[0]): Promise<void> =>
    new Promise((resolve) => {
      const written = () => resolve();
      socket.send(data, written);
      if (socket.bufferedAmount < HIGH_BYTES) resolve();
    });
  return { addEventListener: addWellFormed(socket), send };
}

/**
 * Viewers acknowledge what they parsed, so little is ever under way; a page that holds back more than this
 * is stuck. It is cut off, connects again, and gets its screens from the mirror. Bytes.
 */
const STUCK_BYTES = 16 * 1024 * 1024;
/** WebSocket close code "try again later". */
const TRY_AGAIN = 1013;

/** Carries terminal frames between a page's socket and the terminal host. */
export function relayFrames(
  socket: WebSocket,
  workbench: Pick<Workbench, 'openTerminalChannel'>,
): void {
  const relay = relayTerminals(
    {
      close: (reason) => socket.close(TRY_AGAIN, reason),
      send: (frame) => {
        socket.send(frame);
        if (socket.bufferedAmount <= STUCK_BYTES) return;
        relay.end('Too slow');
        socket.terminate();
      },
    },
    workbench,
  );
  socket.on('message', (data, isBinary) => {
    if (isBinary && data instanceof Buffer) relay.fromPage(data);
    else relay.end('Only binary frames');
  });
  socket.on('close', () => relay.end('Closed'));
}
