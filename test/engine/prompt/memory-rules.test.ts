import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
