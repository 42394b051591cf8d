import { expect, test } from 'vitest';
import { pasteExcerpts } from '../../../src/renderer/terminal/paste-excerpts';

const HIDDEN = 'rm\u200b -rf';
const LONG = 'echo harmless\n'.repeat(400);

test('a short paste is shown whole, a long one from its beginning', () => {
  expect(pasteExcerpts(`ls\n${HIDDEN}`)).toEqual([`ls\n${HIDDEN}`]);
  expect(pasteExcerpts(LONG)).toEqual([LONG.slice(0, 2000), '']);
});

test('each place in which something does not show is shown, however far down it is', () => {
  const [start, one, other, rest] = pasteExcerpts(`${LONG}${HIDDEN}\n${LONG}${HIDDEN}\n${LONG}`);
  expect(start).toBe(LONG.slice(0, 2000));
  for (const part of [one, other]) expect(part).toContain(`harmless\n${HIDDEN}\necho`);
  expect(rest).toBe('');
  expect(pasteExcerpts(LONG + HIDDEN).at(-1)).toMatch(/-rf$/);
  expect(pasteExcerpts(`${'a'.repeat(2000)}${HIDDEN} end`)).toEqual([
    `${'a'.repeat(2000)}${HIDDEN} end`,
  ]);
});

test('a paste full of them is shown in part', () => {
  const parts = pasteExcerpts(`${LONG}${HIDDEN}`.repeat(100));
  expect(parts).toHaveLength(22);
  expect(parts.at(-1)).toBe('');
});
