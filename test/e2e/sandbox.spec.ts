import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { sandboxObstacle } from '../support/sandbox';
import { startScriptedApi } from '../support/scripted-api';
import { A_WHILE, AppPage } from './support/app-page';
import { faults } from './support/faults';
import { expect, startLathe, test } from './support/lathe';
import { HOST, prepareSandboxed, SANDBOXED_SCRIPT } from './support/sandboxed';
import { KEY } from './support/scripted-app';

test.slow();

test('THREATS 16: commands run in the sandbox, say so, and ask before they reach a host', async ({
  page,
  home,
}) => {
  const obstacle = await sandboxObstacle();
  test.skip(obstacle !== null, obstacle ?? '');
  const folder = join(home, 'projects', 'harbour');
  await prepareSandboxed(home, folder);
  const api = await startScriptedApi(SANDBOXED_SCRIPT, { apiKey: KEY });
  const lathe = await startLathe(home);
  try {
    const app = new AppPage(page);
    await app.openFolder(await lathe.link(), folder);
    await app.connect(KEY, api.url);
    await app.status.getByRole('button', { name: 'Sandbox' }).click();
    const panel = page.getByRole('dialog', { name: 'Sandbox for commands' });
    await expect(panel).toContainText('Commands run in a sandbox');
    await expect(panel).toContainText('*.lighthouse.example');
    await expect(panel).toContainText('docker *');
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.keyboard.press('Escape');

    await app.send('write the log');
    await expect(app.conversation).toContainText('kept them as they were', A_WHILE);
    await app.conversation
      .getByRole('button', { name: /^Bash|lights on/ })
      .first()
      .click();
    await expect(app.conversation).toContainText('sandboxed');
    await expect(app.conversation).toContainText('stopped: writing');
    expect(existsSync(join(folder, 'log.txt'))).toBe(true);
    expect(existsSync(join(home, 'projects/notes.txt'))).toBe(false);

    await app.send('fetch the list');
    const dialog = await app.question(`Let this command reach ${HOST}?`);
    await expect(dialog).toContainText('tools/fetch.cjs');
    await expect(dialog).toContainText(`${HOST}:80`);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await page.keyboard.press('Enter');
    await expect(app.conversation).toContainText('The list is here.', A_WHILE);
    expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('let through');
  } finally {
    await api.close();
    expect(await lathe.stop()).toEqual([]);
  }
});

test('a sandbox that is wanted and not there is said plainly', async ({ page, home }) => {
  const folder = join(home, 'projects', 'harbour');
  await prepareSandboxed(home, folder);
  const api = await startScriptedApi([], { apiKey: KEY });
  // Node alone: neither bubblewrap nor socat can be found.
  const lathe = await startLathe(home, [], { PATH: join(home, 'empty') });
  try {
    const app = new AppPage(page);
    await app.openFolder(await lathe.link(), folder);
    await app.connect(KEY, api.url);
    await app.status.getByRole('button', { name: 'No sandbox' }).click();
    const panel = page.getByRole('dialog', { name: 'Sandbox for commands' });
    await expect(panel).toContainText('bubblewrap and socat are not installed');
    await expect(panel).toContainText('sudo apt install bubblewrap socat');
    expect.soft(await faults(page, '[role="dialog"]')).toEqual([]);
  } finally {
    await api.close();
    await lathe.stop();
  }
});
