import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from '@playwright/test';
import { fromWire, PortDouble, toWire, type Wire } from './ports-double';

/** The page's address in Chromium, which cannot be taught `app:` from outside. */
export const STAND_IN = 'https://lathe.test';

/** How a page talks to the doubles of the main process. */
export interface PageHooks {
  /** What `protocol.handle` was given for `app:`. */
  serve(request: Request): Promise<Response>;
  /** `ipcRenderer.postMessage` of the preload. */
  ipc(channel: string, ports: readonly PortDouble[]): void;
}

/**
 * A real Chromium page behind a window double: it loads what the main process serves, under the policy it
 * sends, with the built preload in front of it.
 */
export async function openPage(
  context: BrowserContext,
  preloadPath: string,
  hooks: PageHooks,
): Promise<Page> {
  const page = await context.newPage();
  const ports = new Map<number, PortDouble>();
  await page.route(`${STAND_IN}/**`, async (route) => {
    const address = route.request().url().replace(STAND_IN, 'app://lathe');
    const response = await hooks.serve(new Request(address));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  await page.exposeBinding('doubleToMain', (_source, id: number, wire: Wire) =>
    ports.get(id)?.receive(fromWire(wire)),
  );
  await page.exposeBinding('doubleIpc', (_source, channel: string, ids: readonly number[]) => {
    const opened = ids.map((id) => {
      const port = new PortDouble((data) => {
        page.evaluate(giveToPage, { id, wire: toWire(data) }).catch(() => port.close());
      });
      ports.set(id, port);
      return port;
    });
    hooks.ipc(channel, opened);
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    for (const port of ports.values()) port.close();
    ports.clear();
  });
  const preload = await readFile(preloadPath, 'utf8');
  await page.addInitScript({ content: `${SANDBOX_START}${preload}${SANDBOX_END}` });
  return page;
}

function giveToPage({ id, wire }: { id: number; wire: Wire }): void {
  const give = Reflect.get(globalThis, 'doubleFromMain');
  give(id, wire);
}

/** A sandboxed preload gets `require('electron')` with the renderer's few modules and nothing else. */
const SANDBOX_START = `(() => {
  const ports = new Map();
  let nextPort = 1;
  globalThis.doubleFromMain = (id, wire) => {
    const data = 'bytes' in wire
      ? Uint8Array.from(atob(wire.bytes), (c) => c.charCodeAt(0))
      : wire.value;
    ports.get(id)?.postMessage(data);
  };
  const toWire = (data) => data instanceof Uint8Array
    ? { bytes: btoa(String.fromCharCode(...data)) }
    : { value: data };
  const electron = {
    contextBridge: { exposeInMainWorld: (name, value) => { globalThis[name] = value; } },
    webUtils: { getPathForFile: (file) => '/dropped/' + file.name },
    ipcRenderer: {
      postMessage(channel, message, transferred) {
        const ids = transferred.map((port) => {
          const id = nextPort++;
          ports.set(id, port);
          port.onmessage = (event) => globalThis.doubleToMain(id, toWire(event.data));
          return id;
        });
        globalThis.doubleIpc(channel, ids);
      },
    },
  };
  const require = (name) => {
    if (name !== 'electron') throw new Error('A sandboxed preload cannot require ' + name);
    return electron;
  };
  const module = { exports: {} };
  ((require, module, exports) => {
`;
const SANDBOX_END = '\n})(require, module, module.exports);\n})();';
