import { expect, test } from 'vitest';
import { contentsOf } from '../../../src/renderer/palette/contents';
import type { Item } from '../../../src/shared/transcript';

const prompt = (id: string, text: string): Item => ({ kind: 'prompt', id, text, at: 0 });
const answer = (id: string, text: string): Item => ({ kind: 'text', id, text, done: true });
const shown = (items: readonly Item[]) =>
  contentsOf(items).map(({ itemId, text, depth }) => `${itemId} ${depth} ${text}`);

test('prompts, headings and summaries, oldest first', () => {
  const items = [
    prompt('p1', '  Fix the login\n'),
    answer('a1', '# Cause\nThe cookie.\n\n### What I changed ##\n#hashtag\n#### too deep'),
    prompt('p2', 'And now?'),
    answer('a2', 'No heading.'),
  ];
  expect(shown(items)).toEqual([
    'p1 0 Fix the login',
    'a1 1 Cause',
    'a1 3 What I changed',
    'p2 0 And now?',
  ]);
});

test('what looks like a heading in a code block is none', () => {
  const text = 'Before\n```sh\n# a comment\n~~~\n# another\n```\n## After\n~~~\n# inside\n';
  expect(shown([answer('a', text)])).toEqual(['a 2 After']);
});
