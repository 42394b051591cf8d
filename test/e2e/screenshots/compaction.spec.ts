import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { hold, reply, text } from '../../support/scripted-api-replies';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage } from '../support/picture';
import { gate, KEY, openScripted } from '../support/scripted-app';

test.slow();

const usage = { input_tokens: 2_400, cache_read_input_tokens: 388_000, output_tokens: 1_900 };

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of a summary, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-summary-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    const written = gate();
    const api = await startScriptedApi(
      [
        reply('The harbour keeps **three lists** of names: ferries, tugs, and dredgers.', {
          usage: { ...usage, output_tokens: 40 },
          pieceChars: 4,
          paceMs: 40,
        }),
        reply(
          '<summary>\nThe task: find out how ships are named here.\n\n- Three lists: ferries, tugs, dredgers.\n- Ferries are named after rivers.\n\nOpen: the dredgers.\n</summary>',
        ),
        reply([text('<summary>Three lists.'), hold(written.opened), text('</summary>')]),
      ],
      { apiKey: KEY },
    );
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = await openScripted(page, lathe, api);
      await app.send('How do ships get their names here?');
      await expect(app.conversation).toContainText('three lists');
      await app.composer.fill('/');
      await expect(page.getByRole('listbox', { name: 'Commands' })).toBeVisible();
      await shoot('commands');
      await app.send('/context');
      await expect(page.getByRole('dialog', { name: 'Usage of this session' })).toBeVisible();
      await shoot('context');
      await page.getByRole('button', { name: 'Summarise…' }).click();
      await page.getByRole('textbox', { name: 'Above all keep' }).fill('the dredgers');
      await page.getByRole('button', { name: 'Write a summary' }).click();
      const draft = page.getByRole('dialog', { name: 'Summary of the conversation' });
      await expect(draft.getByRole('textbox', { name: 'Summary' })).toHaveValue(/Three lists/);
      await shoot('summary-draft');
      await draft.getByRole('button', { name: 'Throw away' }).click();
      await expect(draft).toBeHidden();
      await app.send('/compact the dredgers');
      await expect(app.conversation).toContainText('Summarising the conversation…');
      await shoot('summarising');
      written.open();
      await expect(app.conversation).toContainText('Conversation summarised');
      await shoot('summarised');
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}
