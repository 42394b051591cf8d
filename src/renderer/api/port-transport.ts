import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { err, fault, ok, type Result } from '../../shared/result';
import { PORTS_MESSAGE, READY_MESSAGE } from '../../shared/window-ports';
import {
  type Client,
  countMessages,
  createClosing,
  type Dial,
  type FrameSender,
  type Transport,
} from './transport';

/** Time the preload may take to pass the ports, in milliseconds. */
const HANDOVER_TIMEOUT_MS = 10_000;

interface PortPair {
  readonly rpc: MessagePort;
  readonly terminals: MessagePort;
}

/** Connects over the pair of message ports that the Electron preload hands to this window. */
export const dialPorts =
  (page: Window): Dial =>
  async (signal) => {
    const pair = await receivePorts(page, signal);
    return pair.ok ? ok(overPorts(pair.value)) : pair;
  };

function receivePorts(page: Window, signal: AbortSignal): Promise<Result<PortPair>> {
  return new Promise((resolve) => {
    const settle = (result: Result<PortPair>) => {
      clearTimeout(timer);
      page.removeEventListener('message', take);
      signal.removeEventListener('abort', giveUp);
      resolve(result);
    };
    const giveUp = () => settle(err(noPorts()));
    const take = (event: MessageEvent<unknown>) => {
      const [rpc, terminals] = event.ports;
      const ours = event.source === page && isHandover(event.data);
      if (ours && rpc && terminals) settle(ok({ rpc, terminals }));
    };
    const timer = setTimeout(giveUp, HANDOVER_TIMEOUT_MS);
    page.addEventListener('message', take);
    signal.addEventListener('abort', giveUp, { once: true });
    page.postMessage(READY_MESSAGE, '*');
  });
}

const isHandover = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === PORTS_MESSAGE;

/** Makes a transport of two ports; either port's end ends it, and the next dial brings a fresh pair. */
function overPorts({ rpc, terminals }: PortPair): Transport {
  const closing = createClosing();
  for (const port of [rpc, terminals]) {
    port.addEventListener('close', () => closing.close());
    closing.onClosed(() => port.close());
  }
  const client: Client = createORPCClient(new RPCLink({ port: rpc }));
  rpc.start();
  return {
    client,
    heard: countMessages(rpc),
    close: closing.close,
    onClosed: closing.onClosed,
    openTerminalFrames: async (onFrame, onClose) => {
      if (closing.done) return err(noPorts());
      return ok(overTerminalPort(terminals, onFrame, onClose, closing.onClosed));
    },
  };
}

function overTerminalPort(
  port: MessagePort,
  onFrame: (frame: Uint8Array) => void,
  onClose: () => void,
  onTransportClosed: (listener: () => void) => void,
): FrameSender {
  port.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (event.data instanceof Uint8Array) onFrame(event.data);
    else if (event.data instanceof ArrayBuffer) onFrame(new Uint8Array(event.data));
  });
  port.start();
  onTransportClosed(onClose);
  return { send: (frame) => port.postMessage(frame), close: () => port.close() };
}

const noPorts = () =>
  fault('unreachable', 'The window could not reach the app.', 'Reload the window.');
