import type { Locator } from '@playwright/test';
import { reply, toolUse } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played, writeFiles } from './support/scripted-app';

test.slow();

/** Returns the words of an element on one line of which the first and the last characters are drawn inside of it. */
const drawn = (line: Locator): Promise<{ readonly start: boolean; readonly end: boolean }> =>
  line.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const shows = (text: Node, at: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { left, right } = range.getBoundingClientRect();
      return left >= box.left - 1 && right <= box.right + 1;
    };
    const first = texts.nextNode();
    let last = first;
    while (texts.nextNode() !== null) last = texts.currentNode;
    if (first === null || last === null) throw new Error('It has no words.');
    return { start: shows(first, 0), end: shows(last, (last.textContent ?? '').length - 1) };
  });

test('of a path that has no room the name of the file is shown, in the conversation and in the changes', async ({
  page,
  lathe,
}) => {
  const folder = 'packages/the-harbour-of-the-north/src/components/quays-and-piers/berths/lists';
  const path = `${folder}/ListOfTheShipsThatCameInWithTheTide.test.ts`;
  const short = 'tide.ts';
  const script = [
    reply([
      toolUse('Read', { file_path: path }),
      toolUse('Read', { file_path: short }),
      toolUse('Bash', { command: `echo ${'high '.repeat(60)}` }),
    ]),
    reply([toolUse('Write', { file_path: path, content: 'low\n' })]),
    reply('Done.'),
  ];
  await played({ page, lathe }, script, async (app, _, project) => {
    await writeFiles(project, { [path]: 'high\n', [short]: 'tide\n' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await app.send('look');
    await app.allowOnce('ListOfTheShips');
    await expect(app.conversation).toContainText('Done.');
    const row = (name: string) => app.conversation.getByTitle(name).first();
    await expect.poll(() => drawn(row(path))).toEqual({ start: false, end: true });
    await expect.poll(() => drawn(row(short))).toEqual({ start: true, end: true });
    await expect
      .poll(() => drawn(app.conversation.getByTitle(/^echo high/).first()))
      .toEqual({ start: true, end: false });
    await page.getByRole('tab', { name: 'Changes' }).click();
    const changed = page.getByRole('list', { name: 'Changed files' });
    await expect.poll(() => drawn(changed.getByTitle(path))).toEqual({ start: false, end: true });
    // It is read as one name.
    await expect(changed.getByRole('button', { name: path }).first()).toBeVisible();
  });
});

/** Tells whether the first letter of a text is drawn at the right of its second. */
const readsFromTheRight = (place: Locator, text: string): Promise<boolean> =>
  place.evaluate((element, wanted) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1;
      if (at < 0) continue;
      const [first, second] = [at, at + 1].map((from) => {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, from + 1);
        return range.getBoundingClientRect().left;
      });
      return (first ?? 0) > (second ?? 0);
    }
    throw new Error('It is not there.');
  }, text);

test('words of right-to-left scripts read from the right in rows and in what a search finds, and commands as their bytes stand', async ({
  page,
  lathe,
}) => {
  const words = '\u05d4\u05e0\u05de\u05dc \u05e4\u05ea\u05d5\u05d7';
  const question = {
    ...{ question: words, header: words, multiSelect: false },
    options: ['A', 'B'].map((label) => ({ label, description: '' })),
  };
  const script = [
    reply([toolUse('Bash', { command: `echo ${words} harbour` })]),
    reply([toolUse('AskUserQuestion', { questions: [question] })]),
    reply(`harbour: ${words}`),
  ];
  await played({ page, lathe }, script, async (app) => {
    await app.send('ask');
    await expect(app.approval).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(app.conversation).toContainText('harbour: ');
    const row = (verb: RegExp) => app.conversation.getByRole('button', { name: verb }).first();
    expect(await readsFromTheRight(row(/Ask/), words)).toBe(true);
    expect(await readsFromTheRight(row(/Bash/), words)).toBe(false);
    await page.keyboard.press('Control+Shift+f');
    await page.keyboard.type('harbour');
    const found = (who: RegExp) => app.sessions.getByRole('button', { name: who });
    await expect(found(/^Answer: /)).toBeVisible();
    expect(await readsFromTheRight(found(/^Answer: /), words)).toBe(true);
    expect(await readsFromTheRight(found(/^Tool: /), words)).toBe(false);
  });
});
