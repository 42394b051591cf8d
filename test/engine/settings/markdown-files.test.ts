import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFiles } from '../../../src/main/engine/settings/markdown-files';
import { fileFault } from '../../../src/main/node/file-fault';
import { createNodeFiles } from '../../../src/main/node/files';
import { err } from '../../../src/shared/result';

const files = createNodeFiles();
const SKILLS = {
  within: null,
  picks: (name: string) => /[\\/]SKILL\.md$/.test(name),
  endsAt: 'SKILL.md',
};
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'found-'));
  for (const skill of ['one', 'two']) {
    mkdirSync(join(root, skill));
    writeFileSync(join(root, skill, 'SKILL.md'), skill);
  }
});
afterEach(() => rmSync(root, { recursive: true }));

/** Refuses to list a folder, as the system does for a user who may not read it. */
const refusing = (folder: string) => ({
  ...files,
  list: async (path: string) =>
    path === folder
      ? err(fileFault(path, Object.assign(new Error(), { code: 'EACCES' })))
      : files.list(path),
});

test.each([[''], ['two']])('a folder that cannot be read is told: "%s"', async (below) => {
  const folder = join(root, below);
  const { files: found, problems } = await findFiles(refusing(folder), root, SKILLS);
  expect(found.map(({ name }) => name)).toEqual(below === '' ? [] : ['one/SKILL.md']);
  expect(problems).toMatchObject([
    { file: folder, message: expect.stringContaining(`No permission to use ${folder}`) },
  ]);
});

test('one that is not there is not told', async () => {
  expect(await findFiles(files, join(root, 'absent'), SKILLS)).toEqual({ files: [], problems: [] });
});

test('a folder in the place of the file of a skill is told', async () => {
  rmSync(join(root, 'two', 'SKILL.md'));
  mkdirSync(join(root, 'two', 'SKILL.md'));
  const { files: found, problems } = await findFiles(files, root, SKILLS);
  expect(found.map(({ name }) => name)).toEqual(['one/SKILL.md']);
  expect(problems).toMatchObject([
    {
      file: join(root, 'two', 'SKILL.md'),
      message: expect.stringContaining('it is a folder, not a file'),
    },
  ]);
});

test('a file of another ending that is meant as Markdown is told; others are not', async () => {
  for (const name of ['a.md', 'B.MD', 'c.markdown', 'd.md.txt', 'e.txt', 'README', 'f.cmd'])
    writeFileSync(join(root, 'one', name), name);
  const picks = (name: string) => name.endsWith('.md');
  const { files: found, problems } = await findFiles(files, join(root, 'one'), {
    ...{ within: null, picks },
  });
  expect(found.map(({ name }) => name)).toEqual(['SKILL.md', 'a.md']);
  expect(problems.map(({ file, message }) => [file, message])).toEqual(
    ['B.MD', 'c.markdown', 'd.md.txt'].map((name) => [
      join(root, 'one', name),
      expect.stringContaining('left out: its name has to end in .md'),
    ]),
  );
  expect((await findFiles(files, root, SKILLS)).problems).toEqual([]);
});
