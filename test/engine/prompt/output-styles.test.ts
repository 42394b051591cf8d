import { describe, expect, it } from 'vitest';
import { BUILT_IN_STYLES } from '../../../src/main/engine/prompt/built-in-styles';
import { chooseStyle, readStyle, styleNames } from '../../../src/main/engine/prompt/output-styles';
import { memoryDisk } from './memory-disk';

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
  ['\uFEFF---\r\nName: "Pirate" # who\r\ndescription: arr # c\r\n---\r\nSay arr.', false],
])('reads a file %#', async (text, keepsCoding) => {
  const style = { name: 'Pirate', description: 'arr', text: 'Say arr.', keepsCoding };
  expect(await readStyle('/x/other.md', text)).toEqual({ style, isForced: false, problem: null });
});

describe('choosing a style', () => {
  const files = memoryDisk({
    '/p/.claude/output-styles/pirate.md': '---\nname: Pirate\n---\nthe project',
    '/p/.claude/output-styles/concise.md': 'the project is concise',
    '/u/output-styles/pirate.md': '---\nname: Pirate\n---\nthe user',
    '/u/output-styles/poet.md': 'rhymes',
    '/u/output-styles/torn.md': '---\nname: Tearer\nTear it.',
    '/u/output-styles/notes.txt': 'no style',
  });
  const choose = (wish: string | undefined, includeProject = true) =>
    chooseStyle(files, { project: '/p', userFolder: '/u', includeProject }, wish);

  it.each<[string | undefined, boolean, string]>([
    [undefined, true, ''],
    ['default', true, ''],
    ['Pirate', true, 'the project'],
    ['pirate ', true, 'the project'],
    ['Pirate', false, 'the user'],
    ['poet', true, 'rhymes'],
    ['concise', true, 'the project is concise'],
  ])('%s, project trusted: %s', async (wish, trusted, text) => {
    const { style, problem } = await choose(wish, trusted);
    expect(style.text).toBe(text);
    expect(problem).toBeNull();
  });

  it('says that the file of a style cannot be read, and offers it no more', async () => {
    const large = memoryDisk({
      '/u/output-styles/novel.md': 'x'.repeat(70_000),
      '/u/output-styles/poet.md': `---\nname: "${'verse '.repeat(200)}"\n---\nrhymes`,
    });
    const places = { project: '/p', userFolder: '/u', includeProject: true };
    const { style, problem } = await chooseStyle(large, places, 'novel');
    expect(style.text).toBe('');
    expect(problem).toMatch(/novel\.md is not used as an output style.*novel\.md is too large/);
    expect(await styleNames(large, places)).not.toContain('novel');
    const missing = (await chooseStyle(large, places, 'nope')).problem ?? '';
    expect(missing).toContain('There is no output style "nope"');
    expect(missing.length).toBeLessThan(1_000);
  });

  it('says what cannot be read of a style, also of one whose name that is', async () => {
    const why = '/u/output-styles/torn.md, line 1: the line --- that ends';
    const torn = await choose('torn');
    expect(torn.style.text).toContain('Tear it.');
    expect(torn.problem).toContain(why);
    expect((await choose('Tearer')).problem).toContain('There is no output style "Tearer"');
    expect((await choose('Tearer')).problem).toContain(why);
  });

  it.each([
    ['keep-coding-instruction: true', '(did you mean "keep-coding-instructions"?)'],
    ['keep-coding-instructions: maybe', 'true or false is expected'],
    ['author: me', null],
  ])(
    'says with the style which of its fields are not used as written: %s',
    async (field, words) => {
      const disk = memoryDisk({ '/u/output-styles/poet.md': `---\n${field}\n---\nrhymes` });
      const places = { project: '/p', userFolder: '/u', includeProject: true };
      const { style, problem } = await chooseStyle(disk, places, 'poet');
      expect(style.text).toBe('rhymes');
      if (words === null) expect(problem).toBeNull();
      else {
        expect(problem).toContain(`/u/output-styles/poet.md, line 2: ${field.split(':')[0]}: `);
        expect(problem).toContain(words);
      }
      const other = (await chooseStyle(disk, places, 'nope')).problem;
      expect(other).not.toContain('poet.md');
    },
  );

  it('says which there are when there is none of that name', async () => {
    const { style, problem } = await choose('notes', false);
    expect(style.name).toBe('Default');
    expect(problem).toContain(
      'There is no output style "notes"; the usual one is used. There are: Pirate, poet, torn, Default, Proactive, Concise, Explanatory, Learning.',
    );
  });
});
