import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { err, fault, ok, type Result } from '../../shared/result';
import { greetingIn, PORTS_MESSAGE, READY_MESSAGE, SKIP_MESSAGE } from '../../shared/window-ports';
import {
  type Client,
  countMessages,
  createClosing,
  type Dial,
  type FrameSender,
  type Transport,
  type Waiting,
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
  async (signal, onWait = () => {}) => {
    const pair = await receivePorts(page, signal);
    if (!pair.ok) return pair;
    if (await isServed(pair.value.rpc, signal, onWait)) return ok(overPorts(pair.value));
    for (const port of Object.values(pair.value)) port.close();
    return err(noPorts());
  };

/** Waits for the host to serve a port, however long that takes: a host that ends closes it. False when it never does. */
function isServed(
  port: MessagePort,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => void,
): Promise<boolean> {
  const settled = new AbortController();
  return new Promise((resolve) => {
    const settle = (served: boolean) => {
      settled.abort();
      resolve(served);
    };
    const listen = { signal: settled.signal };
    const hear = ({ data }: MessageEvent<unknown>) => {
      const greeting = greetingIn(data);
      if (greeting?.type === 'lathe:serves') settle(true);
      else if (greeting !== null)
        onWait({ cause: greeting.for, skip: () => port.postMessage(SKIP_MESSAGE) });
    };
    port.addEventListener('message', hear, listen);
    port.addEventListener('close', () => settle(false), listen);
    signal.addEventListener('abort', () => settle(false), listen);
    port.start();
  });
}

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
