import type { Locator, Page, TestInfo } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { reply, text } from '../support/scripted-api-replies';
import { A_WHILE } from './support/app-page';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

const filler = Array.from(
  { length: 120 },
  (_, i) =>
    `Paragraph ${i}, in which the ferries are counted once more, from the first to the last.`,
).join('\n\n');

const ANSWER = `Ferries leave every $\\frac{60}{n}$ minutes[^1], and a ticket costs $5 or $10.

\\[
E = mc^2
\\]

\`\`\`mermaid
flowchart LR
  quay[Quay] --> ferry[Ferry]
\`\`\`

\`\`\`mermaid
flowchart LR
  broken[ --> -->
\`\`\`

- [x] counted
- [ ] painted

\u05e9\u05dc\u05d5\u05dd \u05e8\u05e6\u05d9\u05e3

1. \u05e9\u05dc\u05d5\u05dd \`quay();\`

> \u0645\u0631\u062d\u0628\u0627

$$
${'x^{'.repeat(400)}${'}'.repeat(400)}
$$

\`\`\`ts
const late: number = 3;
\`\`\`

${filler}

[^1]: Only in **summer**.

That was all.`;

/** Every complaint of the page about its own policy or code. */
function complaints(page: Page): readonly string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) found.push(message.text());
  });
  return found;
}

/** Takes pictures of the page, light and dark. */
async function pictured(page: Page, info: TestInfo, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = info.outputPath(`${name}-${colorScheme}.png`);
    await page.screenshot({ path, animations: 'disabled' });
  }
}

test('an answer shows formulas, diagrams, footnotes and coloured code under the policy of the page, draws nothing that is too large, and can be read however deep it is', async ({
  page,
  lathe,
}) => {
  const found = complaints(page);
  const lines = Array.from({ length: 100 }, (_, i) => `    quay ${i}`).join('\n');
  const map = `\`\`\`mermaid\nmindmap\n  quays\n${lines}\n\`\`\``;
  const quotes = `${'> '.repeat(60)}the innermost quote`;
  const lists = Array.from({ length: 30 }, (_, i) => `${'  '.repeat(i)}- berth ${i}`).join('\n');
  const script = [ANSWER, map, `${quotes}\n\n${lists}`].map((words) => reply([text(words)]));
  await played({ page, lathe }, script, async (app) => {
    await test.step('formulas, diagrams, footnotes and coloured code', async () => {
      const { conversation } = app;
      await app.send('Tell me about the ferries.');
      await expect(conversation.getByText('That was all.')).toBeVisible();
      // Only what is in view is in the page.
      await expect(conversation.getByText('Paragraph 3,')).toHaveCount(0);

      // From the note to the text, which is far above, and back.
      const note = conversation.getByRole('note', { name: 'Footnote 1' });
      await expect(note).toContainText('Only in summer.');
      await note.getByRole('button', { name: 'Back to the text of footnote 1' }).click();
      const reference = conversation.getByRole('button', { name: 'Footnote 1', exact: true });
      await expect(reference).toBeFocused();
      await expect(reference).toBeInViewport();

      await expect(conversation.locator('.katex').first()).toBeVisible();
      await expect(conversation.locator('.katex-display')).toContainText('E');
      // One so deep that the browser would end the page stays as it is written.
      await expect(conversation.getByText('x^{x^{x^{')).toBeVisible();
      await expect(conversation).toContainText('a ticket costs $5 or $10.');
      await expect(conversation.getByRole('img', { name: 'Diagram: flowchart LR' })).toBeVisible();
      await expect(conversation).toContainText('This diagram could not be drawn');
      await expect(conversation).toContainText('broken[ --> -->');
      await expect(conversation.getByRole('img', { name: 'done', exact: true })).toBeVisible();
      // What is written from right to left has its numbers and bars there, and code in it reads as code does.
      const direction = (element: Element) => getComputedStyle(element).direction;
      const numbered = conversation.locator('ol').filter({ hasText: 'quay();' });
      expect(await numbered.evaluate(direction)).toBe('rtl');
      expect(await conversation.locator('blockquote').evaluate(direction)).toBe('rtl');
      expect(await numbered.locator('code').evaluate(direction)).toBe('ltr');
      expect(await conversation.locator('ul').first().evaluate(direction)).toBe('ltr');
      const quote = conversation.locator('blockquote');
      for (const block of [conversation.getByText('\u05e8\u05e6\u05d9\u05e3'), numbered, quote]) {
        const gap = (element: Element) =>
          (element.closest('.prose')?.getBoundingClientRect().right ?? 0) -
          element.getBoundingClientRect().right;
        expect(await block.evaluate(gap)).toBe(0);
      }
      await expect(
        conversation.locator('code [style*="--code-token-keyword"]').first(),
      ).toBeVisible();
      expect(page.workers()).toHaveLength(1);
      expect(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

      await reference.press('Enter');
      await expect(
        conversation.getByRole('button', { name: 'Back to the text of footnote 1' }),
      ).toBeFocused();
      expect(found).toEqual([]);
    });

    await test.step('a mind map for which the page would stand still stays as it is written', async () => {
      await app.newSession();
      await app.send('Draw the quays.');
      await expect(app.conversation).toContainText('This diagram is too large to be drawn here.');
      await expect(app.conversation).toContainText('quay 99');
    });

    await test.step('what is quoted and listed very deep can still be read at the width of a phone', async () => {
      await app.newSession();
      await page.setViewportSize({ width: 390, height: 844 });
      await app.send('How deep is it?');
      for (const words of ['the innermost quote', 'berth 29']) {
        // An answer that has just come is drawn once more when it is known to be whole.
        await expect(async () => {
          const box = await app.conversation.getByText(words).boundingBox();
          expect(box?.width).toBeGreaterThan(60);
          expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390);
        }).toPass(A_WHILE);
      }
      expect(found).toEqual([]);
    });
  });
});

/** Narrows `prose` step by step, and returns the widths at which the mark behind `link` is in a line below it. */
const linesOfStops = async (prose: Locator, link: Locator): Promise<readonly number[]> =>
  prose.evaluate(
    (element, button) => {
      const end = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (end.nextNode());
      const stop = document.createRange();
      stop.selectNodeContents(end.currentNode);
      const found: number[] = [];
      for (let width = 500; width >= 200; width -= 1) {
        element.style.width = `${width}px`;
        if (stop.getBoundingClientRect().top >= (button?.getBoundingClientRect().bottom ?? 0))
          found.push(width);
      }
      element.style.width = '';
      return found;
    },
    await link.elementHandle(),
  );

test('files that links of an answer name open at their lines', async ({ page, lathe }, info) => {
  const answer =
    'See [main](src/main.ts#L3), [the notes](<docs/my notes.md>), [`README.md`](../../.bashrc) and src/main.ts:2-3.';
  await played({ page, lathe }, [reply(answer)], async (app, _, folder) => {
    await writeFiles(folder, {
      'src/main.ts': 'one();\ntwo();\nthree();\n',
      'docs/my notes.md': 'Tide tables.\n',
    });
    await app.send('Where is it?');
    const link = (name: string) => app.conversation.getByRole('button', { name, exact: true });
    const viewer = page.getByRole('dialog');
    for (const [name, words] of [
      ['main', 'three();'],
      ['the notes', 'Tide tables.'],
      ['src/main.ts:2-3', 'two();'],
    ] as const) {
      await link(name).click();
      await expect(viewer).toContainText(words);
      await page.keyboard.press('Escape');
      await expect(viewer).toBeHidden();
    }
    await expect(app.conversation).toContainText('README.md (../../.bashrc)');
    const prose = app.conversation.locator('.prose p').first();
    await prose.click({ clickCount: 3, position: { x: 4, y: 8 } });
    await expect.poll(() => page.evaluate(() => getSelection()?.isCollapsed)).toBe(false);
    await link('the notes').click();
    await expect(viewer).toContainText('Tide tables.');
    await page.keyboard.press('Escape');
    // Words that are selected in a link open nothing.
    const { x = 0, y = 0, width = 0 } = (await link('src/main.ts:2-3').boundingBox()) ?? {};
    await page.mouse.move(x + 4, y + 6);
    await page.mouse.down();
    await page.mouse.move(x + width - 8, y + 6, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.evaluate(() => `${getSelection()}`)).toContain('main.ts');
    await expect(viewer).toBeHidden();
    // At no width is what ends a sentence alone in a line.
    expect(await linesOfStops(prose, link('src/main.ts:2-3'))).toEqual([]);
    await pictured(page, info, 'links');
  });
});

test('an answer shows alerts, breaks in tables and texts that fold; long code is folded and a diagram enlarged', async ({
  page,
  lathe,
}, info) => {
  const nodes = Array.from({ length: 14 }, (_, at) => `quay${at}[Quay ${at}]`).join(' --> ');
  const code = Array.from({ length: 412 }, (_, at) => `const berth${at} = ${at};`).join('\n');
  const answer = [
    '| Tide | When |\n| - | - |\n| high | at six<br>at noon |',
    '> [!NOTE]\n> Tides turn.',
    '> [!WARNING]\n> Low **water**.',
    '> [!TIP]\n> Go early.',
    '<details>\n<summary>More of it</summary>\n\nThe rest.\n\n</details>',
    `- [ ] Moor the ferry${' before the tide turns'.repeat(20)}\n  - at its quay`,
    `\`\`\`mermaid\nflowchart LR\n  ${nodes}\n\`\`\``,
    `\`\`\`ts\n${code}\n\`\`\``,
    'The end.',
  ].join('\n\n');
  await played({ page, lathe }, [reply(answer)], async (app) => {
    const { conversation } = app;
    await app.send('Tell me all.');
    const fold = conversation.getByRole('button', { name: 'Fold code' });
    await fold.click();
    const all = conversation.getByRole('button', { name: 'Show all 412 lines' });
    await all.scrollIntoViewIfNeeded();
    await expect(conversation.getByText('const berth9 = 9;')).toBeInViewport();
    await expect(conversation.getByText('const berth10 = 10;')).not.toBeInViewport();
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await pictured(page, info, 'folded');
    await all.press('Enter');
    await expect(all).toBeHidden();
    await fold.click();

    await expect(conversation).toContainText('Tides turn.');
    await expect(conversation.getByText('Warning', { exact: true })).toBeVisible();
    await expect(conversation).not.toContainText(/\[!|<br>|<details>|<summary>/);
    const lines = conversation.getByText('Moor the ferry').evaluate((task) => {
      const range = document.createRange();
      const words = [...task.childNodes].find((node) => node.textContent?.includes('Moor'));
      range.selectNode(words ?? task);
      return [...range.getClientRects()].map(({ left }) => Math.round(left));
    });
    const [begin = 0, ...others] = await lines;
    expect(others.length).toBeGreaterThan(0);
    for (const left of others) expect(Math.abs(left - begin), 'lines of a task').toBeLessThan(2);
    const below = await conversation.getByText('at its quay').boundingBox();
    expect(below?.x, 'what is listed below a task stands further in').toBeGreaterThan(begin);
    await conversation.getByText('More of it').scrollIntoViewIfNeeded();
    await pictured(page, info, 'alerts');
    const drawn = conversation.getByRole('img', { name: 'Diagram: flowchart LR' });
    const width = async (image: typeof drawn) => (await image.boundingBox())?.width ?? 0;
    const before = await width(drawn);
    await conversation.getByRole('button', { name: 'Enlarge' }).click();
    const dialog = page.getByRole('dialog', { name: 'flowchart LR' });
    const large = dialog.getByRole('img', { name: 'Diagram: flowchart LR' });
    await expect(large).toBeVisible();
    expect(await width(large)).toBeGreaterThan(before);
    expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
    await pictured(page, info, 'enlarged');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });
});
