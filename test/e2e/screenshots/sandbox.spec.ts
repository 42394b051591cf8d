import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startScriptedApi } from '../../support/scripted-api';
import { A_WHILE, AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { HOST, prepareSandboxed, SANDBOXED_SCRIPT } from '../support/sandboxed';
import { KEY } from '../support/scripted-app';

test.slow();

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of the sandbox, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-sandboxed-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await prepareSandboxed(home, folder);
    const api = await startScriptedApi(SANDBOXED_SCRIPT, { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), folder);
      await app.connect(KEY, api.url);
      await app.send('Write the log, and the shared notes beside the project');
      await expect(app.conversation).toContainText('kept them as they were', A_WHILE);
      await app.conversation.getByRole('button', { name: /Bash/ }).first().click();
      await expect(app.conversation).toContainText('stopped: writing');
      await app.status.getByRole('button', { name: 'Sandbox' }).click();
      await expect(page.getByRole('dialog', { name: 'Sandbox for commands' })).toBeVisible();
      await shoot('sandbox');
      await page.keyboard.press('Escape');
      await app.send('Now fetch the list of ships');
      await app.question(HOST);
      await shoot('sandbox-question');
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of no sandbox, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-unboxed-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await mkdir(folder, { recursive: true });
    const bare = await withoutSandbox(join(home, 'bin'));
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      await look(page, home, {}, folder, () => shoot('sandbox-off'));
      await prepareSandboxed(home, folder);
      await look(page, home, { PATH: bare }, folder, () => shoot('sandbox-missing'));
    } finally {
      await close();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A folder of the system's programs, without those that a sandbox is made of. */
async function withoutSandbox(bin: string): Promise<string> {
  await mkdir(bin);
  const names = await readdir('/usr/bin');
  for (const name of names.filter((one) => one !== 'bwrap' && one !== 'socat'))
    await symlink(join('/usr/bin', name), join(bin, name));
  return bin;
}

/** Opens the panel of the sandbox in an app with these surroundings. */
async function look(
  page: Page,
  home: string,
  env: Readonly<Record<string, string>>,
  folder: string,
  shoot: () => Promise<void>,
): Promise<void> {
  const lathe = await startLathe(home, [], { ANTHROPIC_API_KEY: KEY, ...env });
  try {
    const app = new AppPage(page);
    // The next host has the port of the last one: its link alone would not load the page anew.
    await page.goto('about:blank');
    await page.goto(await lathe.link());
    const browser = page.getByRole('textbox', { name: 'Path' });
    // The tab remembers its project.
    await expect(browser.or(app.composer)).toBeVisible();
    if (await browser.isVisible()) {
      await app.typePath(folder);
      await page.getByRole('button', { name: 'Open this folder' }).click();
      await page.getByRole('button', { name: 'Trust and open' }).click();
    }
    // The prompt takes the focus once, which would close the panel again.
    await expect(app.composer).toBeFocused();
    // What comes before it in the bar would move it, and its panel only later.
    await expect(app.status.getByRole('button', { name: 'Ask before acting' })).toBeVisible();
    await app.status.getByRole('button', { name: 'No sandbox' }).click();
    await expect(page.getByRole('dialog', { name: 'Sandbox for commands' })).toBeVisible();
    await shoot();
  } finally {
    await lathe.stop();
  }
}
