import { A_WHILE, AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'], ...CLIPBOARD });
test.slow();

/** Returns how often a text stands in another. */
const times = (text: string, part: string): number => text.split(part).length - 1;

test.describe('at the pace of a person', () => {
  test.use({ demoWordMs: null });

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

test('scrollback of a shell survives a reload', async ({ page, lathe }) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await app.openShell();
  await app.typeInTerminal('seq -f "line %g of 300" 300');
  await expect.poll(() => app.screenText()).toContain('line 300 of 300');
  await page.reload();
  await expect.poll(() => app.screenText()).toContain('line 300 of 300');
  const output = await app.wholeTerminal();
  expect(output).toContain('line 1 of 300\n');
  await app.typeInTerminal('echo still $((40 + 2))');
  await expect.poll(() => app.screenText()).toContain('still 42');
});

test('two tabs on one session stay equal', async ({ page, context, lathe }) => {
  const first = new AppPage(page);
  await first.openDemo(await lathe.link());
  await first.send('go');
  await expect(first.approval).toContainText('npm test');

  const second = new AppPage(await context.newPage());
  await second.openRecent(await lathe.link(), 'sample-project');
  await expect(second.approval).toContainText('npm test');
  await second.allowOnce('npm test');
  await expect(first.approval.filter({ hasText: 'npm test' })).toBeHidden();

  await first.allowOnce('src/clock.js');
  await expect(second.approval.filter({ hasText: 'src/clock.js' })).toBeHidden();
  await second.allowOnce('npm test');
  for (const app of [first, second])
    await expect(app.conversation).toContainText('The ferries after midnight are back.', A_WHILE);
  await expect
    .poll(async () => (await second.shownText()) === (await first.shownText()))
    .toBe(true);
});
