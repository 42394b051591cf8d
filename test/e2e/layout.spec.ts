import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { error, reply, toolUse } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { frames } from './support/picture';
import { played, writeFiles } from './support/scripted-app';

test.slow();

const dock = (page: Page) => page.getByRole('tablist', { name: 'Dock' });

async function box(of: Locator) {
  const found = await of.boundingBox();
  if (found === null) throw new Error('It is not drawn.');
  return found;
}

/** The characters of the longest line as it is drawn. */
const longestLine = (paragraph: Locator): Promise<number> =>
  paragraph.evaluate((element) => {
    const text = element.firstChild;
    if (!(text instanceof Text)) return 0;
    const range = document.createRange();
    const lines = new Map<number, number>();
    for (let at = 0; at < text.length; at += 1) {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { top } = range.getBoundingClientRect();
      lines.set(top, (lines.get(top) ?? 0) + 1);
    }
    return Math.max(...lines.values());
  });

/** Elements below `root` whose words do not fit or take a second line. */
const clipped = (root: Locator): Promise<readonly string[]> =>
  root.evaluate((element) =>
    [...element.querySelectorAll<HTMLElement>('button, button span, kbd, input, h3')]
      .filter((e) => e.offsetHeight > 0)
      .filter((e) => e.scrollHeight > 34 || e.scrollWidth > e.clientWidth + 1)
      .map((e) => `${e.tagName} ${e.textContent}`),
  );

const PROSE =
  'The harbour keeps a list of ships that came in with the tide, and it gives each of them a berth that is long enough. '.repeat(
    6,
  );

test('at every width the conversation has room, prose is readable, and the dock is there when it is needed', async ({
  page,
  lathe,
  electron,
}) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  const script = [
    reply(PROSE),
    reply([toolUse('Bash', { command: 'sleep 600', run_in_background: true })]),
    reply('It runs.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    const { conversation } = app;
    await expect(dock(page)).toBeHidden();
    await app.send('tell me');
    const paragraph = conversation.locator('.prose p').first();
    await expect(paragraph).toContainText('berth');
    await expect(page.getByText('Lathe has finished')).toBeAttached();
    expect(await longestLine(paragraph)).toBeLessThanOrEqual(76);
    expect(await longestLine(paragraph)).toBeGreaterThan(60);

    await app.send('start it');
    await expect(conversation).toContainText('It runs.');
    await expect(dock(page)).toBeVisible();
    await expect(async () =>
      expect((await box(conversation)).width).toBeGreaterThanOrEqual(560),
    ).toPass(A_WHILE);

    // What is open in the conversation stays open, and the keyboard where it was.
    const call = conversation.getByRole('button', { name: /sleep 600/ }).first();
    await call.click();
    await expect(call).toHaveAttribute('aria-expanded', 'true');
    await page.setViewportSize({ width: 800, height: 768 });
    await expect(dock(page)).toBeHidden();
    await expect(call).toHaveAttribute('aria-expanded', 'true');
    await expect(call).toBeFocused();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(dock(page)).toBeVisible();
    await expect(call).toHaveAttribute('aria-expanded', 'true');
    await page.getByRole('button', { name: 'Hide the dock' }).click();
    await expect(dock(page)).toBeHidden();
    await page.setViewportSize({ width: 800, height: 768 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(page.getByRole('button', { name: 'Show the dock' })).toBeVisible();
    await expect(dock(page)).toBeHidden();

    for (const width of [1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const side = page.locator('main').locator('div', { has: app.sessions }).last();
      await expect(app.sessions).toBeVisible();
      await expect.poll(() => clipped(side)).toEqual([]);
    }
    // A tab of a browser keeps Ctrl+N for itself.
    await expect(page.getByRole('button', { name: /^New session/ }).first()).toContainText(
      electron === null ? 'AltN' : 'CtrlN',
    );

    // Columns that a narrow window squeezed are as wide as before once there is room again.
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.getByRole('button', { name: 'Show the dock' }).click();
    const widths = async () => [
      Math.round((await box(app.sessions)).width),
      Math.round((await box(page.getByRole('tabpanel', { name: /^Tasks/ }))).width),
    ];
    await expect(dock(page)).toBeVisible();
    const first = await widths();
    await page.getByRole('separator', { name: 'Between conversation and dock' }).focus();
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('ArrowLeft');
    await expect.poll(widths).not.toEqual(first);
    const wide = await widths();
    for (const narrower of [1024, 800]) {
      await page.setViewportSize({ width: narrower, height: 800 });
      if (narrower === 1024) {
        await expect.poll(widths).not.toEqual(wide);
        await expect(app.sessions).toBeVisible();
      }
      if (narrower === 800) await expect(dock(page)).toBeHidden();
      await page.setViewportSize({ width: 1440, height: 800 });
      await expect.poll(widths).toEqual(wide);
    }

    await page.setViewportSize({ width: 390, height: 800 });
    // The page is laid out some frames after it got narrow.
    await expect(async () => {
      const status = await box(app.status);
      const link = await box(app.status.getByRole('status'));
      expect(link.x + link.width).toBeLessThanOrEqual(390);
      expect(status.width).toBeLessThanOrEqual(390);
      const mode = await box(app.status.getByRole('button', { name: /^Permission mode/ }));
      for (const label of ['Model: ', 'Permission mode'])
        expect(await clipped(app.status.getByRole('button', { name: label }))).toEqual([]);
      expect(mode.width).toBeGreaterThan(24);
      expect(mode.x + mode.width).toBeLessThanOrEqual(link.x + 1);
    }).toPass({ timeout: 60_000 });
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
  });
});

test('an empty conversation suggests tasks, messages and waits take room of their own, and a window that gets narrow and wide keeps the keyboard, the terminal in front and what is typed', async ({
  page,
  lathe,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  await mkdir(join(folder, 'src'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'true' } }));
  const busy = error(529, 'Overloaded', { 'retry-after': '600' });
  await played({ page, lathe }, [reply('They pass.'), busy], async (app) => {
    await test.step('a window that gets narrow again and again shows the conversation alone each time', async () => {
      const columns = () =>
        page.evaluate(() =>
          ['side', 'centre', 'dock'].map((id) => document.getElementById(id)?.clientWidth ?? -1),
        );
      const wide = await columns();
      for (let round = 0; round < 3; round += 1) {
        await page.setViewportSize({ width: 640, height: 400 });
        await expect.poll(columns).toEqual([0, 640, 0]);
        await page.setViewportSize({ width: 1280, height: 800 });
        await expect.poll(columns).toEqual(wide);
      }
    });

    await test.step('an empty conversation suggests three tasks that fit the project', async () => {
      const offers = page.getByRole('list', { name: 'Suggestions' }).getByRole('button');
      await expect(offers).toHaveCount(3);
      // The session comes just now, and brings the list anew: a key for the one before may be lost.
      await expect(async () => {
        if ((await app.composer.inputValue()) === '')
          await offers.filter({ hasText: 'Run the tests' }).press('Enter');
        await expect(app.composer).toHaveValue(/^Run the tests/, { timeout: 2_000 });
      }).toPass(A_WHILE);
      await expect(app.composer).toBeFocused();
      await app.composer.press('Enter');
      await expect(app.conversation).toContainText('They pass.');
      await expect(offers).toHaveCount(0);
    });

    await test.step('messages cover nothing', async () => {
      await app.composer.fill('typed already');
      await app.composer.evaluate((field) => {
        const data = new DataTransfer();
        for (const name of ['a.svg', 'b.svg'])
          data.items.add(new File(['<svg/>'], name, { type: 'image/svg+xml' }));
        field.dispatchEvent(
          new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }),
        );
      });
      const messages = page.getByRole('region', { name: 'Messages' });
      await expect(messages.getByRole('alert')).toHaveCount(2);
      await expect(async () => {
        const over = await box(messages);
        const field = await box(app.composer);
        const words = await box(app.conversation);
        expect(over.y + over.height).toBeLessThanOrEqual(field.y);
        expect(words.y + words.height).toBeLessThanOrEqual(over.y + 1);
      }).toPass({ timeout: 60_000 });
      await messages.getByRole('button', { name: 'Dismiss' }).first().click();
      await messages.getByRole('button', { name: 'Dismiss' }).click();
      await expect(messages).toBeHidden();
      await app.composer.fill('');
    });

    await test.step('a column that goes away leaves the keyboard somewhere, and one over the conversation has it', async () => {
      const search = page.getByRole('searchbox');
      const tasks = page.getByRole('tab', { name: 'Tasks' });
      for (const inColumn of [search, tasks]) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await expect(inColumn).toBeVisible();
        await inColumn.focus();
        await page.setViewportSize({ width: 800, height: 800 });
        await expect(app.composer).toBeFocused();
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await tasks.focus();
      await page.keyboard.press('Control+j');
      await expect(dock(page)).toBeHidden();
      await expect(app.composer).toBeFocused();

      await page.setViewportSize({ width: 800, height: 800 });
      // Until the columns have folded, the key would open one that folds, too.
      await expect(search).toBeHidden();
      await page.keyboard.press('Control+j');
      await expect(dock(page)).toBeVisible();
      await page.keyboard.press('Tab');
      await expect(tasks).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(dock(page)).toBeHidden();
      await expect(app.composer).toBeFocused();
      const show = page.getByRole('button', { name: 'Show the sessions' });
      await show.press('Enter');
      for (const _ of ['the project', 'a new session']) await page.keyboard.press('Tab');
      await expect(page.getByRole('button', { name: /^New session/ }).first()).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(show).toBeFocused();
    });

    await test.step('a terminal that is gone to in a column over the conversation has the keyboard', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      // Until the columns have come back, the key would open one that lies over the conversation.
      await expect(app.sessions).toBeVisible();
      const keys = page.locator('.xterm-helper-textarea');
      await page.keyboard.press('Control+`');
      await expect(keys).toBeFocused(A_WHILE);
      await app.composer.focus();
      await page.setViewportSize({ width: 800, height: 800 });
      await expect(dock(page)).toBeHidden();
      await page.keyboard.press('Control+`');
      await expect(dock(page)).toBeVisible();
      await frames(page, 3);
      await expect(keys).toBeFocused();
      await app.composer.focus();
      await page.keyboard.press('Control+j');
      await expect(dock(page)).toBeHidden();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('Find in the terminal');
      await page.keyboard.press('Enter');
      await expect(dock(page)).toBeVisible();
      await frames(page, 3);
      await expect(page.getByRole('textbox', { name: 'Find in this terminal' })).toBeFocused();
    });

    await test.step('the tab of the terminal in front stays in sight where its row gets narrower', async () => {
      await page.setViewportSize({ width: 1440, height: 800 });
      await expect(app.sessions).toBeVisible();
      await page.keyboard.press('Control+`');
      await expect(page.locator('.xterm-helper-textarea')).toBeFocused(A_WHILE);
      for (let n = 0; n < 3; n += 1) await app.openShell();
      const tabs = app.terminals.getByRole('tab');
      await expect(tabs).toHaveCount(4);
      const shown = app.terminals.getByRole('tab', { selected: true });
      await expect(shown).toBeInViewport({ ratio: 1 });
      await page.setViewportSize({ width: 1024, height: 800 });
      await expect(tabs.first()).not.toBeInViewport({ ratio: 1 });
      await expect(shown).toBeInViewport({ ratio: 1 });
    });

    await test.step('the words of a wait have the line to themselves', async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await app.newSession();
      await app.send('hello');
      const words = app.conversation.getByText(/Trying again in/).locator('..');
      await expect(words).toBeVisible();
      // What stands behind them is never cut in two, as in "try 2 of / 10", whatever the width.
      const fact = app.conversation.getByText(/^try \d+ of \d+$/);
      for (let width = 1400; width >= 1180; width -= 20) {
        await page.setViewportSize({ width, height: 800 });
        await expect(async () => expect((await box(fact)).height).toBeLessThan(30)).toPass(A_WHILE);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      // The conversation is drawn anew in another layout: for a moment it is not there.
      await expect(async () => expect((await box(words)).width).toBeGreaterThan(280)).toPass(
        A_WHILE,
      );
      await expect(page.getByRole('button', { name: 'Give up' })).toBeInViewport({ ratio: 1 });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('button', { name: 'Give up' }).click();
    });

    await test.step('what is being typed, its caret, its list and what can be undone stay', async () => {
      await app.newSession();
      await writeFiles(folder, { 'auth.ts': '', 'author.ts': '', 'other.ts': '' });
      await page.setViewportSize({ width: 1440, height: 800 });
      await app.composer.pressSequentially('see @aut');
      const options = page.getByRole('listbox', { name: 'Files' }).getByRole('option');
      await expect(options).toHaveCount(2);
      await page.keyboard.press('ArrowDown');
      const field = await app.composer.elementHandle();
      for (const width of [800, 390, 800, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await frames(page, 5);
        await expect(options).toHaveCount(2);
        await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
        await expect(options.nth(1)).toBeInViewport({ ratio: 1 });
        await expect(app.composer).toBeFocused();
        expect(await field?.evaluate((element) => element.isConnected)).toBe(true);
      }
      await page.keyboard.press('Enter');
      await expect(app.composer).toHaveValue(/^see @auth(or)?\.ts $/);
      await page.keyboard.press('Control+z');
      await expect(app.composer).toHaveValue('see @aut');
      await page.keyboard.press('Escape');
      await app.composer.evaluate((element: HTMLTextAreaElement) =>
        element.setSelectionRange(1, 6),
      );
      await page.setViewportSize({ width: 390, height: 800 });
      await frames(page, 5);
      await page.keyboard.type('X');
      await expect(app.composer).toHaveValue('sXut');
    });
  });
});
