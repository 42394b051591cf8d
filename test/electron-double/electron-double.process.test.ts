import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startChromium } from '../support/chromium';
import { soon } from '../support/soon';
import { preventable } from './double/app-double';
import {
  createElectronDouble,
  type DoubleOptions,
  type ElectronDouble,
} from './double/electron-double';
import { onPlatform } from './double/platform';
import { PortDouble } from './double/ports-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let browser: Browser;
let running: RunningApp | null = null;

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  await running?.stop();
  running = null;
});

async function start(options: DoubleOptions = {}, words: readonly string[] = []) {
  const double = createElectronDouble(options);
  running = await runBuiltApp(double, { words });
  await soon(() => expect(double.started()).toBe(true));
  const window = double.windows[0];
  if (window === undefined) throw new Error('No window');
  return { double, window };
}

const serve = (double: ElectronDouble, url: string, init: RequestInit = {}) =>
  double.handlers.get('app')?.(new Request(url, init));

test('the page comes up in a real browser, over the ports, and opens a folder by the system dialog', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const problems: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  context.on('weberror', (failure) => problems.push(String(failure.error())));
  const { double, window } = await start({ context });
  const page = await soon(() => {
    if (window.page === null) throw new Error('No page yet');
    return window.page;
  });
  double.answers.folder = { canceled: false, filePaths: [join(import.meta.dirname, 'double')] };
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await page.getByText(/trust/i).first().waitFor();
  await page.getByText('electron-double/double').first().waitFor();
  expect(problems).toEqual([]);
  expect(await page.evaluate(() => Object.keys(Reflect.get(globalThis, 'lathe')))).toEqual([
    'getPathForFile',
  ]);
  // Of the preload's own world nothing reaches the page but this one function.
  expect(
    await page.evaluate(() => ({
      path: Reflect.get(globalThis, 'lathe').getPathForFile(new File([], 'a.txt')),
      leaked: ['require', 'module', 'doubleSend', 'doubleFromMain'].filter(
        (name) => name in globalThis,
      ),
    })),
  ).toEqual({ path: '/dropped/a.txt', leaked: [] });
  expect(window.shown).toBe(true);
  await context.close();
});

test('THREATS 10: the window is locked down and its preload is one CommonJS file', async () => {
  const { double, window } = await start();
  expect(window.options.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
  });
  const preload = await readFile(window.options.webPreferences?.preload ?? '', 'utf8');
  expect([...preload.matchAll(/require\(["'`]([^"'`]+)/g)].map(([, name]) => name)).toEqual([
    'electron',
  ]);
  expect(window.webContents.url).toBe('app://lathe/');
  expect(window.webContents.attachFromPage()).toBe(false);
  expect(double.schemes).toMatchObject([
    { scheme: 'app', privileges: { standard: true, secure: true } },
  ]);
  expect(double.schemes[0]?.privileges?.bypassCSP ?? false).toBe(false);
});

test('THREATS 9, 10: the scheme serves the built page with a strict policy, and nothing else', async () => {
  const { double } = await start();
  const page = await serve(double, 'app://lathe/');
  expect(page?.status).toBe(200);
  const policy = page?.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).toContain("connect-src 'self';");
  for (const url of [
    'app://lathe/../package.json',
    'app://lathe/%2e%2e/main/index.js',
    'app://lathe/../main/index.js',
    'app://other/',
    'app://lathe/etc/passwd',
  ])
    expect((await serve(double, url))?.status).toBe(404);
  expect((await serve(double, 'app://lathe/', { method: 'POST' }))?.status).toBe(404);
});

test('THREATS 10: every permission but copying is refused, to other pages that too', async () => {
  const { double, window } = await start();
  const { request, check, device } = double.permissions;
  const ask = (permission: string) =>
    new Promise((resolve) =>
      request?.(window.webContents as never, permission as never, resolve as never),
    );
  for (const permission of [
    'media',
    'geolocation',
    'notifications',
    'openExternal',
    'clipboard-read',
    'hid',
  ])
    expect(await ask(permission)).toBe(false);
  expect(await ask('clipboard-sanitized-write')).toBe(true);
  window.webContents.url = 'https://evil.example/';
  expect(await ask('clipboard-sanitized-write')).toBe(false);
  expect(check?.(null as never, 'media' as never)).toBe(false);
  expect(device?.()).toBe(false);
});

test('THREATS 9, 10: links open outside only after the user saw where they lead; nothing else opens', async () => {
  const { double, window } = await start();
  double.answers.box = 1;
  expect(window.webContents.openFromPage('https://example.com/a')).toBe('deny');
  await soon(() => expect(double.dialogs).toHaveLength(1));
  expect(double.dialogs[0]).toMatchObject({
    message: 'Open example.com?',
    detail: 'https://example.com/a',
    defaultId: 1,
  });
  expect(double.opened).toEqual([]);
  double.answers.box = 0;
  expect(window.webContents.navigateFromPage('https://example.com/b')).toBe(false);
  await soon(() => expect(double.opened).toEqual(['https://example.com/b']));
  for (const url of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'smb://x/y',
    'vscode://x',
    'data:text/html,x',
  ])
    window.webContents.openFromPage(url);
  expect(window.webContents.navigateFromPage('app://lathe/other')).toBe(false);
  expect(window.webContents.navigateFromPage('app://lathe/', false)).toBe(false);
  // It may load itself again.
  expect(window.webContents.navigateFromPage('app://lathe/')).toBe(true);
  await Promise.resolve();
  expect(double.dialogs).toHaveLength(2);
});

test('THREATS 10: only our own top page gets a connection', async () => {
  const { double, window } = await start();
  const ports = () => [new PortDouble(() => {}), new PortDouble(() => {})];
  const foreign = ports();
  double.connectAs(window, 'https://evil.example/', foreign);
  const lookalike = ports();
  double.connectAs(window, 'app://lathe.evil/', lookalike);
  expect([...foreign, ...lookalike].every((port) => port.closed)).toBe(true);
  const framed = ports();
  double.electron.ipcMain.emit('lathe:connect', {
    sender: window.webContents,
    senderFrame: { url: 'app://lathe/', parent: {} },
    ports: framed,
  });
  expect(framed.every((port) => port.closed)).toBe(true);
  const own = ports();
  double.connectAs(window, 'app://lathe/', own);
  expect(own.some((port) => port.closed)).toBe(false);
});

test('garbage on a port harms nothing, and the next call is answered', async () => {
  const { double, window } = await start();
  const answers: unknown[] = [];
  const rpc = new PortDouble((data) => answers.push(data));
  double.connectAs(window, 'app://lathe/', [rpc, new PortDouble(() => {})]);
  for (const garbage of [
    null,
    7,
    '',
    '{',
    '{"i":1}',
    '{"i":1,"p":{"u":7}}',
    new Uint8Array(3),
    { i: 1 },
  ])
    rpc.receive(garbage);
  rpc.receive(JSON.stringify({ i: '1', p: { u: '/app/info', b: {} } }));
  await soon(() => expect(answers.join()).toContain('"host":"electron"'));
});

test('the host reads the clipboard for its page, which may not', async () => {
  const { double } = await start();
  double.copied.push('npm test');
  expect(await call(double, '/app/clipboardText', {})).toContain('npm test');
});

test('the dialog for a folder begins beside the project, of another window where there is none, else at home', async () => {
  const { double } = await start();
  await call(double, '/folders/pick', {});
  double.app.emit('second-instance', {}, [], '/home/ann', { words: ['work/harbour'] });
  await call(double, '/folders/pick', {});
  double.app.emit('second-instance', {}, [], '/home/ann', { words: ['play/tides'] });
  await call(double, '/folders/pick', {}, 1);
  expect(double.pickedNear).toEqual([homedir(), '/home/ann/work', '/home/ann/work']);
});

test('a page that dies is loaded again, but not for ever', async () => {
  const { double, window } = await start();
  const die = () => window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  for (let deaths = 0; deaths < 3; deaths += 1) die();
  expect(window.webContents.reloads).toBe(3);
  const restore = onPlatform('darwin');
  die();
  await soon(() => expect(double.dialogs).toHaveLength(1));
  restore();
  expect(double.heldUp).toEqual([]);
  expect(double.dialogs[0]?.detail).toContain('reports');
  // The user wants another window, and the app goes on although it was the only one.
  await soon(() => expect(window.destroyed).toBe(true));
  expect(double.windows).toHaveLength(2);
  expect(double.app.record.exitCode).toBeNull();
});

test('THREATS 20: a second start, a link and a folder reach the first; a link only prefills', async () => {
  const { double } = await start();
  const { app, windows } = double;
  app.emit('second-instance', {}, [], '/home/ann', { words: ['project', '--demo'] });
  expect(windows).toHaveLength(2);
  app.emit('second-instance', {}, [], '/', { words: ['lathe://open?prompt=hi', '/etc', '--demo'] });
  expect(windows).toHaveLength(2);
  // A folder has its own window; the one at the front keeps what it shows.
  const hand = (event: string, given: string) => {
    const handed = preventable({});
    app.emit(event, handed, given);
    // Else Electron takes it for unhandled.
    expect(handed.defaultPrevented).toBe(true);
  };
  const open = (link: string) => hand('open-url', link);
  open('lathe://open?prompt=hi&folder=/p');
  expect(windows).toHaveLength(3);
  await soon(() => expect(windows.every(({ shown }) => shown)).toBe(true));
  expect(windows.map(({ shownEmpty }) => shownEmpty)).toEqual([false, false, false]);
  windows[0]?.focus();
  open('lathe://open?prompt=hi&folder=/p');
  open('lathe://open?folder=/home/ann/project');
  expect(windows).toHaveLength(3);
  expect(double.electron.BrowserWindow.getFocusedWindow()).toBe(windows[1]);
  hand('open-file', '/home/ann/other');
  expect(windows).toHaveLength(4);
  // A folder of its own for Chromium's data, set before the lock that lies there, keeps two homes apart.
  expect(app.record).toMatchObject({ name: 'Lathe' });
  expect(app.record.paths.get('userData')).toBe(join(running?.latheHome ?? '', 'electron'));
  // From sources, Electron alone would open its own welcome page.
  const sources = join(import.meta.dirname, '..', '..');
  expect(app.record.protocolClients).toEqual([['lathe', process.execPath, [sources]]]);
});

test('a start beside another one hands over and ends', async () => {
  const double = createElectronDouble({ first: false });
  running = await runBuiltApp(double, { words: ['/some/folder'] });
  expect(double.app.record.exitCode).toBe(0);
  expect(double.app.record.lockData).toEqual({ words: ['/some/folder'] });
  expect(double.windows).toHaveLength(0);
});

test('a maximised window comes up with its page, not before', async () => {
  const { double, window } = await start();
  const items = double.menu().flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
  const another = () =>
    items.find(({ label }) => label === 'New Window')?.click?.({} as never, undefined, {} as never);
  another();
  window.maximized = true;
  window.close();
  await soon(async () =>
    expect(await readFile(join(running?.latheHome ?? '', 'windows.json'), 'utf8')).toContain(
      '"maximized":true',
    ),
  );
  another();
  await soon(() => expect(double.windows[2]).toMatchObject({ shown: true, maximized: true }));
  expect(double.windows.map(({ shownEmpty }) => shownEmpty)).toEqual([false, false, false]);
});

/** Sends one call over a connection of a window, the first one unless another is named, and gives the answer's text. */
async function call(
  double: ElectronDouble,
  path: string,
  input: object,
  from = 0,
): Promise<string> {
  const window = double.windows[from];
  if (window === undefined) throw new Error('No window');
  const answers: string[] = [];
  // Greetings are no text.
  const rpc = new PortDouble((data) => typeof data === 'string' && answers.push(data));
  double.connectAs(window, 'app://lathe/', [rpc, new PortDouble(() => {})]);
  rpc.receive(JSON.stringify({ i: '1', p: { u: path, b: { json: input } } }));
  return soon(() => {
    const [answer] = answers;
    if (answer === undefined) throw new Error('No answer yet');
    return answer;
  });
}

test('LATHE_DEBUG makes a debug log in the home', async () => {
  vi.stubEnv('LATHE_DEBUG', '1');
  try {
    await start();
    const logs = await readdir(join(running?.latheHome ?? '', 'logs'));
    expect(logs).toEqual([expect.stringMatching(/^debug-.+\.log$/)]);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('THREATS 13: a key goes into the keychain, and the file holds it sealed', async () => {
  const { double } = await start();
  const answer = await call(double, '/connection/set', { kind: 'apiKey', key: 'sk-secret-1' });
  expect(answer).toContain('"ok":true');
  expect(answer).not.toContain('sk-secret-1');
  const sealed = await readFile(join(running?.latheHome ?? '', 'key.bin'));
  expect(sealed.includes('sk-secret-1')).toBe(false);
});

test('THREATS 13: without a real keychain a key is refused, never kept in the clear', async () => {
  const { double } = await start({ sealing: 'fixed password' });
  const answer = await call(double, '/connection/set', { kind: 'apiKey', key: 'sk-secret-2' });
  expect(answer).toContain('"ok":false');
  expect(answer).toContain('no keychain');
  // The form says so before a key is entered.
  expect(await call(double, '/app/info', {})).toContain('no file: this system has no keychain');
  expect(existsSync(join(running?.latheHome ?? '', 'key.bin'))).toBe(false);
});
