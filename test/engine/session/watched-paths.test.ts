import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWatchedPaths } from '../../../src/main/engine/session/watched-paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { tempFolder } from '../../node/temp-folder';

it('tells each change once, and of very many files watches the newest', async () => {
  const folder = await tempFolder();
  const at = (name: string | number) => join(folder, String(name));
  await writeFile(at('a'), 'one');
  const told: string[] = [];
  const watched = createWatchedPaths(createNodeFiles(), (path, change) =>
    told.push(`${path} ${change}`),
  );
  watched.add([at('a'), at('b')]);
  await watched.look();
  expect(told).toEqual([]);
  await writeFile(at('b'), 'new');
  await writeFile(at('a'), 'longer');
  await Promise.all([watched.look(), watched.look()]);
  expect(told.sort()).toEqual([`${at('a')} change`, `${at('b')} add`]);
  watched.add(Array.from({ length: 300 }, (_, n) => at(n)));
  await watched.look();
  expect(watched.has(at(299))).toBe(true);
  expect(watched.has(at('a'))).toBe(false);
  expect(told).toHaveLength(2);
});
