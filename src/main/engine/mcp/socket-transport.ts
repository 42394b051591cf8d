import { shownAddress } from '../settings/shown-server';
import { asMessage } from './messages-in';
import type { RemoteServer, ServerTransport } from './transports';

/** The longest message of a server that is taken. Characters. */
const MAX_MESSAGE_CHARS = 32 * 1024 * 1024;

/** The name by which both ends know what they speak. */
const SUBPROTOCOL = 'mcp';

/** The web socket of Node, which takes headers, unlike that of a page. */
type NodeSocket = new (
  url: string,
  options: {
    readonly protocols: readonly string[];
    readonly headers: Readonly<Record<string, string>>;
  },
) => WebSocket;

/** Creates the transport to a server that is reached by a web socket, one message a frame. */
export function createSocketTransport({ url, headers }: RemoteServer): ServerTransport {
  const { promise: gone, resolve: lose } = Promise.withResolvers<string>();
  let socket: WebSocket | null = null;
  let opened: Promise<string | null> = Promise.resolve('It is not connected.');

  const take = (data: unknown): void => {
    if (typeof data !== 'string' || data.length > MAX_MESSAGE_CHARS) {
      lose('It sent something that is no text, or too long.');
      socket?.close();
      return;
    }
    try {
      const message = asMessage(JSON.parse(data));
      if (message !== null) transport.onmessage?.(message);
    } catch (thrown) {
      transport.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  const transport: ServerTransport = {
    program: () => null,
    gone,
    lose,
    start: async () => {
      if (typeof WebSocket === 'undefined') throw new Error('This Node has no web sockets.');
      const line = new (WebSocket as unknown as NodeSocket)(url, {
        protocols: [SUBPROTOCOL],
        headers: { ...headers },
      });
      socket = line;
      opened = new Promise((resolve) => {
        let isOpen = false;
        const open = () => {
          isOpen = true;
          resolve(null);
        };
        line.addEventListener('open', open, { once: true });
        line.addEventListener('close', ({ code, reason }) => {
          const words = `${code}${reason === '' ? '' : `: ${reason}`}`;
          const why = isOpen
            ? `It closed the connection (${words}).`
            : `No web socket could be opened at ${shownAddress(url)} (${words}).`;
          resolve(why);
          lose(why);
          transport.onclose?.();
        });
      });
      // Nothing says what went wrong; the close that follows is told.
      line.addEventListener('error', () => {});
      line.addEventListener('message', ({ data }) => take(data));
    },
    send: async (message) => {
      const why = await opened;
      if (why !== null) throw new Error(why);
      socket?.send(JSON.stringify(message));
    },
    close: async () => {
      lose('It was disconnected.');
      socket?.close();
    },
  };
  return transport;
}
