import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { reply, text, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, type AppPage } from './support/app-page';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();

/** One letter under 20 kB of accents: left alone it keeps a browser busy for half a minute, drawn three times for longer. */
const STACK = `e${'\u0301'.repeat(10_000)}`;
/** No script stacks as many marks on a letter, nor a cell of a terminal. */
const MANY = 16;
const MANY_IN_A_CELL = 8;

/** Returns the largest number of marks in a row that the page holds anywhere, but where a terminal measures its font. */
const tallest = (page: Page, within = 'body'): Promise<number> =>
  page
    .locator(within)
    .first()
    .evaluate((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let most = 0;
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        if (node.parentElement?.closest('.xterm-helpers')) continue;
        for (const [run] of (node.textContent ?? '').matchAll(/\p{M}+/gu))
          most = Math.max(most, run.length);
      }
      return most;
    });

/** Types a line into the composer and takes it away again: a page that is busy does neither. */
async function expectAnswers(app: AppPage, words: string): Promise<void> {
  await app.composer.fill('');
  await app.composer.press('x');
  await app.composer.pressSequentially(words);
  await expect(app.composer).toHaveValue(`x${words}`);
  await app.composer.fill('');
  expect(await tallest(app.page)).toBeLessThanOrEqual(MANY);
  expect(await tallest(app.page)).toBeGreaterThan(0);
}

test('the page answers with 20 kB of combining marks in an answer, a tool output and a terminal', async ({
  page,
  lathe,
}) => {
  const script = [
    reply([toolUse('Bash', { command: 'cat marks.txt' })]),
    reply([text(`Here it is: ${STACK} and that was all.`)]),
  ];
  await played({ page, lathe }, script, async (app, _api, folder) => {
    await writeFile(join(folder, 'marks.txt'), `${STACK}\nbelow the marks\n`);
    await app.send('go');
    await expect(app.conversation).toContainText('and that was all.', A_WHILE);
    await expectAnswers(app, 'answer');

    await app.conversation.getByRole('button', { name: /Bash.*cat marks\.txt/ }).click();
    await expect(app.conversation).toContainText('below the marks');
    await expectAnswers(app, 'output');

    await app.openShell();
    await app.typeInTerminal('cat marks.txt; echo shell-$((1 + 1))-over');
    await expect.poll(() => app.screenText(), A_WHILE).toContain('shell-2-over');
    await expectAnswers(app, 'terminal');
    expect(await tallest(page, '.xterm-rows:visible')).toBe(MANY_IN_A_CELL);
    await app.typeInTerminal('echo and-$((3 * 7))');
    await expect.poll(() => app.screenText()).toContain('and-21');
  });
});
