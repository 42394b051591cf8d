import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { hold, reply, text, toolUse } from '../support/scripted-api-replies';
import type { AppPage } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';
import { gate, played } from './support/scripted-app';

test.slow();
test.use(CLIPBOARD);

const PARAGRAPHS = Array.from(
  { length: 30 },
  (_, n) => `Paragraph ${n}: the tide comes in and goes out again, twice a day.`,
);
const CODE = ['```ts', ...Array.from({ length: 12 }, (_, n) => `const line${n} = ${n};`), '```'];
const TABLE = [
  '| Port | High water |',
  '| --- | --- |',
  '| Bergen | 04:10 |',
  '| Stavanger | 05:20 |',
];
const LONG = [...PARAGRAPHS, CODE.join('\n'), TABLE.join('\n'), ...PARAGRAPHS].join('\n\n');

const scrollTop = (app: AppPage) => app.conversation.evaluate((e) => e.scrollTop);
const toEnd = (app: AppPage) =>
  app.conversation.evaluate((e) => e.scrollHeight - e.clientHeight - e.scrollTop);

/** Turns the wheel over an element and says how far the conversation moved. */
async function wheelOver(page: Page, app: AppPage, target: Locator, by: number): Promise<number> {
  await target.scrollIntoViewIfNeeded();
  await target.hover();
  const before = await scrollTop(app);
  await page.mouse.wheel(0, by);
  // Its own way: the turn before may still be rolling out.
  const moved = async () => ((await scrollTop(app)) - before) * Math.sign(by);
  await expect.poll(moved).toBeGreaterThan(50);
  return (await scrollTop(app)) - before;
}

test('the wheel moves the conversation over all that is in it, nothing moves under a pressed button, what scrolls can be clicked, and what came while reading above is counted', async ({
  page,
  lathe,
}) => {
  const [after, rest] = [gate(), gate()];
  const script = [
    reply([text(LONG), toolUse('Read', { file_path: 'tides.txt' })]),
    reply('That is the file.'),
    reply(LONG),
    reply([text(LONG), toolUse('Read', { file_path: 'tides.txt' })]),
    reply([
      text('A first word.\n\n'),
      hold(after.opened),
      text(PARAGRAPHS.slice(0, 8).join('\n\n')),
    ]),
    reply(LONG),
    reply([text('A first word.'), hold(rest.opened), text(' And the rest.')]),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    await test.step('by wheel over code, tables and open tool cards', async () => {
      await writeFile(join(folder, 'tides.txt'), 'high\nlow\n'.repeat(100));
      await app.send('tell me');
      await expect(app.conversation).toContainText('That is the file.');
      await expect(page.getByText('Lathe has finished')).toBeAttached();
      await expect.poll(() => toEnd(app)).toBeLessThan(2);
      const code = app.conversation.getByRole('group', { name: 'Code, ts' });
      expect(await wheelOver(page, app, code, -300)).toBeLessThan(0);
      expect(await wheelOver(page, app, code, 300)).toBeGreaterThan(0);
      const table = app.conversation.getByRole('table');
      expect(await wheelOver(page, app, table, -300)).toBeLessThan(0);
      await app.conversation.focus();
      await page.keyboard.press('End');
      const row = app.conversation.getByRole('button', { name: /Read/ });
      await row.click();
      const card = app.conversation.getByRole('group', { name: /Lines of/ });
      expect(await wheelOver(page, app, card, -300)).toBeLessThan(0);
      await app.conversation.focus();
      await page.keyboard.press('Home');
      await expect.poll(() => scrollTop(app)).toBe(0);
      await page.keyboard.press('End');
      await expect.poll(() => toEnd(app)).toBeLessThan(2);
    });

    await test.step('what is under the pointer can be clicked while the conversation still scrolls', async () => {
      await app.newSession();
      await app.send('tell me');
      await expect(page.getByText('Lathe has finished')).toBeAttached();
      await expect.poll(() => toEnd(app)).toBeLessThan(2);
      const reached = await app.conversation.evaluate(async (box) => {
        const { left, top, width, height } = box.getBoundingClientRect();
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        const seen: boolean[] = [];
        for (let turn = 0; turn < 10; turn += 1) {
          box.scrollTop -= 20;
          await frame();
          await frame();
          const under = document.elementFromPoint(left + width / 2, top + height / 2);
          seen.push(under !== null && under.closest('[data-conversation] > div > div') !== null);
        }
        return seen;
      });
      expect(reached).toEqual(Array.from({ length: 10 }, () => true));
    });

    await test.step('nothing moves under a pressed button of the pointer, and the end is followed again after it', async () => {
      await app.newSession();
      await writeFile(join(folder, 'tides.txt'), 'high\nlow\n');
      await app.send('tell me');
      await expect(app.conversation).toContainText('A first word.');
      await expect.poll(() => toEnd(app)).toBeLessThan(2);
      const row = app.conversation.getByRole('button', { name: /Read.*tides\.txt/ });
      await row.hover();
      const before = await row.boundingBox();
      await page.mouse.down();
      after.open();
      await expect(page.getByText('Lathe has finished')).toBeAttached();
      await expect.poll(() => toEnd(app)).toBeGreaterThan(100);
      expect((await row.boundingBox())?.y).toBe(before?.y);
      await page.mouse.up();
      await expect(row).toHaveAttribute('aria-expanded', 'true');
      await expect.poll(() => toEnd(app)).toBeLessThan(2);
    });

    await test.step('sending scrolls to the own prompt; what came while reading above is counted', async () => {
      await app.newSession();
      await app.send('tell me');
      await expect(page.getByText('Lathe has finished')).toBeAttached();
      await app.conversation.hover();
      await page.mouse.wheel(0, -2000);
      await expect(page.getByRole('button', { name: 'To the end' })).toBeVisible();
      await app.send('and then?');
      const own = app.conversation.getByRole('article', { name: 'You' }).getByText('and then?');
      await expect(own).toBeInViewport();
      await expect(app.conversation).toContainText('A first word.');
      await expect(page.getByRole('button', { name: /new|To the end/ })).toBeHidden();
      await app.conversation.hover();
      await page.mouse.wheel(0, -2000);
      await expect(page.getByRole('button', { name: 'To the end' })).toBeVisible();
      rest.open();
      // The rest of the answer and the end of the query; not the own prompt, nor what was there before.
      await expect(page.getByRole('button', { name: '2 new' })).toBeVisible();
    });
  });
});

test('a question leaves the words above it readable, reads and finished work are one row that opens again, tables share the width, and each script reads its own way', async ({
  page,
  lathe,
}) => {
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.ts'];
  const path = `/srv/harbour/${'a-very-long-folder-name/'.repeat(8)}berths.sql`;
  const columns = Array.from({ length: 14 }, (_, n) => `column ${n}`);
  const answer = [
    `| file | what it holds |\n| --- | --- |\n| ${path} | the berths of all the ships |`,
    `| ${columns.join(' | ')} |\n| ${columns.map(() => '---').join(' | ')} |\n| ${columns.join(' | ')} |`,
    '| | passed | failed |\n| --- | ---: | ---: |\n| before | 20 | 1 |',
    'זהו משפט בעברית.',
    'This one is English.',
  ].join('\n\n');
  const script = [
    reply([
      text(`${PARAGRAPHS.join('\n\n')}\n\nThe reason: the harbour list is out of date.`),
      toolUse('Write', { file_path: 'harbour.txt', content: 'Bergen\n' }),
      toolUse('WebFetch', { url: 'https://tides.example/', prompt: 'When is high water?' }),
    ]),
    reply('Fine.'),
    reply(names.map((name) => toolUse('Read', { file_path: name }))),
    reply(Array.from({ length: 7 }, (_, n) => toolUse('Bash', { command: `echo step ${n}` }))),
    reply('All done.'),
    reply('And more.'),
    reply(answer),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    await test.step('a question stands below the conversation, whose words can be selected', async () => {
      await app.send('update it');
      const dialog = await app.question('harbour.txt');
      const reason = app.conversation.getByText('The reason: the harbour list is out of date.');
      await expect(reason).toBeInViewport({ ratio: 1 });
      const [above, below] = [await app.conversation.boundingBox(), await dialog.boundingBox()];
      expect(above && below && above.y + above.height <= below.y + 1).toBe(true);
      expect(above?.height).toBeGreaterThan(120);
      // Nothing is dimmed: what is at the reason's place is the reason itself.
      const box = await reason.boundingBox();
      expect(
        await page.evaluate(
          ([x, y]) => document.elementFromPoint(x, y)?.closest('p')?.textContent ?? '',
          [(box?.x ?? 0) + 20, (box?.y ?? 0) + 8] as const,
        ),
      ).toContain('The reason');
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await reason.dblclick({ position: { x: 15, y: 8 } });
      expect(await page.evaluate(() => getSelection()?.toString().trim())).not.toBe('');
      await app.conversation.hover();
      const before = await scrollTop(app);
      await page.mouse.wheel(0, -200);
      await expect.poll(() => scrollTop(app)).toBeLessThan(before);

      // Esc in the conversation goes back to the question and stops nothing; F6 goes there and back.
      await page.keyboard.press('Escape');
      await expect(dialog).toBeFocused();
      await page.keyboard.press('F6');
      await expect(app.conversation).toBeFocused();
      await page.keyboard.press('F6');
      await expect(dialog).toBeFocused();

      await dialog.getByRole('button', { name: /questions that wait/ }).click();
      await page.getByRole('menuitemradio', { name: /tides\.example/ }).click();
      await expect(app.approval.filter({ hasText: 'tides.example' })).toBeVisible();
      await expect(app.approval).toContainText('2 of 2');
      // Esc in the list closes the list and answers nothing.
      await app.approval.getByRole('button', { name: /questions that wait/ }).click();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('menu')).toBeHidden();
      await expect(app.approval).toContainText('2 of 2');
      await app.approval.focus();
      await page.keyboard.press('Escape');
      await app.deny('harbour.txt');
      await expect(app.conversation).toContainText('Fine.');
    });

    await test.step('reads side by side are one row, and so is the work of a finished query; both open again', async () => {
      await app.newSession();
      for (const name of names) await writeFile(join(folder, name), `this is ${name}\n`);
      await writeFile(join(folder, 'e.ts'), "export const berths: number = 12; // 'of 14'\n");
      await app.send('look at all of them');
      await expect(app.conversation).toContainText('All done.');
      const rows = app.conversation.getByRole('button', { expanded: false });
      const work = rows.filter({ hasText: /^12 calls/ });
      await expect(work).toHaveText(/12 calls.*Read, Bash.*s$/);
      await expect(app.conversation.getByRole('button', { name: /echo step/ })).toHaveCount(0);
      await work.press('ArrowRight');
      await expect(app.conversation.getByRole('button', { name: /echo step/ })).toHaveCount(7);
      const first = app.conversation.getByRole('button', { name: /Read.*a\.txt/ });
      await first.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Copy path' }).press('Escape');
      await first.click();
      const card = app.conversation.getByRole('group', { name: 'Lines of a.txt' });
      await expect(card).toContainText('this is a.txt');
      await app.conversation.getByRole('button', { name: /Read.*e\.ts/ }).click();
      const code = app.conversation.getByRole('group', { name: 'Lines of e.ts' });
      await expect(code.locator('span[style]', { hasText: /^export/ })).toBeVisible();
      await expect(code).toContainText("export const berths: number = 12; // 'of 14'");
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await app.send('go on');
      await expect(app.conversation).toContainText('And more.');
      await expect(card).toContainText('this is a.txt');
    });

    await test.step('tables share the width, wide ones scroll by keyboard, and each script reads its own way', async () => {
      await app.newSession();
      await app.send('show me');
      await expect(app.conversation).toContainText('This one is English.');
      const tables = app.conversation.getByRole('group', { name: 'Table' });
      const [narrow, wide, small] = [tables.nth(0), tables.nth(1), tables.nth(2)];
      const overflow = (table: Locator) => table.evaluate((e) => e.scrollWidth - e.clientWidth);
      await expect.poll(() => overflow(narrow)).toBe(0);
      await expect.poll(() => overflow(wide)).toBeGreaterThan(100);
      const second = narrow.getByRole('cell').nth(1);
      await expect.poll(async () => (await second.boundingBox())?.width).toBeGreaterThan(100);
      await wide.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => wide.evaluate((e) => e.scrollLeft)).toBeGreaterThan(0);
      const gap = (words: string) =>
        app.conversation.getByText(words).evaluate((paragraph) => {
          const range = document.createRange();
          range.selectNodeContents(paragraph);
          const drawn = range.getBoundingClientRect();
          return drawn.left - paragraph.getBoundingClientRect().left;
        });
      await expect.poll(() => gap('This one is English.')).toBeLessThan(2);
      await expect.poll(() => gap('זהו משפט בעברית.')).toBeGreaterThan(100);
      await page.setViewportSize({ width: 390, height: 800 });
      await expect.poll(() => small.evaluate((e) => e.clientWidth)).toBeLessThan(390);
      // The columns beside the conversation go after the window has changed.
      await expect.poll(() => overflow(small)).toBe(0);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    });
  });
});

type Press = { readonly button?: 'right'; readonly clickCount?: number };

/** Presses the mouse on the first word of a terminal's row; the terminal's screen lies over its rows. */
async function press(row: Locator, how: Press): Promise<void> {
  const box = await row.boundingBox();
  expect(box).not.toBeNull();
  await row.page().mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + (box?.height ?? 0) / 2, how);
}

const pick = (row: Locator): Promise<void> => press(row, { clickCount: 2 });

test('text is copied from terminals by key and menu, and from the conversation by menu', async ({
  page,
  lathe,
}) => {
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await played({ page, lathe }, [reply(LONG)], async (app) => {
    await app.send('tell me');
    await expect(page.getByText('Lathe has finished')).toBeAttached();
    const code = app.conversation.getByRole('group', { name: 'Code, ts' });
    await code.scrollIntoViewIfNeeded();
    await code.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy code' }).click();
    await expect.poll(clipboard).toContain('const line3 = 3;');
    await code.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Add code to prompt' }).click();
    await expect(app.composer).toBeFocused();
    await expect(app.composer).toHaveValue(/^```\nconst line0 = 0;[\s\S]*```\n$/);
    await app.composer.fill('');
    // By keyboard, the focus is on the area in which the code scrolls.
    await code.focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Copy code' }).press('Escape');
    // Prose without a selection: the answer as the model wrote it.
    await app.conversation.getByText('Paragraph 28').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy answer' }).click();
    await expect.poll(clipboard).toBe(LONG);
    // The one above the code: the other one comes into the page when the message box gets lower.
    const paragraph = app.conversation.getByText('Paragraph 29').first();
    await paragraph.dblclick({ position: { x: 20, y: 8 } });
    await expect
      .poll(() => page.evaluate(() => getSelection()?.toString().trim()))
      .toBe('Paragraph');
    await paragraph.click({ button: 'right', position: { x: 20, y: 8 } });
    await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
    await expect.poll(async () => (await clipboard()).trim()).toBe('Paragraph');

    await app.openShell();
    await app.typeInTerminal("printf 'high%s\\n' water");
    await expect.poll(() => app.screenText()).toContain('highwater');
    const line = app.terminals.locator('.xterm-rows > div').filter({ hasText: /^highwater/ });
    await pick(line);
    await page.keyboard.press('Control+Shift+C');
    await expect.poll(clipboard).toBe('highwater');
    await page.evaluate(() => navigator.clipboard.writeText('echo pasted'));
    await pick(line);
    await press(line, { button: 'right' });
    await page.getByRole('menuitem', { name: /^Add to prompt/ }).click();
    await expect(app.composer).toHaveValue('highwater');
    await app.terminals.locator('.xterm-screen').click({ button: 'right' });
    await page.getByRole('menuitem', { name: /^Paste/ }).click();
    await expect.poll(() => app.screenText()).toContain('echo pasted');
  });
});
