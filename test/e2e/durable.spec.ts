import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { counting, FAST_LINES, numbered, numberIn, prepare } from '../hosts/process/task-runs';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE, AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';
import { KEY, openScripted } from './support/scripted-app';

test.use(CLIPBOARD);
test.slow();

const NAMES = ['one', 'two', 'three'];
/** Lines that a terminal keeps above its screen. */
const SCROLLBACK = 10_000;

/** Shows each task's terminal: its numbers are there without a gap or a repeat, as many as a terminal keeps, and go on. */
async function expectWhole(page: Page, app: AppPage): Promise<void> {
  for (const name of NAMES) {
    await app.tasks.getByRole('button', { name: `Show the terminal of ${name}` }).click();
    await expect(page.getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true');
    const last = async () => numberIn((await app.screenText()).trimEnd().split('\n').at(-1) ?? '');
    await expect.poll(last, A_WHILE).toBeGreaterThan(FAST_LINES);
    const lines = (await app.wholeTerminal()).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(SCROLLBACK);
    expect(lines).toEqual(numbered(name, lines.length, numberIn(lines[0] ?? '')));
    const seen = numberIn(lines.at(-1) ?? '');
    await expect.poll(last, A_WHILE).toBeGreaterThan(seen);
  }
}

test('three tasks that print are whole after a reload and after a crash of their page, and their ends are told once', async ({
  page,
  context,
  lathe,
}) => {
  const project = join(lathe.home, 'projects', 'harbour');
  await mkdir(project);
  await prepare({ home: lathe.home, project });
  const calls = NAMES.map((name) =>
    toolUse('Bash', { command: counting(name), run_in_background: true, description: name }),
  );
  const api = await startScriptedApi(
    (_request, number) => (number === 0 ? reply(calls) : reply(`Answer ${number}.`)),
    { apiKey: KEY },
  );
  try {
    const app = await openScripted(page, lathe, api);
    await app.send('count');
    await expect(app.conversation).toContainText('Answer 1.');
    await expectWhole(page, app);

    await page.reload();
    await expectWhole(page, app);

    const crashed = page.waitForEvent('crash');
    const inspector = await context.newCDPSession(page);
    inspector.send('Page.crash').catch(() => {});
    await crashed;
    const next = await context.newPage();
    const again = new AppPage(next);
    await next.goto(new URL('/', page.url()).href);
    await expect(again.conversation).toContainText('Answer 1.');
    await expectWhole(next, again);

    for (const name of NAMES) await writeFile(join(project, name), '');
    const ends = () =>
      NAMES.map((name) => {
        const told = JSON.stringify(api.requests.at(-1)?.body.messages);
        return told.split(`Background command \\"${name}\\" completed`).length - 1;
      });
    await expect.poll(ends, A_WHILE).toEqual([1, 1, 1]);
    expect(api.refusals).toEqual([]);
  } finally {
    await api.close();
  }
});
