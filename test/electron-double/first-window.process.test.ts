import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { faults } from '../e2e/support/faults';
import { tempFolder } from '../node/temp-folder';
import { see, startChromium } from '../support/chromium';
import { soon } from '../support/soon';
import { createElectronDouble, type ElectronDouble } from './double/electron-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let browser: Browser;
let context: BrowserContext;
let double: ElectronDouble;
let app: RunningApp | null = null;
let folder: string;

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  folder = await tempFolder();
  context = await browser.newContext({ reducedMotion: 'reduce' });
  double = createElectronDouble({ context });
});
afterEach(async () => {
  await app?.stop();
  app = null;
  await context.close();
});

/** Starts as by a double click, with a login shell whose start-up file waits until `tell` has been called. */
async function startBehindSlowShell(): Promise<{ readonly page: Page; tell(): void }> {
  const shell = join(folder, 'bash');
  const gate = join(folder, 'gate');
  execFileSync('mkfifo', [gate]);
  await writeFile(
    shell,
    `#!/bin/sh\necho $$ > ${folder}/asked\nread -r _ < ${gate}\nexport FROM_PROFILE=tide ANTHROPIC_API_KEY=sk-of-profile\nshift\neval "$1"\n`,
  );
  await chmod(shell, 0o755);
  const state = {
    preferences: { theme: 'dark', zoom: 1, layout: {} },
    ...{ recents: [], connection: 'environment' },
  };
  app = await runBuiltApp(double, {
    found: { 'state.json': JSON.stringify(state) },
    env: { SHELL: shell, TERM: '', SHLVL: '0' },
  });
  await soon(() => expect(existsSync(join(folder, 'asked'))).toBe(true));
  const page = await soon(() => {
    const shown = double.windows[0]?.page;
    if (!shown) throw new Error('No page yet');
    return shown;
  });
  return { page, tell: () => execFileSync('sh', ['-c', `echo go > ${gate}`]) };
}

/** Tells whether the shell that was asked is gone. */
async function shellEnded(): Promise<void> {
  const pid = Number(await readFile(join(folder, 'asked'), 'utf8'));
  await soon(() => expect(() => process.kill(pid, 0)).toThrow());
}

test.skipIf(process.platform === 'win32')(
  'the first window is there before a slow login shell has told its environment, and says what it waits for',
  async () => {
    const { page, tell } = await startBehindSlowShell();
    const [window, ...others] = double.windows;
    expect(others).toEqual([]);
    await see(page.getByRole('status')).toContainText('Reading your shell’s environment');
    expect(window?.options.backgroundColor).toBe('#16171a');
    expect(window?.shown).toBe(true);
    expect(double.started()).toBe(false);
    // Electron's own menu has items that are not ours.
    const roles = ['fileMenu', 'editMenu', 'windowMenu'];
    expect(double.menu().map(({ role }) => role)).toEqual(expect.arrayContaining(roles));
    // A reload meanwhile waits too, and a second start opens its window when there is something to serve it.
    await page.reload();
    await see(page.getByRole('status')).toContainText('Reading your shell’s environment');
    double.app.emit('second-instance', {}, [], folder, { words: ['--new-window'] });
    // Its page may have died while nobody watched it.
    if (window) window.webContents.crashed = true;
    tell();
    await see(page.getByRole('button', { name: 'Choose a folder' })).toBeVisible();
    await soon(() => expect(double.windows).toHaveLength(2));
    expect(double.windows[0]).toBe(window);
    expect(window?.webContents.reloads).toBe(1);
    expect(await page.evaluate(() => document.body.innerText)).not.toContain('lost');
    await shellEnded();
  },
);

test.skipIf(process.platform === 'win32')(
  'a user who does not want to wait goes on without the shell, and is told what that means',
  async () => {
    const { page } = await startBehindSlowShell();
    const goOn = page.getByRole('button', { name: 'Go on without them' });
    await see(goOn).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await goOn.click();
    await see(page.getByRole('button', { name: 'Choose a folder' })).toBeVisible();
    await shellEnded();
  },
);

test.skipIf(process.platform === 'win32')(
  'closing the window that waits ends the app, and the shell with it',
  async () => {
    await startBehindSlowShell();
    const exits = vi.fn();
    double.app.on('double:exit', exits);
    double.windows[0]?.close();
    expect(double.app.record.exitCode).toBe(0);
    await shellEnded();
    // Real Electron is gone by now; here it exits once more when what had begun is ended.
    await soon(() => expect(exits).toHaveBeenCalledTimes(2));
    expect(double.windows).toHaveLength(1);
  },
);
