import { RPCHandler } from '@orpc/server/message-port';
import { type IpcMainEvent, ipcMain, type MessagePortMain } from 'electron';
import {
  CONNECT_CHANNEL,
  type Greeting,
  type HostWait,
  SKIP_MESSAGE,
} from '../../../shared/window-ports';
import type { Workbench } from '../../app/workbench';
import { isRpcMessage, relayTerminals } from '../common/window-channels';
import type { WindowRouter } from '../handlers/router';
import { isPage } from './page-guard';

/** The connections that windows ask for. They are held until there is something to serve them. */
export interface WindowPorts {
  /** Tells the pages that are held what is waited for. */
  wait(cause: HostWait): void;
  /** Serves the pages that are held, and every later one. `routerOf` gives the router of a window of ours, or null. */
  serve(
    workbench: Pick<Workbench, 'openTerminalChannel'>,
    routerOf: (webContentsId: number) => WindowRouter | null,
  ): void;
}

/** The ends of a page's two ports: for its calls, and for the bytes of terminals. */
interface PagePorts {
  readonly rpc: MessagePortMain;
  readonly terminals: MessagePortMain;
}

/** Takes every window that asks for a connection. `skip` is called when a user does not want to wait. */
export function openWindowPorts(skip: () => void): WindowPorts {
  let cause: HostWait = 'start';
  /** The newest connection of each page, by the id of its contents. */
  const held = new Map<number, PagePorts>();
  const hold = (id: number, ports: PagePorts): void => {
    const before = held.get(id);
    held.set(id, ports);
    if (before !== undefined) closeAll(before);
    ports.rpc.on('close', () => {
      if (held.get(id) === ports) held.delete(id);
    });
    ports.rpc.on('message', ({ data }) => {
      if (data === SKIP_MESSAGE) skip();
    });
    ports.rpc.start();
    greet(ports, { type: 'lathe:waits', for: cause });
  };
  let connect = hold;
  ipcMain.on(CONNECT_CHANNEL, (event) => {
    const [rpc, terminals] = event.ports;
    if (isFromOurPage(event) && rpc !== undefined && terminals !== undefined)
      connect(event.sender.id, { rpc, terminals });
    else for (const port of event.ports) port.close();
  });
  return {
    wait(next) {
      cause = next;
      for (const ports of held.values()) greet(ports, { type: 'lathe:waits', for: cause });
    },
    serve(workbench, routerOf) {
      connect = (id, ports) => {
        const router = routerOf(id);
        if (router === null) return closeAll(ports);
        new RPCHandler(router).upgrade(checkedPort(ports.rpc));
        ports.rpc.start();
        relayFrames(ports.terminals, workbench);
        greet(ports, { type: 'lathe:serves' });
      };
      const waiting = [...held];
      held.clear();
      for (const [id, ports] of waiting) connect(id, ports);
    },
  };
}

const greet = ({ rpc }: PagePorts, greeting: Greeting): void => rpc.postMessage(greeting);

function closeAll({ rpc, terminals }: PagePorts): void {
  rpc.close();
  terminals.close();
}

/** Tells whether the top frame of our own page asks; only it may connect (docs/security.md 10). */
const isFromOurPage = ({ senderFrame }: IpcMainEvent): boolean =>
  senderFrame !== null && senderFrame.parent === null && isPage(senderFrame.url);

interface RpcPort {
  on(event: string, listener: (event?: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Wraps a port so that only well-formed messages pass: oRPC would reject a promise nobody holds for the others. */
const checkedPort = (port: MessagePortMain): RpcPort => ({
  on(event, listener) {
    if (event === 'close') port.on('close', () => listener());
    else if (event === 'message')
      port.on('message', ({ data }) => {
        if (isRpcMessage(data)) listener({ data });
      });
  },
  postMessage: (message) => port.postMessage(message),
});

function relayFrames(
  port: MessagePortMain,
  workbench: Pick<Workbench, 'openTerminalChannel'>,
): void {
  const relay = relayTerminals(
    // A view would take the whole memory behind it along.
    { send: (frame) => port.postMessage(Uint8Array.from(frame)), close: () => port.close() },
    workbench,
  );
  port.on('message', ({ data }) => {
    if (data instanceof Uint8Array) relay.fromPage(data);
    else relay.end('Only binary frames');
  });
  port.on('close', () => relay.end('Closed'));
  port.start();
}
