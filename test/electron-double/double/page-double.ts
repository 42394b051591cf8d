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

/** The name of the world that the preload runs in, beside that of the page. */
const PRELOAD_WORLD = 'preload';

/**
 * A real Chromium page behind a window double: it loads what the main process serves, under the policy it
 * sends, with the built preload in front of it, in a world of its own as with context isolation.
 */
export async function openPage(
  context: BrowserContext,
  preloadPath: string,
  hooks: PageHooks,
): Promise<Page> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const ports = new Map<number, PortDouble>();
  let world: number | null = null;
  await page.route(`${STAND_IN}/**`, async (route) => {
    const address = route.request().url().replace(STAND_IN, 'app://lathe');
    const response = await hooks.serve(new Request(address));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  const give = (id: number, wire: Wire) =>
    cdp.send('Runtime.callFunctionOn', {
      functionDeclaration: '(id, wire) => globalThis.doubleFromMain(id, wire)',
      arguments: [{ value: id }, { value: wire }],
      ...(world === null ? {} : { executionContextId: world }),
    });
  const open = (channel: string, ids: readonly number[]) => {
    const opened = ids.map((id) => {
      const port = new PortDouble((data) => {
        give(id, toWire(data)).catch(() => port.close());
      });
      ports.set(id, port);
      return port;
    });
    hooks.ipc(channel, opened);
  };
  cdp.on('Runtime.executionContextCreated', ({ context: created }) => {
    if (created.name === PRELOAD_WORLD) world = created.id;
  });
  cdp.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name !== 'doubleSend' || executionContextId !== world) return;
    const sent: Sent = JSON.parse(payload);
    if ('channel' in sent) open(sent.channel, sent.ids);
    else ports.get(sent.id)?.receive(fromWire(sent.wire));
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    for (const port of ports.values()) port.close();
    ports.clear();
  });
  const preload = await readFile(preloadPath, 'utf8');
  await cdp.send('Page.enable');
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', {
    name: 'doubleSend',
    executionContextName: PRELOAD_WORLD,
  });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: BRIDGE });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `${SANDBOX_START}${preload}${SANDBOX_END}`,
    worldName: PRELOAD_WORLD,
  });
  return page;
}

/** What the preload's side sends: ports on a channel, or data on a port. */
type Sent =
  | { readonly channel: string; readonly ids: readonly number[] }
  | { readonly id: number; readonly wire: Wire };

/** The page's end of `contextBridge`: functions alone cross, with their arguments as JSON and files by their paths. */
const BRIDGE = `document.addEventListener('double:expose', ({ detail }) => {
  const { name, functions } = JSON.parse(detail);
  const pathOf = ({ name }) => {
    const { doubleDropped } = globalThis;
    if (doubleDropped === undefined) return '/dropped/' + name;
    return doubleDropped.endsWith('/' + name) ? doubleDropped : '';
  };
  const asJson = (value) => value instanceof File ? { filePath: pathOf(value) } : value;
  globalThis[name] = Object.fromEntries(functions.map((method) => [method, (...args) => {
    const call = JSON.stringify({ name, method, args: args.map(asJson) });
    document.dispatchEvent(new CustomEvent('double:call', { detail: call }));
    const answer = document.documentElement.getAttribute('data-double-answer');
    document.documentElement.removeAttribute('data-double-answer');
    return JSON.parse(answer);
  }]));
});`;

/** A sandboxed preload gets `require('electron')` with the renderer's few modules and nothing else. */
const SANDBOX_START = `(() => {
  const ports = new Map();
  const exposed = new Map();
  let nextPort = 1;
  const send = (message) => globalThis.doubleSend(JSON.stringify(message));
  globalThis.doubleFromMain = (id, wire) => {
    const data = 'bytes' in wire
      ? Uint8Array.from(atob(wire.bytes), (c) => c.charCodeAt(0))
      : wire.value;
    ports.get(id)?.postMessage(data);
  };
  const toWire = (data) => data instanceof Uint8Array
    ? { bytes: btoa(String.fromCharCode(...data)) }
    : { value: data };
  document.addEventListener('double:call', ({ detail }) => {
    const { name, method, args } = JSON.parse(detail);
    const files = args.map((arg) => arg?.filePath === undefined ? arg : { path: arg.filePath });
    const answer = exposed.get(name)[method](...files);
    document.documentElement.setAttribute('data-double-answer', JSON.stringify(answer));
  });
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, value) => {
        exposed.set(name, value);
        const detail = JSON.stringify({ name, functions: Object.keys(value) });
        document.dispatchEvent(new CustomEvent('double:expose', { detail }));
      },
    },
    webUtils: { getPathForFile: (file) => file.path },
    ipcRenderer: {
      postMessage(channel, message, transferred) {
        const ids = transferred.map((port) => {
          const id = nextPort++;
          ports.set(id, port);
          port.onmessage = (event) => send({ id, wire: toWire(event.data) });
          return id;
        });
        send({ channel, ids });
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
