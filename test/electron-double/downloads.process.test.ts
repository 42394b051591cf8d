import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../node/temp-folder';
import { see, startChromium } from '../support/chromium';
import { soon } from '../support/soon';
import { createElectronDouble, type ElectronDouble } from './double/electron-double';
import { type RunningApp, runBuiltApp } from './double/run-built-app';

let browser: Browser;
let context: BrowserContext;
let double: ElectronDouble;
let app: RunningApp;
let page: Page;
let folder: string;

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());
beforeEach(async () => {
  folder = join(await tempFolder(), 'Downloads');
  context = await browser.newContext({ reducedMotion: 'reduce' });
  double = createElectronDouble({ context });
  double.app.record.paths.set('downloads', folder);
  app = await runBuiltApp(double);
  page = await soon(() => {
    const shown = double.windows[0]?.page;
    if (!shown) throw new Error('No page yet');
    return shown;
  });
  await see(page.getByRole('button', { name: 'Choose a folder' })).toBeVisible();
});
afterEach(async () => {
  await app.stop();
  await context.close();
});

/** The page hands out a file, as an export of a session does; or a link that is not its own. */
const handOut = (name: string, text: string, address?: string) =>
  page.evaluate(
    ([called, content, given]) => {
      const link = document.createElement('a');
      link.href = given ?? URL.createObjectURL(new Blob([content ?? '']));
      link.download = called ?? '';
      link.click();
    },
    [name, text, address] as const,
  );

test('what the page hands out lies among the downloads, over nothing that is there, and the page says where', async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'harbour.md'), 'mine');
  await handOut('harbour.md', 'the anchor');
  await see(page.getByText(`Saved as ${join(folder, 'harbour (1).md')}`)).toBeVisible();
  await handOut('harbour.md', 'the chain');
  await see(page.getByText(`Saved as ${join(folder, 'harbour (2).md')}`)).toBeVisible();
  const texts = await Promise.all(
    ['harbour.md', 'harbour (1).md', 'harbour (2).md'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  );
  expect(texts).toEqual(['mine', 'the anchor', 'the chain']);
  expect(double.downloads).toEqual(['completed', 'completed']);
});

test('what cannot be written is told, and does not wait for ever', async () => {
  await writeFile(folder, 'no folder');
  await handOut('harbour.md', 'the anchor');
  await see(page.getByText('harbour.md was not saved.')).toBeVisible();
  expect(double.downloads).toEqual(['cancelled']);
});

test('THREATS 10: what is no file of our page is refused, without a word', async () => {
  await handOut('harbour.md', '', 'data:text/plain,theirs');
  await soon(() => expect(double.downloads).toEqual(['refused']));
  await expect(readdir(folder)).rejects.toThrow();
});
