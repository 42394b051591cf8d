import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeLeftDrafts } from '../../src/main/node/left-drafts';
import { memoryClock } from '../support/memory-clock';
import { tempFolder } from './temp-folder';

const MINUTE_MS = 60_000;
const NOW = 1_800_000_000_000;
const clock = memoryClock(NOW);

/** A number that no system gives to a process: its writer is not seen here. */
const UNSEEN = 2_147_483_647;
const draft = (number: number) => `.lathe-${UNSEEN}-${String(number).padStart(18, '0')}.tmp`;

/** Sets the time at which a file or a folder was last written. */
async function age(path: string, minutes: number): Promise<void> {
  const written = (NOW - minutes * MINUTE_MS) / 1000;
  await utimes(path, written, written);
}

it('leaves a new draft alone, whose writer may be alive on another machine, and removes an old one', async () => {
  const folder = await tempFolder();
  const names = [draft(1), draft(2), draft(3)];
  for (const [index, minutes] of [60, 9, -60].entries()) {
    const path = join(folder, names[index] ?? '');
    await writeFile(path, '{"half');
    await age(path, minutes);
  }
  const told = await removeLeftDrafts([folder], clock);
  expect((await readdir(folder)).toSorted()).toEqual(names.slice(1).toSorted());
  expect(told).toMatchObject([{ file: folder, level: 'warning' }]);
  expect(told[0]?.message).toContain("it never took a file's place");
});

it('says nothing where it removed nothing: a folder of such a name stays', async () => {
  const folder = await tempFolder();
  const path = join(folder, draft(1));
  await mkdir(path);
  await age(path, 60);
  expect(await removeLeftDrafts([folder, join(folder, 'missing')], clock)).toEqual([]);
  expect(await readdir(folder)).toHaveLength(1);
});
