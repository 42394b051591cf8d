import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { A_WHILE, AppPage } from './support/app-page';
import { expect, test } from './support/lathe';

test.use({ serveWords: ['--demo'] });
test.slow();

const projectIn = (latheHome: string) => join(latheHome, 'demo', 'sample-project');

/** Runs the sample project's own tests, outside Lathe. */
async function testsPass(folder: string): Promise<boolean> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  return promisify(execFile)('npm', ['test'], { cwd: folder, env }).then(
    () => true,
    () => false,
  );
}

test('the whole tour, by keyboard, with a task seen while it runs', async ({ page, lathe }) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());
  await expect(app.status).toContainText('Offline demo');
  await app.send('Show me around, please');
  await expect(app.conversation).toContainText(
    'This is the offline demo: a script, not an AI model.',
  );

  await app.allowOnce('npm test');
  const seen = await liveOutput(app);
  expect(seen).toContain('the 06:10 ferry is called three times');
  expect(seen).not.toContain('ℹ fail');
  await expect(app.tasks).toContainText('Run the tests');

  await app.allowOnce('comes round again tomorrow');
  await app.allowOnce('npm test');
  await expect(app.conversation).toContainText('The ferries after midnight are back.', A_WHILE);
  await expect(app.conversation.getByRole('cell', { name: '21' })).toBeVisible();
  await expect(app.conversation.getByRole('table')).toBeVisible();

  const folder = projectIn(lathe.latheHome);
  expect(await readFile(join(folder, 'src/clock.js'), 'utf8')).toContain('minutes + DAY');
  expect(await testsPass(folder)).toBe(true);

  // What it cost and how full the context is leave room for the names on a telephone.
  await page.setViewportSize({ width: 390, height: 800 });
  const isCut = (name: RegExp) =>
    app.status
      .getByRole('button', { name })
      .locator('span')
      .first()
      .evaluate((element) => element.scrollWidth > element.clientWidth);
  await expect.poll(() => isCut(/^Model: /)).toBe(false);
  await expect.poll(() => isCut(/^Permission mode/)).toBe(false);
});

/** The terminal's text at the first moment it shows a finished test. */
async function liveOutput(app: AppPage): Promise<string> {
  let seen = '';
  await expect
    .poll(
      async () => {
        seen = await app.screenText();
        return seen;
      },
      // The moment is short: a slow poll would miss it.
      { intervals: [50] },
    )
    .toContain('the 06:10 ferry');
  return seen;
}

test('a denied edit changes its course and nothing else, stop means stop, and a denial with a reason gets the smaller edit', async ({
  page,
  lathe,
}) => {
  const app = new AppPage(page);
  await app.openDemo(await lathe.link());

  await test.step('a denied edit changes its course and nothing else', async () => {
    await app.send('go');
    await app.allowOnce('npm test');
    await app.deny('src/clock.js');
    await expect(app.conversation).toContainText('Nothing was changed.', A_WHILE);
    const clock = await readFile(join(projectIn(lathe.latheHome), 'src/clock.js'), 'utf8');
    expect(clock).toContain('return time - now;');

    await app.send('make it dark');
    await expect(app.conversation).toContainText('You wrote: “make it dark”');
  });

  await test.step('stop means stop, and a word goes on from there', async () => {
    await app.newSession();
    await app.send('go');
    await app.question('npm test');
    await page.keyboard.press('Control+.');
    await expect(app.approval).toBeHidden();
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeHidden();
    await app.send('go on');
    await app.allowOnce('npm test');
    await app.question('src/clock.js');
    const [, since] = (await app.conversation.innerText()).split(/^go on$/m);
    expect(since).toContain('src/clock.js');
    expect(since).not.toContain('This is the offline demo');
    await app.deny('src/clock.js');
  });

  await test.step('a denial with a reason gets the smaller edit', async () => {
    await app.newSession();
    await app.send('go');
    await app.deny('npm test');
    await expect(app.conversation).toContainText('All right, no test run.', A_WHILE);

    await app.deny('src/clock.js', 'one line, please');
    await expect(app.conversation).toContainText('You said: “one line, please”', A_WHILE);
    await app.allowOnce('(time - now + DAY) % DAY');
    await app.allowOnce('npm test');
    await expect(app.conversation).toContainText('The ferries after midnight are back.', A_WHILE);
  });
});
