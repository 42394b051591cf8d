import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { soon } from '../support/soon';
import { createElectronDouble, type ElectronDouble } from './double/electron-double';
import { onPlatform } from './double/platform';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let running: RunningApp | null = null;
afterEach(async () => {
  await running?.stop();
  running = null;
  Reflect.deleteProperty(process, 'getSystemVersion');
});

async function start() {
  const before = new Set(process.listeners('uncaughtException'));
  const double = createElectronDouble();
  // The system's own version, which Node does not tell.
  Object.assign(process, { getSystemVersion: () => '26.0.1' });
  running = await runBuiltApp(double);
  const window = await soon(() => {
    const [first] = double.windows;
    if (first === undefined || !double.started()) throw new Error('No window');
    return first;
  });
  const listening = () => process.listeners('uncaughtException').filter((one) => !before.has(one));
  const [onError] = listening();
  return {
    double,
    window,
    listening,
    fail: (error: Error) => onError?.(error, 'uncaughtException'),
  };
}

const folder = () => join(running?.latheHome ?? '', 'reports');
const reports = async () => {
  const names = await readdir(folder());
  return Promise.all(names.sort().map((name) => readFile(join(folder(), name), 'utf8')));
};
const lastDialog = (double: ElectronDouble) => JSON.stringify(double.dialogs.at(-1));

test('an error that nobody caught is told once, and lies in a report that can be found and copied', async () => {
  const { double, fail } = await start();
  double.answers.box = 1;
  fail(new Error('The anchor dragged'));
  fail(new Error('And again'));
  await soon(() => expect(double.copied.join()).toContain('The anchor dragged'));
  expect(double.dialogs).toHaveLength(1);
  expect(lastDialog(double)).toContain('Nothing was sent anywhere');
  const [first, second] = await reports();
  expect(first).toMatch(/The anchor dragged\n +at /);
  expect(first).toMatch(/^Lathe \d.*, Electron 45\.0\.0\n.+ 26\.0\.1$/m);
  expect(second).toContain('And again');
  double
    .menu()
    .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
    .find(({ label }) => label === 'Show Fault Reports')
    ?.click?.({} as never, undefined, {} as never);
  expect(double.opened).toEqual([folder()]);
  // One that fails all the time writes no more than twenty.
  for (let i = 0; i < 30; i += 1) fail(new Error('over and over'));
  expect(await reports()).toHaveLength(20);
  double.answers.box = 0;
});

test('on macOS an error without a window opens one, and holds nothing up', async () => {
  const { double, window, fail } = await start();
  onTestFinished(onPlatform('darwin'));
  double.answers.box = 1;
  window.close();
  expect(double.windows).toHaveLength(1);
  fail(new Error('The anchor dragged'));
  await soon(() => expect(double.copied.join()).toContain('The anchor dragged'));
  expect(double.windows).toHaveLength(2);
  expect(double.windows[1]).toMatchObject({ shown: true, shownEmpty: false });
  expect(double.heldUp).toEqual([]);
});

test('an error while Electron ends is not told: nobody could answer', async () => {
  const { listening } = await start();
  expect(listening()).toHaveLength(1);
  await running?.quit();
  expect(listening()).toEqual([]);
});

test('processes of Chromium that died are reported without a word; those that ended are not', async () => {
  const { double, window } = await start();
  double.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 5 });
  double.app.emit('child-process-gone', {}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 });
  window.webContents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 1 });
  const written = await reports();
  expect(written.map((text) => text.split('\n')[0]?.replace(/^\S+ /, ''))).toEqual([
    'A process of Chromium died: GPU, crashed',
    'A page died',
  ]);
  expect(double.dialogs).toEqual([]);
});

test('a page that hangs is loaded again when the user wants that; one that answers again is not asked about', async () => {
  const { double, window } = await start();
  double.answers.box = 1;
  window.emit('unresponsive');
  window.emit('unresponsive');
  await soon(() => expect(window.webContents.reloads).toBe(1));
  expect(double.dialogs).toHaveLength(1);
  double.answers.box = 0;
  await soon(() => {
    window.emit('unresponsive');
    window.emit('responsive');
    expect(double.dialogs).toHaveLength(2);
  });
  expect(double.dialogs[1]?.signal?.aborted).toBe(true);
  expect(window.webContents.reloads).toBe(1);
});

test('the proxy of the system is asked for where the model is', async () => {
  const { double } = await start();
  expect(double.proxied).toEqual(['https://api.anthropic.com']);
});
