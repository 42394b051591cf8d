import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { readMemoryRules } from '../../../src/main/engine/prompt/memory-rules';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

it('what is wrong with rules is told in the order of their names, whichever was read first', async () => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'rules'));
  for (const name of ['a.md', 'b.md'])
    await writeFile(join(folder, 'rules', name), '---\npaths: 5\n---\nText.');
  const files = createNodeFiles();
  const second = Promise.withResolvers<void>();
  const slow: typeof files = {
    ...files,
    read: async (path, most) => {
      if (path.endsWith('a.md')) await second.promise;
      const found = await files.read(path, most);
      // Whoever waits for it goes on after it has been taken in.
      if (path.endsWith('b.md')) setImmediate(second.resolve);
      return found;
    },
  };
  const { rules, problems } = await readMemoryRules(slow, folder, folder);
  const namesOf = (all: readonly { readonly path: string }[]) =>
    all.map(({ path }) => path.slice(-4));
  expect(namesOf(rules)).toEqual(['a.md', 'b.md']);
  expect(namesOf(problems.map(({ file }) => ({ path: file })))).toEqual(['a.md', 'b.md']);
});

test.each<[string, string, string | null]>([
  [
    'a mistyped name',
    '---\nauthor: me\npathz: "src/**"\n---\nText.',
    'line 3: pathz: there is no such field (did you mean "paths"?); it holds for all work.',
  ],
  [
    'a name of other programs',
    '---\nglobs: "*.ts"\n---\nText.',
    'line 2: globs: there is no such field (did you mean "paths"?); it holds for all work.',
  ],
  ['the name of one path', '---\npath: a.ts\n---\nText.', 'line 2: path: there is no such field'],
  [
    'the name in quotes',
    '---\n"paths": a.ts\n---\nText.',
    'line 2: paths: this is no name of a field; it holds for all work.',
  ],
  [
    'a name of no field',
    '---\n__proto__: x\n---\nText.',
    'line 2: __proto__: this is no name of a field.',
  ],
  [
    'a second name',
    '---\npaths: a.ts\npath: b.ts\n---\nText.',
    'line 3: path: there is no such field (did you mean "paths"?).',
  ],
  [
    'an empty text',
    '---\npaths: ""\n---\nText.',
    'line 2: paths: globs are expected; it holds for all work.',
  ],
  [
    'nothing',
    '---\npaths:\n---\nText.',
    'line 2: paths: globs are expected; it holds for all work.',
  ],
  [
    'an empty list',
    '---\npaths: []\n---\nText.',
    'line 2: paths: globs are expected; it holds for all work.',
  ],
  [
    'commas',
    '---\npaths: " , "\n---\nText.',
    'line 2: paths: globs are expected; it holds for all work.',
  ],
  ['globs', '---\npaths: "src/**, *.css"\n---\nText.', null],
  ['a list of globs', '---\npaths:\n  - src/**\n---\nText.', null],
  ['what is for people', '---\nname: x\ndescription: y\ntags: [a]\n---\nText.', null],
  ['no fields', 'Text.', null],
])('fields of a rule that mean nothing are told with their line: %s', async (_, text, words) => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'rules'));
  const file = join(folder, 'rules', 'a.md');
  await writeFile(file, text);
  const { rules, problems } = await readMemoryRules(createNodeFiles(), folder, folder);
  expect(rules).toHaveLength(1);
  expect(problems.map(({ message }) => message)).toEqual(
    words === null ? [] : [expect.stringContaining(`${file}, ${words}`)],
  );
});
