import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { A_WHILE, AppPage } from '../support/app-page';
import { HOLD, hookedScript, prepareHooked } from '../support/hooked';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { KEY } from '../support/scripted-app';

test.slow();

/** Changes what the folder runs by itself. */
async function changeHook(folder: string): Promise<void> {
  const file = join(folder, '.claude/settings.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('npx prettier --write .', 'node tools/after-edit.mjs'));
}

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of hooks, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-hooked-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await prepareHooked(home, folder);
    const api = await startScriptedApi(hookedScript(folder), { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), folder);
      await app.connect(KEY, api.url);
      await app.send('Add a depth to the berths');
      await expect(app.conversation).toContainText('Waiting for the Stop hook', A_WHILE);
      await shoot('hook-running');
      await rm(join(home, HOLD));
      await expect(app.conversation).not.toContainText('Waiting for', A_WHILE);
      await app.conversation.getByRole('button', { name: /Hook PreToolUse/ }).click();
      await expect(app.conversation).toContainText('exit code 2');
      await shoot('hook-open');
      await app.send('/hooks');
      await expect(page.getByRole('switch', { name: /Run no hooks/ })).toBeVisible();
      await shoot('settings-hooks');
      await changeHook(folder);
      await page.goto('about:blank');
      await page.goto(await lathe.link());
      await expect(page.getByText('new or changed since you trusted it')).toBeVisible();
      await shoot('trust-changed');
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
