import { RPCHandler } from '@orpc/server/message-port';
import { type IpcMainEvent, ipcMain, type MessagePortMain } from 'electron';
import { CONNECT_CHANNEL } from '../../../shared/window-ports';
import type { TerminalChannel, Workbench } from '../../app/workbench';
import { isRpcMessage } from '../common/rpc-message';
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
    relayTerminals(terminals, workbench);
  });
}

/** Only the top frame of our own page may connect (THREATS 10). */
const isFromOurPage = ({ senderFrame }: IpcMainEvent): boolean =>
  senderFrame !== null && senderFrame.parent === null && isPage(senderFrame.url);

interface RpcPort {
  on(event: string, listener: (event?: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** A port that passes only well-formed messages on: oRPC would reject a promise nobody holds for the others. */
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

/** Frames a page may send before the terminal host answers. */
const MAX_EARLY_FRAMES = 256;

function relayTerminals(port: MessagePortMain, workbench: Workbench): void {
  const early: Uint8Array[] = [];
  let channel: TerminalChannel | null = null;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    channel?.close();
    port.close();
  };
  port.on('message', ({ data }) => {
    if (!(data instanceof Uint8Array)) return end();
    if (channel !== null) channel.send(data);
    else if (early.push(data) > MAX_EARLY_FRAMES) end();
  });
  port.on('close', end);
  port.start();
  workbench
    .openTerminalChannel((frame) => {
      if (!ended) port.postMessage(frame);
    }, end)
    .then((opened) => {
      if (!opened.ok) return end();
      channel = opened.value;
      if (ended) return channel.close();
      for (const frame of early.splice(0)) channel.send(frame);
    })
    .catch(end);
}
