import { expect, test } from 'vitest';
import {
  createStyleChanges,
  type WishedStyle,
} from '../../../src/main/engine/attachments/style-changes';
import type { Message } from '../../../src/shared/message';
import { attached, contextOf, take } from './support';

/** Collects after each wish, as a conversation goes on; a gap is a summary that takes all before it away. */
async function told(wishes: readonly (WishedStyle | null)[]) {
  let wish: WishedStyle = { language: 'English' };
  let history: Message[] = [];
  const texts: (string | null)[] = [];
  const collector = createStyleChanges(
    () => wish,
    async (style) => (style === undefined ? '' : `Write as ${style}.`),
  );
  for (const next of wishes) {
    if (next === null) history = [];
    else wish = next;
    const found = await take(collector, contextOf(history));
    texts.push(found[0]?.text ?? null);
    history.push(...found.map(attached));
  }
  return texts;
}

test('the model hears of a style or a language once it changes, again after a summary, and when it goes back', async () => {
  const [same, changed, again, lost, back] = await told([
    { language: 'English' },
    { language: 'Danish', outputStyle: 'Concise' },
    { language: 'Danish', outputStyle: 'Concise' },
    null,
    { language: 'English' },
  ]);
  expect([same, again]).toEqual([null, null]);
  expect(changed).toContain('Write as Concise.');
  expect(changed).toContain('Answer in Danish.');
  expect(lost).toBe(changed);
  expect(back).toContain('Output style: the usual one.');
  expect(back).toContain('Answer in English.');
});
