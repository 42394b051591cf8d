import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, text, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';
import { slowNetwork } from './support/network';
import { played } from './support/scripted-app';

test.use(CLIPBOARD);
test.slow();

/** Returns how often a text stands in another. */
const times = (text: string, part: string): number => text.split(part).length - 1;

test.describe('at the pace of a user', () => {
  test.use({ serveWords: ['--demo'], demoWordMs: null });

  test('a reload in the middle of everything loses nothing', async ({ page, lathe }) => {
    const app = new AppPage(page);
    await app.openDemo(await lathe.link());
    await app.send('go');

    // in the middle of the answer
    await expect(app.conversation).toContainText('This is the offline demo');
    await page.reload();
    await expect(app.approval).toContainText('npm test', A_WHILE);
    // The beginning has scrolled out of sight, and only what is seen is drawn.
    await app.conversation.hover();
    await page.mouse.wheel(0, -10_000);
    await expect(app.conversation).toContainText('run the tests again');
    expect(times(await app.conversation.innerText(), 'This is the offline demo')).toBe(1);

    // while a question waits; the view stays where it was read
    await page.reload();
    await expect(app.approval).toContainText('npm test');
    await expect(app.conversation).toContainText('run the tests again');
    await app.conversation.hover();
    await page.mouse.wheel(0, 10_000);
    await app.allowOnce('npm test');

    // in the middle of the task: the screen comes back and goes on
    await expect.poll(() => app.screenText(), { intervals: [50] }).toContain('the 06:10 ferry');
    expect(await app.screenText()).not.toContain('ℹ fail');
    await page.reload();
    await expect.poll(() => app.wholeTerminal(), A_WHILE).toContain('ℹ fail 1');
    const output = await app.wholeTerminal();
    expect(times(output, '✔ the 06:10 ferry')).toBe(1);
    expect(output).toContain('✖ before midnight the night ferry comes next');

    await expect(app.approval).toContainText('src/clock.js');
    await page.reload();
    await app.allowOnce('src/clock.js');
    await app.allowOnce('npm test');
    await expect(app.conversation).toContainText('The ferries after midnight are back.', A_WHILE);
  });
});

test('two tabs on one session stay equal, and scrollback of a shell survives a reload', async ({
  page,
  context,
  lathe,
}) => {
  const script = [
    reply([
      text('Let me count the ships.'),
      toolUse('Bash', { command: 'sort ships.txt > sorted.txt; cat sorted.txt' }),
    ]),
    reply([
      text('One is missing.'),
      toolUse('Write', { file_path: 'berths.txt', content: 'vega\n' }),
    ]),
    reply([toolUse('Bash', { command: 'touch counted.txt' })]),
    reply('All ships have a berth.'),
  ];
  await played({ page, lathe }, script, async (first, _, folder) => {
    await writeFile(join(folder, 'ships.txt'), 'vega\nrigel\n');
    await test.step('two tabs on one session stay equal', async () => {
      await first.send('go');
      await expect(first.approval).toContainText('sorted.txt');

      const second = new AppPage(await context.newPage());
      await second.page.goto(await lathe.link());
      await expect(second.approval).toContainText('sorted.txt');
      await second.allowOnce('sorted.txt');
      await expect(first.approval.filter({ hasText: 'sorted.txt' })).toBeHidden();

      await first.allowOnce('berths.txt');
      await expect(second.approval.filter({ hasText: 'berths.txt' })).toBeHidden();
      await second.allowOnce('counted.txt');
      for (const app of [first, second])
        await expect(app.conversation).toContainText('All ships have a berth.', A_WHILE);
      await expect
        .poll(async () => (await second.shownText()) === (await first.shownText()))
        .toBe(true);
    });

    await test.step('scrollback of a shell survives a reload', async () => {
      await first.openShell();
      await first.typeInTerminal('seq -f "line %g of 300" 300');
      await expect.poll(() => first.screenText()).toContain('line 300 of 300');
      await page.reload();
      await expect.poll(() => first.screenText()).toContain('line 300 of 300');
      const output = await first.wholeTerminal();
      expect(output).toContain('line 1 of 300\n');
      await first.typeInTerminal('echo still $((40 + 2))');
      await expect.poll(() => first.screenText()).toContain('still 42');
    });
  });
});

test('a reload keeps the page of settings, and what was begun in a question', async ({
  page,
  lathe,
}) => {
  const question = {
    question: 'Which harbour?',
    header: 'Harbour',
    options: [
      { label: 'North', description: 'It is near.' },
      { label: 'South', description: 'It is deep.' },
    ],
    multiSelect: false,
  };
  const script = [
    reply([toolUse('Write', { file_path: 'x.txt', content: 'x\n' })]),
    reply([toolUse('AskUserQuestion', { questions: [question] })]),
    reply('So be it.'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    await page.keyboard.press('Control+,');
    const settings = page.getByRole('dialog', { name: 'Settings' });
    await settings.getByRole('tab', { name: 'Search' }).click();
    await page.reload();
    await expect(settings.getByRole('tab', { name: 'Search' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await page.keyboard.press('Escape');
    await expect(settings).toBeHidden();
    await page.reload();
    await expect(app.composer).toBeVisible();
    await expect(settings).toBeHidden();

    await app.send('write');
    await app.question('x.txt');
    await page.keyboard.press('Tab');
    const words = page.getByLabel('What should Lathe do instead?');
    await words.fill('use y.txt');
    await page.reload();
    await expect(words).toHaveValue('use y.txt');
    await words.press('Enter');
    const asked = app.approval.filter({ hasText: 'Which harbour?' });
    await asked.getByText('Other…').click();
    await asked.getByLabel('Your answer to: Harbour').fill('Neither');
    await page.reload();
    await expect(asked.getByLabel('Your answer to: Harbour')).toHaveValue('Neither');
    await expect(asked).toHaveAttribute('data-armed', 'true');
    await asked.getByRole('button', { name: 'Send answer' }).click();
    await expect(app.conversation).toContainText('So be it.');
    const told = JSON.stringify(api.requests.map(({ body }) => body.messages.at(-1)));
    expect(told).toContain('use y.txt');
    expect(told).toContain('Neither');
    // Nothing of what was answered stays behind in the browser.
    const kept = await page.evaluate(() => sessionStorage.getItem('lathe.forms'));
    expect(kept).toBe('{}');
  });
});

test('keys that are pressed while the page connects are in the message box once it is there, and nothing was sent', async ({
  page,
  lathe,
}) => {
  await played({ page, lathe }, [reply('Answer.')], async (app, api) => {
    await app.send('older');
    await expect(page.getByText('Lathe has finished')).toBeAttached();
    await slowNetwork(page, 200);
    await page.reload({ waitUntil: 'commit' });
    await expect(page.getByText('Connecting to Lathe')).toBeVisible();
    await page.keyboard.type('early words');
    await page.keyboard.press('Enter');
    await page.keyboard.type('and a second line that goes on until the message box is there');
    await expect(app.composer).toBeFocused();
    await page.keyboard.type(', and beyond');
    await expect(app.composer).toHaveValue(
      'early words\nand a second line that goes on until the message box is there, and beyond',
    );
    expect(api.requests).toHaveLength(1);
  });
});
