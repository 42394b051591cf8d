import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGitStore } from '../../src/main/checkpoints/git-store';
import { createOpenMarks } from '../../src/main/checkpoints/open-marks';
import { createProjectCheckpoints } from '../../src/main/checkpoints/project-checkpoints';
import { createStoreLease } from '../../src/main/checkpoints/store-lease';
import { createTableFile } from '../../src/main/checkpoints/table-file';
import type { OpenCheckpoint } from '../../src/main/engine/ports-checkpoints';
import type { Result } from '../../src/shared/result';
import { createTestLocks } from '../support/locks';

let base: string;
let root: string;
/** So much later than it is. */
let laterMs = 0;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-limits-')));
  root = join(base, 'project');
  mkdirSync(root);
  laterMs = 0;
});
afterEach(async () => {
  await locks.release();
  rmSync(base, { recursive: true, force: true });
});

const locks = createTestLocks();
const LIMITS = { maxFileBytes: 1000, maxNewBytes: 1_000_000, maxPaths: 20 };

const open = (path = process.env['PATH'] ?? '') =>
  createProjectCheckpoints({
    root,
    store: createGitStore(join(base, 'store'), path),
    tableFile: createTableFile(join(base, 'store', 'table')),
    lease: createStoreLease(join(base, 'store'), locks),
    marks: createOpenMarks(join(base, 'marks')),
    limits: LIMITS,
    caseInsensitive: false,
    now: () => Date.now() + laterMs,
  });

const write = (name: string, text: string) => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
};

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

const changed = async (checkpoint: OpenCheckpoint, id: string) => {
  const set = got(await checkpoint.end(`s/${id}`));
  return set && { paths: set.changes.map(({ path }) => path), uncertain: set.uncertain };
};

it('leaves out what is ignored, except a file that a call names, and takes nothing for new that rules no longer leave out', async () => {
  const checkpoints = open();
  write('.gitignore', 'out/\n*.log\n!keep.log\n');
  write('sub/.gitignore', '!*.log\n');
  write('data.log', 'mine');
  const first = got(await checkpoints.begin('all'));
  for (const name of ['out/x', 'a.log', 'keep.log', 'sub/b.log']) write(name, '1');
  expect(await changed(first, 'one')).toEqual({
    paths: ['keep.log', 'sub/b.log'],
    uncertain: false,
  });
  const named = got(await checkpoints.begin([join(root, 'out/x')]));
  write('out/x', '2');
  expect((await changed(named, 'two'))?.paths).toEqual(['out/x']);
  const later = got(await checkpoints.begin('all'));
  write('out/x', '3');
  expect((await changed(later, 'three'))?.paths).toEqual(['out/x']);
  laterMs = 1_000;
  const rules = got(await checkpoints.begin('all'));
  write('.gitignore', '');
  expect((await changed(rules, 'four'))?.paths).toEqual(['.gitignore']);
});

it('sees a file change that is too large to be kept', async () => {
  const checkpoints = open();
  write('large', 'x'.repeat(2000));
  const first = got(await checkpoints.begin('all'));
  expect(await changed(first, 'one')).toBeNull();
  const second = got(await checkpoints.begin('all'));
  write('large', 'y'.repeat(2000));
  const set = got(await second.end('s/two'));
  expect(set?.changes).toMatchObject([{ path: 'large', before: { blob: null } }]);
});

it('says that a project is too large, and still keeps what an edit names', async () => {
  for (let at = 0; at < 30; at += 1) write(`f${at}`, '1');
  const checkpoints = open();
  const refused = { ok: false, error: { code: 'too_many_files' } };
  expect(await checkpoints.begin('all')).toMatchObject(refused);
  const edit = got(await checkpoints.begin([join(root, 'f1')]));
  write('f1', '2');
  expect((await changed(edit, 'one'))?.paths).toEqual(['f1']);
});

it('says that there is no git', async () => {
  const refused = { ok: false, error: { code: 'no_git' } };
  expect(await open(join(base, 'nothing')).begin('all')).toMatchObject(refused);
});

it('is not sure of what two commands did at once, and sure beside one in the background', async () => {
  const checkpoints = open();
  const background = got(await checkpoints.begin('all', true));
  const alone = got(await checkpoints.begin('all'));
  write('a', '1');
  expect(await changed(alone, 'one')).toEqual({ paths: ['a'], uncertain: false });
  const [left, right] = [got(await checkpoints.begin('all')), got(await checkpoints.begin('all'))];
  write('b', '1');
  expect(await changed(left, 'two')).toEqual({ paths: ['b'], uncertain: true });
  expect(await changed(right, 'three')).toBeNull();
  write('c', '1');
  expect(await changed(background, 'four')).toEqual({ paths: ['c'], uncertain: true });
});
