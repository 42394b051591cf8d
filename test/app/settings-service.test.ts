import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKeysFile } from '../../src/main/app/settings-service';
import { createNodeFiles } from '../../src/main/node/files';
import { tempFolder } from '../node/temp-folder';

test.each<[string, (file: string) => Promise<void>, string | null]>([
  ['none', async () => {}, null],
  ['an empty one', (file) => writeFile(file, ''), 'the file is empty, so it sets no keys'],
  ['a blank one', (file) => writeFile(file, '\uFEFF \n'), 'the file is empty, so it sets no keys'],
  [
    'a link to nothing',
    (file) => symlink(`${file}.gone`, file),
    'it could not be read: it is a link to nothing',
  ],
  ['one without keys', (file) => writeFile(file, '{"bindings": []}'), null],
])('keybindings.json that sets nothing is told: %s', async (_, make, words) => {
  const folder = await tempFolder();
  const file = join(folder, 'keybindings.json');
  await make(file);
  const { problems } = await readKeysFile(createNodeFiles(), folder);
  expect(problems).toMatchObject(words === null ? [] : [{ file, message: words }]);
});
