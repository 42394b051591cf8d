import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { AppPage } from '../e2e/support/app-page';
import { see, startChromium } from '../support/chromium';
import { type ScriptedApi, startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { soon } from '../support/soon';
import { createElectronDouble, type ElectronDouble } from './double/electron-double';
import { onPlatform } from './double/platform';
import { type RunningApp, runBuiltApp } from './double/run-built-app';
import type { WindowDoubleInstance } from './double/window-double';

const KEY = 'sk-test-double';

let browser: Browser;
let context: BrowserContext;
let api: ScriptedApi;
let double: ElectronDouble;
let app: RunningApp;

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
  const ask = reply([toolUse('Bash', { command: 'make release' })]);
  api = await startScriptedApi([ask, reply('Not without you.')], { apiKey: KEY });
  double = createElectronDouble({ context });
  app = await runBuiltApp(double);
});
afterEach(async () => {
  await app.stop();
  await api.close();
  await context.close();
});

/** The window at a place, and its page once it is there. */
async function windowAt(place: number): Promise<{ window: WindowDoubleInstance; page: Page }> {
  return soon(() => {
    const window = double.windows[place];
    if (!window?.page) throw new Error('No page yet');
    return { window, page: window.page };
  });
}

/** The first window, in which a command asks. */
async function asking() {
  const { window, page } = await windowAt(0);
  const folder = join(app.latheHome, '..', 'harbour');
  await mkdir(folder, { recursive: true });
  double.answers.folder = { canceled: false, filePaths: [folder] };
  const screen = new AppPage(page);
  await page.getByRole('button', { name: 'Choose a folder' }).click();
  await page.getByRole('button', { name: 'Trust and open' }).click();
  await screen.connect(KEY, api.url);
  await screen.send('release');
  await screen.question('make release');
  return window;
}

/** Chooses an item of the menu. */
const choose = (wanted: string) =>
  double
    .menu()
    .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
    .find(({ label }) => label === wanted)
    ?.click?.({} as never, undefined, {} as never);

const openWindow = () => choose('New Window');

const lastTold = () => JSON.stringify(api.requests.at(-1)?.body.messages.at(-1)?.content);
const denied = () =>
  soon(() => {
    expect(api.requests).toHaveLength(2);
    expect(lastTold()).toContain('The user denied this call');
  });

test('a question is told to a user who looks elsewhere, and a click goes there', async () => {
  const window = await asking();
  expect([...double.awake.values()]).toEqual(['prevent-app-suspension']);
  const [notification, ...others] = double.notifications;
  expect(others).toEqual([]);
  expect(notification).toMatchObject({
    options: { body: 'Wants to: run a command' },
    shown: 'on screen',
  });
  expect(double.app.record.badge).toBe(1);
  notification?.emit('click');
  expect(double.electron.BrowserWindow.getFocusedWindow()).toBe(window);
  expect(double.app.record.badge).toBe(0);
});

test('a notification that had its time can still be clicked in the list of Windows, and goes when the user is back', async () => {
  const window = await asking();
  const [notification] = double.notifications;
  notification?.timeOut();
  expect(notification?.shown).toBe('in the list');
  window.focus();
  expect(notification?.shown).toBe('no more');
});

test('a notification raises the window of its session, not the newest, and leaves the others alone', async () => {
  const window = await asking();
  openWindow();
  const { page } = await windowAt(1);
  const other = new AppPage(page);
  await see(other.approval).toContainText('make release');
  await page.getByRole('button', { name: 'New session' }).click();
  await see(other.approval).toBeHidden();
  // The session on screen was asked for: its window has it.
  await see(other.conversation).not.toContainText('Loading');
  double.notifications[0]?.emit('click');
  expect(double.electron.BrowserWindow.getFocusedWindow()).toBe(window);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  await see(other.approval).toBeHidden();
});

test('a link puts its words before what the user has written, and its folder into a window of its own', async () => {
  const window = await asking();
  const { page } = await windowAt(0);
  const screen = new AppPage(page);
  await screen.composer.fill('my own words');
  const open = (link: string) => double.app.emit('open-url', { preventDefault() {} }, link);
  open('lathe://open?prompt=theirs');
  await see(screen.composer).toHaveValue('theirs\nmy own words');
  const other = join(app.latheHome, '..', 'jetty');
  await mkdir(other);
  open(`lathe://open?prompt=more&folder=${encodeURIComponent(other)}`);
  const { page: opened } = await windowAt(1);
  await opened.getByRole('button', { name: 'Trust and open' }).click();
  await see(new AppPage(opened).composer).toHaveValue('more');
  await see(screen.composer).toHaveValue('theirs\nmy own words');
  window.focus();
  double.notifications[0]?.emit('click');
  expect(double.electron.BrowserWindow.getFocusedWindow()).toBe(window);
});

test('a command of the menu is carried out by its window, and no key is pressed in it', async () => {
  const { window: first, page } = await windowAt(0);
  first.focus();
  const front = await asking();
  // Nobody is told of what is before their eyes.
  expect(double.notifications).toEqual([]);
  // The newest window lies behind it.
  openWindow();
  await windowAt(1);
  front.focus();
  await page.evaluate(() => {
    Reflect.set(window, 'pressed', []);
    window.addEventListener('keydown', ({ key }) => Reflect.get(window, 'pressed').push(key), true);
  });
  choose('Settings…');
  await see(page.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, 'pressed'))).toEqual([]);
});

test.runIf(process.platform !== 'darwin')(
  'a key is for the page, and for the menu only when the page leaves it',
  async () => {
    const front = await asking();
    const { page } = await windowAt(0);
    const shown = () => page.getByRole('button', { name: 'Hide the dock' });
    const before = await shown().count();
    // Twice, by page and menu, would leave it as it was.
    await double.press(front, 'Control+J');
    await see(shown()).toHaveCount(1 - before);
    expect(double.windows).toHaveLength(1);
    await double.press(front, 'Control+Shift+N');
    expect(double.windows).toHaveLength(2);
  },
);

test('closing a window denies what it was asked, and nothing runs', async () => {
  const window = await asking();
  openWindow();
  await windowAt(1);
  window.close();
  await denied();
  await soon(() => expect(double.awake.size).toBe(0));
  expect(double.app.record.exitCode).toBeNull();
});

test('a question stands while another window shows it, and the last one asks before it closes', async () => {
  const first = await asking();
  openWindow();
  const { window: second, page } = await windowAt(1);
  const other = new AppPage(page);
  await page
    .getByRole('button', { name: /harbour/ })
    .first()
    .click();
  await see(other.approval).toContainText('make release');
  first.close();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  await see(other.approval).toBeVisible();
  expect(api.requests).toHaveLength(1);
  // Closing the last one quits, which asks first: the user stays, and nothing is denied.
  double.answers.box = 3;
  second.close();
  await soon(() => expect(double.dialogs).toHaveLength(1));
  await see(other.approval).toBeVisible();
  expect(second.destroyed).toBe(false);
  expect(api.requests).toHaveLength(1);
  expect(double.app.record.exitCode).toBeNull();
});

test('quitting asks while a query runs: who stays keeps it and the window, who ends it quits', async () => {
  const window = await asking();
  double.answers.box = 3;
  // Nobody would see a question on a window that is minimised.
  window.minimized = true;
  // A second press while it is asked asks nothing more.
  double.app.quit();
  double.app.quit();
  await soon(() => expect(double.dialogs).toHaveLength(1));
  expect(double.dialogs[0]?.message).toBe('Quit Lathe while work is going on?');
  expect(window).toMatchObject({ shown: true, minimized: false, destroyed: false });
  expect(double.app.record.exitCode).toBeNull();
  await soon(() => {
    double.app.quit();
    expect(double.dialogs).toHaveLength(2);
  });
  double.answers.box = 0;
  await soon(() => {
    double.app.quit();
    expect(double.dialogs).toHaveLength(3);
  });
  await soon(() => expect(double.app.record.exitCode).toBe(0));
  expect(window.shown).toBe(false);
  expect(api.requests).toHaveLength(1);
});

test('on macOS the last window asks before it denies, and the app goes on without windows', async () => {
  const window = await asking();
  const quits = vi.spyOn(double.app, 'quit');
  const restore = onPlatform('darwin');
  try {
    double.answers.box = 1;
    window.close();
    await soon(() => expect(double.dialogs).toHaveLength(1));
    expect(double.dialogs[0]?.message).toContain('although a question waits');
    expect(window.destroyed).toBe(false);
    expect(api.requests).toHaveLength(1);
    double.answers.box = 0;
    window.close();
    await denied();
    expect(window.destroyed).toBe(true);
    expect(quits).not.toHaveBeenCalled();
    expect(double.heldUp).toEqual([]);
    // A click on the icon of the dock.
    double.app.emit('activate');
    expect(double.windows.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  } finally {
    restore();
  }
});
