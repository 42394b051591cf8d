import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, text, toolUse } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.slow();
test.use({ actionTimeout: 10_000 });

const PARAGRAPHS = Array.from({ length: 40 }, (_, n) => `Paragraph ${n}: the tide comes in.`);
const LINES = Array.from({ length: 12 }, (_, n) => `const line${n} = ${n};`);
const row = (cell: string) => `| ${Array(40).fill(cell).join(' | ')} |`;
const TABLE = [row('Port'), row('---'), row('Bergen')].join('\n');
const TERMS = Array.from({ length: 60 }, (_, n) => `x_{${n}}`).join('+');
const LONG = [
  ...PARAGRAPHS,
  ['```ts', ...LINES, '```'].join('\n'),
  ['```js', ...LINES.map((line) => `${line} // ${'wide '.repeat(60)}`), '```'].join('\n'),
  TABLE,
  `$$\n${TERMS}\n$$`,
  ...PARAGRAPHS.slice(0, 6),
].join('\n\n');

/** Turns of two fingers that are meant to go up or down; no finger goes quite straight. Back where they began each second time. */
const TURNS = [
  [1, -20],
  [-1, 20],
  [3, -30],
  [-3, 30],
  [10, -100],
  [10, 100],
] as const;

const WIDE = new Set(['wide code', 'table']);

test('a turn that goes mainly up or down moves the conversation whatever lies under the pointer, and a mainly sideways one what is wide', async ({
  page,
  lathe,
}) => {
  const script = [
    reply([text(LONG), toolUse('Read', { file_path: 'tides.txt' })]),
    reply(PARAGRAPHS.slice(0, 6).join('\n\n')),
  ];
  await played({ page, lathe }, script, async (app, _, folder) => {
    await writeFile(join(folder, 'tides.txt'), `high ${'and low '.repeat(30)}\n`.repeat(2));
    await app.send('tell me');
    await expect(page.getByText('Lathe has finished')).toBeAttached();
    const top = () => app.conversation.evaluate((e) => e.scrollTop);
    const group = (name: string | RegExp) => app.conversation.getByRole('group', { name });
    await app.conversation.getByRole('button', { name: /Read.*tides\.txt/ }).click();
    const boxes = {
      'narrow code': group('Code, ts'),
      'wide code': group('Code, js'),
      table: group('Table'),
      formula: group('Formula'),
      'tool card': group(/Lines of/),
    };
    for (const [name, box] of Object.entries(boxes))
      await test.step(name, async () => {
        await box.evaluate((e) => e.scrollIntoView({ block: 'center' }));
        await box.hover();
        for (const [dx, dy] of TURNS) {
          const before = await top();
          await page.mouse.wheel(dx, dy);
          await expect.poll(async () => (await top()) - before).toBe(dy);
        }
        if (!WIDE.has(name)) return;
        const before = await top();
        await page.mouse.wheel(60, 4);
        await expect.poll(() => box.evaluate((e) => e.scrollLeft)).toBe(60);
        expect(await top()).toBe(before);
      });
    // At the edge of a box a sideways turn stays in the page.
    const keeps = await page.evaluate(
      () => getComputedStyle(document.documentElement).overscrollBehaviorX,
    );
    expect(keeps).toBe('none');
  });
});
