import type { WebSocket } from 'ws';
import { isRpcMessage } from '../common/rpc-message';

/** What oRPC uses of a socket. */
type RpcSocket = Pick<WebSocket, 'addEventListener' | 'send'>;

/** More than this waiting for a slow page holds the streams back. Bytes. */
const HIGH_BYTES = 1_000_000;

/** Passes well-formed messages only: oRPC would reject a promise nobody holds for the others. */
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
 * A socket whose `send` resolves when the page has taken what waits: oRPC awaits it before it pulls the next
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
