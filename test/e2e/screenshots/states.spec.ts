import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedApi } from '../../support/scripted-api';
import { error, hold, type Reply, reply, text } from '../../support/scripted-api-replies';
import { AppPage } from '../support/app-page';
import { expect, startLathe, test } from '../support/lathe';
import { picturePage, type Shoot } from '../support/picture';

test.slow();

const KEY = 'sk-test-pictures';

/** Tokens of a long session. */
const usage = {
  input_tokens: 2_400,
  cache_read_input_tokens: 388_000,
  cache_creation_input_tokens: 6_100,
  output_tokens: 1_900,
};
/** About as fast as people know it from models. */
const pace = { pieceChars: 4, paceMs: 80 };
const never = new Promise<never>(() => {});
const cut = (words: string) => reply(words, { stopReason: 'max_tokens', usage });

const SCRIPT: readonly Reply[] = [
  error(529, 'busy', { 'retry-after': '45' }),
  cut('The harbour keeps three lists'),
  cut(
    'The harbour keeps three lists of names:\n\n1. **Ferries** are named after winds.\n2. **Tugs** are named after stars.',
  ),
  reply('3. **Dredgers** have only numbers, because nobody wanted to waste a name on mud.', {
    usage: { ...usage, output_tokens: 120 },
    ...pace,
  }),
  reply([text('I’ll read the register first, then the two lists beside it.'), hold(never)], {
    usage,
  }),
  reply([text('Right, the tugs first.'), hold(never)], { usage }),
];

for (const scheme of ['light', 'dark'] as const) {
  test(`the pictures of what can happen on the way, ${scheme}`, async ({ browser }) => {
    const home = join(tmpdir(), `lathe-states-${scheme}`, 'ada');
    await rm(home, { recursive: true, force: true });
    const folder = join(home, 'projects', 'harbour');
    await mkdir(folder, { recursive: true });
    const api = await startScriptedApi(SCRIPT, { apiKey: KEY });
    const lathe = await startLathe(home);
    const { page, shoot, close } = await picturePage(browser, scheme);
    try {
      const app = new AppPage(page);
      await app.openFolder(await lathe.link(), folder);
      await app.connect(KEY, api.url);
      await expect(app.composer).toBeVisible();
      await recovering(app, shoot);
      await steering(app, shoot);
    } finally {
      await close();
      await api.close();
      await lathe.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
}

/** A retry, an answer that was cut twice, and what all that cost. */
async function recovering(app: AppPage, shoot: Shoot): Promise<void> {
  await app.send('How do ships get their names here?');
  await expect(app.conversation).toContainText('Trying again in');
  await shoot('retry');
  await app.conversation.getByRole('button', { name: 'Try now' }).click();
  await expect(app.conversation).toContainText('waste a name on mud');
  await expect(app.conversation).toContainText('3 turns');
  await shoot('recovered');
  await app.status.getByRole('button', { name: /^Usage/ }).click();
  await expect(app.page.getByRole('dialog', { name: 'Usage of this session' })).toBeVisible();
  await shoot('usage');
  await app.page.keyboard.press('Escape');
}

/** Prompts that wait, the menu of models, a prompt that was steered in, and a model that fell silent. */
async function steering(app: AppPage, shoot: Shoot): Promise<void> {
  const { page } = app;
  await app.send('Check the register against all three lists');
  await expect(app.conversation).toContainText('read the register first');
  for (const words of [
    'Begin with the tugs, please',
    'Leave out ships that were sold',
    'Write what you find into register.md',
  ])
    await app.send(words);
  const rows = page.getByRole('list', { name: 'Queued prompts' }).getByRole('listitem');
  await expect(rows).toHaveCount(3);
  await rows
    .nth(2)
    .getByRole('button', { name: /^When it goes in/ })
    .click();
  await page.getByRole('menuitemradio', { name: /when done/ }).click();
  await rows.nth(1).hover();
  await shoot('queue');
  await rows
    .nth(1)
    .getByRole('button', { name: /^Edit queued message/ })
    .press('Enter');
  await expect(rows.getByRole('textbox')).toBeFocused();
  await shoot('queue-edit');
  await page.keyboard.press('Escape');
  await app.status.getByRole('button', { name: /^Model:/ }).click();
  const menu = page.getByRole('dialog', { name: 'Model, thinking and limits' });
  await menu.getByRole('button', { name: /^Model:/ }).click();
  await expect(page.getByRole('menuitemradio').first()).toBeVisible();
  await shoot('models');
  await page.getByRole('menuitemradio', { name: /claude-sonnet-5-5/ }).click();
  await expect(app.conversation).toContainText('Claude Sonnet 5.5 answers from here');
  await page.keyboard.press('Escape');
  await shoot('model-switch');
  await rows.first().getByRole('button', { name: 'Steer now' }).click();
  await expect(app.conversation).toContainText('Right, the tugs first.');
  await shoot('steered');
  // It is told after a minute and a half without a word.
  await expect(app.conversation).toContainText('The model has gone quiet', { timeout: 180_000 });
  await shoot('silent');
}
