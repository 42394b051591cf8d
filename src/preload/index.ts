import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { CONNECT_CHANNEL, PORTS_MESSAGE, READY_MESSAGE } from '../shared/window-ports';

/** Makes a fresh connection: one end of each port goes to the main process, the other to the page. */
function connect(): void {
  const rpc = new MessageChannel();
  const terminals = new MessageChannel();
  ipcRenderer.postMessage(CONNECT_CHANNEL, null, [rpc.port1, terminals.port1]);
  window.postMessage({ type: PORTS_MESSAGE }, '*', [rpc.port2, terminals.port2]);
}

window.addEventListener('message', (event) => {
  if (event.source === window && event.data === READY_MESSAGE) connect();
});

contextBridge.exposeInMainWorld('lathe', {
  getPathForFile: (file: File) => webUtils.getPathForFile(file),
});
