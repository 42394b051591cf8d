/**
 * Stands for Electron's program where there is none: runs the built app on the double, in a Chromium with a port for who
 * drives it. Nobody answers what the system asks: a question stays open, and is printed.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { systemChromium } from '../../../scripts/lib/system.mjs';
import { createElectronDouble } from './electron-double';
import { STAND_IN } from './page-double';
import { runBuiltApp } from './run-built-app';

const profile = await mkdtemp(join(tmpdir(), 'lathe-stand-in-'));
const executablePath = systemChromium();
const context = await chromium.launchPersistentContext(profile, {
  ...(executablePath === null ? {} : { executablePath }),
  viewport: null,
  handleSIGINT: false,
  handleSIGTERM: false,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-port=0'],
});
const [blank] = context.pages();
const opened = context.waitForEvent('page');

const double = createElectronDouble({ context });
double.electron.dialog.showMessageBox = (...args) => {
  process.stderr.write(`Asked: ${JSON.stringify(args.at(-1))}\n`);
  return new Promise(() => {});
};
const exited = new Promise((resolve) => {
  double.app.once('double:exit', resolve);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => double.app.quit());
context.once('close', () => double.app.quit());

const { HOME: home = '', LATHE_HOME: latheHome = '' } = process.env;
const app = await runBuiltApp(double, { words: process.argv.slice(2), at: { home, latheHome } });
const page = await opened;
await page.waitForURL(`${STAND_IN}/**`);
await blank?.close();
const [port, path] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
process.stderr.write(`DevTools listening on ws://127.0.0.1:${port}${path}\n`);

await exited;
await app.stop();
await context.close();
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
process.exit(double.app.record.exitCode ?? 1);
