import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import { err, fault, ok, type Result } from '../../shared/result';
import {
  type Client,
  countMessages,
  createClosing,
  type Dial,
  type FrameSender,
  NOT_ADMITTED,
  type Transport,
} from './transport';

/** Time a socket may take to open, in milliseconds. */
const OPEN_TIMEOUT_MS = 10_000;

/** The browser features the page uses; tests bring their own. */
export interface WebPlatform {
  /** `http://127.0.0.1:PORT` of the page. */
  readonly origin: string;
  readonly fetch: typeof fetch;
  readonly WebSocket: new (url: string) => WebSocket;
}

/** Connects over two WebSockets of the page's own origin: `/rpc` for calls and streams, `/terminals` for frames. */
export const dialWeb =
  (platform: WebPlatform): Dial =>
  async (signal) => {
    const opened = await openSocket(platform, '/rpc', signal);
    if (opened.ok) return ok(overSocket(platform, opened.value));
    const admitted = await probe(platform, signal);
    return admitted.ok ? opened : admitted;
  };

/** Asks over plain HTTP whether our cookie is known, because a failed WebSocket handshake has no status. */
async function probe(platform: WebPlatform, signal: AbortSignal): Promise<Result<null>> {
  try {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
    const response = await platform.fetch(`${platform.origin}/session`, { signal: timeout });
    if (response.status !== 401 && response.status !== 403) return ok(null);
    return err(
      fault(
        NOT_ADMITTED,
        'This page has no valid session with Lathe.',
        'Open the link Lathe printed in the terminal. Each link works once; `lathe serve` prints a new one.',
      ),
    );
  } catch {
    return err(unreachable());
  }
}

function overSocket(platform: WebPlatform, socket: WebSocket): Transport {
  const closing = createClosing();
  // The link hears of the end first: it would otherwise try to cancel its streams over a dead socket.
  const client: Client = createORPCClient(new RPCLink({ websocket: socket }));
  socket.addEventListener('close', () => closing.close());
  if (socket.readyState > WebSocket.OPEN) closing.close();
  closing.onClosed(() => socket.close());
  return {
    client,
    heard: countMessages(socket),
    close: closing.close,
    onClosed: closing.onClosed,
    openTerminalFrames: (onFrame, onClose) =>
      openFrames(platform, onFrame, onClose, closing.onClosed),
  };
}

async function openFrames(
  platform: WebPlatform,
  onFrame: (frame: Uint8Array) => void,
  onClose: () => void,
  onTransportClosed: (listener: () => void) => void,
): Promise<Result<FrameSender>> {
  const opened = await openSocket(platform, '/terminals', new AbortController().signal);
  if (!opened.ok) return opened;
  const socket = opened.value;
  const closing = createClosing();
  closing.onClosed(() => socket.close());
  closing.onClosed(onClose);
  socket.addEventListener('close', () => closing.close());
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (event.data instanceof ArrayBuffer) onFrame(new Uint8Array(event.data));
  });
  onTransportClosed(closing.close);
  return ok({
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(new Uint8Array(frame));
    },
    close: closing.close,
  });
}

function openSocket(
  platform: WebPlatform,
  path: string,
  signal: AbortSignal,
): Promise<Result<WebSocket>> {
  const socket = new platform.WebSocket(platform.origin.replace(/^http/, 'ws') + path);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve) => {
    const settle = (result: Result<WebSocket>) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      if (!result.ok) socket.close();
      resolve(result);
    };
    const giveUp = () => settle(err(unreachable()));
    const timer = setTimeout(giveUp, OPEN_TIMEOUT_MS);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.addEventListener('open', () => settle(ok(socket)), { once: true });
    socket.addEventListener('close', giveUp, { once: true });
  });
}

const unreachable = () =>
  fault(
    'unreachable',
    'Lathe does not answer.',
    'Check that `lathe serve` is still up; this page reconnects by itself.',
  );
