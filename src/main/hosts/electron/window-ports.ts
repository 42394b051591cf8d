import { RPCHandler } from '@orpc/server/message-port';
import { type IpcMainEvent, ipcMain, type MessagePortMain } from 'electron';
import { CONNECT_CHANNEL } from '../../../shared/window-ports';
import type { Workbench } from '../../app/workbench';
import { isRpcMessage, relayTerminals } from '../common/window-channels';
import type { WindowRouter } from '../handlers/router';
import { isPage } from './page-guard';

/** Serves every window that asks for a connection. `routerOf` gives the router of a window of ours, or null. */
export function serveWindowPorts(
  workbench: Workbench,
  routerOf: (webContentsId: number) => WindowRouter | null,
): void {
  ipcMain.on(CONNECT_CHANNEL, (event) => {
    const router = isFromOurPage(event) ? routerOf(event.sender.id) : null;
    const [rpc, terminals] = event.ports;
    if (router === null || rpc === undefined || terminals === undefined) {
      for (const port of event.ports) port.close();
      return;
    }
    new RPCHandler(router).upgrade(checkedPort(rpc));
    rpc.start();
    relayFrames(terminals, workbench);
  });
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

function relayFrames(port: MessagePortMain, workbench: Workbench): void {
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
