import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGitStore } from '../../src/main/checkpoints/git-store';
import { createOpenMarks } from '../../src/main/checkpoints/open-marks';
import { createProjectCheckpoints } from '../../src/main/checkpoints/project-checkpoints';
import { choosePruned } from '../../src/main/checkpoints/prune-store';
import { createStoreLease } from '../../src/main/checkpoints/store-lease';
import { createTableFile } from '../../src/main/checkpoints/table-file';
import type { ProjectCheckpoints } from '../../src/main/engine/ports-checkpoints';
import type { Result } from '../../src/shared/result';
import { createTestLocks } from '../support/locks';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the choice of checkpoints that go', () => {
  const stored = [
    { id: 'old', at: 1, blobs: ['a', 'shared'] },
    { id: 'middle', at: 2, blobs: ['b', 'shared'] },
    { id: 'new', at: 3, blobs: ['c', 'now'] },
  ];
  const choose = (maxBytes: number, from = 0) =>
    choosePruned(stored, () => 10, new Set(['now']), { maxBytes, from });

  it.each([
    [40, 0, []],
    [39, 0, ['old']],
    [29, 0, ['old', 'middle']],
    [9, 0, ['old', 'middle', 'new']],
    [40, 2, ['old']],
    [40, 9, ['old', 'middle', 'new']],
  ])('with room for %i bytes since %i', (maxBytes, from, gone) => {
    expect(choose(maxBytes, from)).toEqual(gone);
  });

  it('keeps nothing that is older than what has no room', () => {
    const small = [
      { id: 'small', at: 1, blobs: [] },
      { id: 'large', at: 2, blobs: ['a'] },
    ];
    expect(choosePruned(small, () => 10, new Set(), { maxBytes: 5, from: 0 })).toEqual([
      'small',
      'large',
    ]);
  });
});

describe('a store', () => {
  const locks = createTestLocks();
  let base: string;
  let root: string;
  let laterMs: number;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-prune-')));
    root = join(base, 'project');
    mkdirSync(root);
    laterMs = 0;
  });
  afterEach(async () => {
    await locks.release();
    rmSync(base, { recursive: true, force: true });
  });

  const open = () => {
    const folder = join(base, 'store');
    return createProjectCheckpoints({
      root,
      store: createGitStore(folder, process.env['PATH'] ?? ''),
      tableFile: createTableFile(join(folder, 'table')),
      lease: createStoreLease(folder, locks),
      marks: createOpenMarks(join(base, 'marks')),
      caseInsensitive: false,
      now: () => Date.now() + laterMs,
    });
  };
  const got = <T>(result: Result<T>): T => {
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  };
  const change = async (checkpoints: ProjectCheckpoints, id: string, text: string) => {
    const begun = got(await checkpoints.begin('all'));
    writeFileSync(join(root, 'file'), text);
    got(await begun.end(`s/${id}`));
  };
  const KEEP = { days: 30, bytes: 1_000_000 };

  it('loses what is too old and nothing else, whether git or Lathe wrote it', async () => {
    const checkpoints = open();
    writeFileSync(join(root, 'other'), 'as it is');
    for (let at = 0; at < 150; at += 1) writeFileSync(join(root, `many-${at}`), `text ${at}`);
    await change(checkpoints, 'one', 'first');
    await change(checkpoints, 'two', 'second');
    expect(got(await checkpoints.prune(KEEP))).toEqual([]);
    laterMs = 20 * DAY_MS;
    await change(checkpoints, 'three', 'third');
    expect(got(await checkpoints.prune(KEEP))).toEqual([]);
    laterMs = 40 * DAY_MS;
    expect(got(await checkpoints.prune(KEEP)).toSorted()).toEqual(['s/one', 's/two']);
    expect(await checkpoints.load(['s/one'])).toMatchObject({ ok: false, error: { code: 'gone' } });

    const [third] = got(await checkpoints.load(['s/three']));
    const change3 = third?.changes[0];
    expect(change3?.path).toBe('file');
    got(await checkpoints.restore('s/back', [{ path: 'file', state: change3?.before ?? null }]));
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('second');

    // Files that no checkpoint names are kept as they were, for the next one.
    const begun = got(await checkpoints.begin('all'));
    for (const name of ['other', 'many-77']) rmSync(join(root, name));
    const set = got(await begun.end('s/four'));
    const targets = (set?.changes ?? []).map(({ path, before }) => ({ path, state: before }));
    expect(got(await checkpoints.restore('s/again', targets)).failed).toEqual([]);
    expect(readFileSync(join(root, 'other'), 'utf8')).toBe('as it is');
    expect(readFileSync(join(root, 'many-77'), 'utf8')).toBe('text 77');
  });

  it('is not pruned while another process uses it, nor again the same day', async () => {
    const checkpoints = open();
    await change(checkpoints, 'one', 'first');
    got(await checkpoints.prune(KEEP));
    laterMs = 40 * DAY_MS;
    const folder = join(base, 'store');
    const held = await locks.acquire(join(folder, 'lathe-use-1.lock'));
    expect(got(await checkpoints.prune(KEEP))).toEqual([]);
    if (held.ok) await held.value();
    expect(got(await checkpoints.prune(KEEP))).toEqual(['s/one']);
    await change(checkpoints, 'two', 'second');
    expect(got(await checkpoints.prune({ days: 30, bytes: 1_000 }))).toEqual([]);
    await change(checkpoints, 'three', 'x'.repeat(2_000));
    const little = { days: 30, bytes: 3 };
    expect(got(await checkpoints.prune(little))).not.toEqual([]);
  });
});
