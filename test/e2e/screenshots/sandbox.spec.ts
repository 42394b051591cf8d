import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
