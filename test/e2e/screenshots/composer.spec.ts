import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { reply, text, toolUse } from '../../support/scripted-api-replies';
import { AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';

test.slow();

const KEY = 'sk-test-composer';
const LOG = Array.from({ length: 48 }, (_, n) => `${n} berth ${n % 7} taken`).join('\n');
const REGISTER = Array.from({ length: 400 }, (_, n) => `- tug ${n}, named after a star`).join('\n');

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of the message box, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-composer-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await mkdir(folder, { recursive: true });
    const write = toolUse('Write', { file_path: join(folder, 'register.md'), content: REGISTER });
    const api = await startScriptedApi(
      [reply([text('I’ll write the register anew.'), write], { pieceChars: 40, paceMs: 120 })],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), folder);
      await app.connect(KEY, api.url);
      await expect(app.status.getByRole('button', { name: 'Ask before acting' })).toBeVisible();
      await app.composer.fill('/');
      await expect(page.getByRole('listbox')).toBeVisible();
      await shoot('command-menu');
      await app.send('/model claude-sonnet-5-5');
      await expect(app.status).toContainText('Claude Sonnet 5.5');
      await app.send('/limits');
      const menu = page.getByRole('dialog', { name: 'Model, thinking and limits' });
      await menu.getByRole('textbox', { name: 'Turns' }).fill('40');
      await menu.getByRole('textbox', { name: 'Dollars' }).fill('5');
      await menu.getByRole('radio', { name: 'Adaptive' }).focus();
      await shoot('model-menu');
      await page.keyboard.press('Escape');
      await app.composer.fill('');
      await app.send('!ls -la');
      await expect(app.conversation).toContainText('Bash');
      await app.send('Write the register of tugs anew');
      await expect(app.conversation).toContainText(/[1-9][\d.]* (kB|chars|lines)/);
      await app.composer.fill('!git log --oneline -5');
      await shoot('input-preview');
      await app.composer.fill('');
      const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
      await page
        .getByLabel('Files to attach')
        .setInputFiles({ name: 'quay.png', mimeType: 'image/png', buffer: picture });
      await app.composer.evaluate((box, words) => {
        const data = new DataTransfer();
        data.setData('text/plain', words);
        const paste = { bubbles: true, cancelable: true, clipboardData: data };
        box.dispatchEvent(new ClipboardEvent('paste', paste));
      }, LOG);
      await app.composer.fill('Why is berth 3 always taken?');
      await expect(
        page.getByRole('list', { name: 'Attachments' }).getByRole('listitem'),
      ).toHaveCount(2);
      await shoot('composer-chips');
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
