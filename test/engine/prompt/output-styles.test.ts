import { describe, expect, it } from 'vitest';
import { BUILT_IN_STYLES } from '../../../src/main/engine/prompt/built-in-styles';
import {
  chooseStyle,
  readFrontmatter,
  styleOf,
} from '../../../src/main/engine/prompt/output-styles';
import { memoryDisk } from './memory-disk';

describe('readFrontmatter', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['none', 'just text', {}, 'just text'],
    [
      'plain',
      '---\nname: A b\ndescription: c\n---\nbody\n',
      { name: 'A b', description: 'c' },
      'body',
    ],
    ['quotes', '---\nname: "A: b" # why\nx: \'y\'\n---\n', { name: 'A: b', x: 'y' }, ''],
    ['comments', '---\nname: a # c\n---\nb', { name: 'a' }, 'b'],
    ['Windows line ends', '\uFEFF---\r\nName: a\r\n---\r\nb', { name: 'a' }, 'b'],
    ['never closed', '---\nname: a\nbody', {}, '---\nname: a\nbody'],
    ['a rule further down', 'text\n---\nname: a\n---\n', {}, 'text\n---\nname: a\n---'],
    ['nested values are left out', '---\ntools:\n  - a\nname: b\n---\n', { name: 'b' }, ''],
    ['prototype names', '---\n__proto__: a\nconstructor: b\n---\n', { constructor: 'b' }, ''],
    ['empty', '---\n---\nbody', {}, 'body'],
  ])('%s', (_name, text, fields, body) => {
    const read = readFrontmatter(text);
    expect(Object.fromEntries(read.fields)).toEqual(fields);
    expect(read.body).toBe(body);
  });
});

it('comes with five styles of its own, all in few words', () => {
  expect(BUILT_IN_STYLES.map((style) => style.name)).toEqual([
    'Default',
    'Proactive',
    'Concise',
    'Explanatory',
    'Learning',
  ]);
  for (const style of BUILT_IN_STYLES) expect(style.text.length).toBeLessThan(1000);
});

it.each([
  ['---\nname: Pirate\ndescription: arr\nkeep-coding-instructions: true\n---\nSay arr.', true],
  ['---\nname: Pirate\ndescription: arr\n---\nSay arr.', false],
])('reads a file %#', (text, keepsCoding) => {
  expect(styleOf('/x/other.md', text)).toEqual({
    name: 'Pirate',
    description: 'arr',
    text: 'Say arr.',
    keepsCoding,
  });
});

describe('choosing a style', () => {
  const files = memoryDisk({
    '/p/.claude/output-styles/pirate.md': '---\nname: Pirate\n---\nthe project',
    '/p/.claude/output-styles/concise.md': 'the project is concise',
    '/u/output-styles/pirate.md': '---\nname: Pirate\n---\nthe person',
    '/u/output-styles/poet.md': 'rhymes',
    '/u/output-styles/notes.txt': 'no style',
  });
  const choose = (wish: string | undefined, includeProject = true) =>
    chooseStyle(files, { project: '/p', userFolder: '/u', includeProject }, wish);

  it.each<[string | undefined, boolean, string]>([
    [undefined, true, ''],
    ['default', true, ''],
    ['Pirate', true, 'the project'],
    ['pirate ', true, 'the project'],
    ['Pirate', false, 'the person'],
    ['poet', true, 'rhymes'],
    ['concise', true, 'the project is concise'],
  ])('%s, project trusted: %s', async (wish, trusted, text) => {
    const { style, problem } = await choose(wish, trusted);
    expect(style.text).toBe(text);
    expect(problem).toBeNull();
  });

  it('says which there are when there is none of that name', async () => {
    const { style, problem } = await choose('notes', false);
    expect(style.name).toBe('Default');
    expect(problem).toBe(
      'There is no output style "notes"; the usual one is used. There are: Pirate, poet, Default, Proactive, Concise, Explanatory, Learning.',
    );
  });
});
