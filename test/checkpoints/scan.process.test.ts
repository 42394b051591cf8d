import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  absolute,
  type FileTable,
  newScanMemory,
  type ScanMemory,
  type ScanResult,
  scanProject,
  signatureOf,
  stateOf,
} from '../../src/main/checkpoints/scan';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-scan-')));
  root = join(base, 'project');
  mkdirSync(root);
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Scans as if everything were long ago, so that the times of folders are believed. */
const scan = (table: FileTable, memory: ScanMemory) =>
  scanProject(root, table, memory, {
    maxPaths: 10_000,
    sliceMs: 5,
    now: () => Date.now() + 60_000,
  });

/** Brings a table up to date. */
const apply = (found: ScanResult, table: FileTable) => {
  for (const [path, stats] of found.touched) {
    table.set(path, {
      state: stateOf(absolute(root, path), stats, 'content'),
      signature: signatureOf(stats),
    });
  }
  for (const path of [...found.gone, ...found.uncovered]) table.delete(path);
};

const listed = ({ touched, gone, uncovered }: ScanResult) => ({
  touched: [...touched.keys()].toSorted(),
  gone: [...gone].toSorted(),
  uncovered: [...uncovered].toSorted(),
});

/** Returns when the clock of the disk has moved on, so that what follows has another time. */
const passTick = () => {
  const probe = join(base, 'probe');
  const time = () => {
    writeFileSync(probe, '');
    return statSync(probe).mtimeMs;
  };
  for (const from = time(); time() === from; );
};

/** Returns numbers from 0 to `below`, always the same for one seed. */
const numbers = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const NAMES = ['a', 'b', 'c.log', 'd', 'E', 'e', '.gitignore', '.git'];
const RULES = ['*.log\n', 'd/\n', '/a\n!c.log\n', ''];

/** Does something to a random path; what cannot be done there is left out. */
const mutate = (next: (below: number) => number) => {
  const path = () => {
    const parts = Array.from({ length: 1 + next(3) }, () => NAMES[next(NAMES.length)] ?? 'a');
    return join(root, ...parts);
  };
  const place = path();
  try {
    mkdirSync(dirname(place), { recursive: true });
    switch (next(9)) {
      case 0:
        return mkdirSync(place);
      case 1:
        return rmSync(place, { recursive: true });
      case 2:
        return renameSync(place, path());
      case 3:
        return chmodSync(place, next(2) === 0 ? 0o755 : 0o700);
      case 4:
        return symlinkSync('nowhere', place);
      case 5:
        return utimesSync(place, 1, 1);
      case 6:
        return writeFileSync(join(dirname(place), '.gitignore'), RULES[next(RULES.length)] ?? '');
      default:
        return writeFileSync(place, 'x'.repeat(next(5)));
    }
  } catch {
    // It is a folder, or is not there.
  }
};

it.each([1, 2, 3, 4, 5, 6])(
  'finds the same with what it remembers as without, whatever happened (seed %i)',
  async (seed) => {
    const next = numbers(seed);
    const memory = newScanMemory(false);
    const table: FileTable = new Map();
    let found = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      for (let count = next(4); count > 0; count -= 1) mutate(next);
      passTick();
      const fresh = await scan(table, newScanMemory(false));
      const remembered = await scan(table, memory);
      expect(listed(remembered), `turn ${turn}`).toEqual(listed(fresh));
      apply(remembered, table);
      found += remembered.touched.size;
      passTick();
    }
    expect(found).toBeGreaterThan(30);
    expect(memory.listings.size).toBeGreaterThan(0);
  },
);

it('reads a folder again that changed in the tick in which it was read', async () => {
  const memory = newScanMemory(false);
  const table: FileTable = new Map();
  mkdirSync(join(root, 'new'));
  // However long ago that was for a machine in use.
  const { mtimeMs } = statSync(join(root, 'new'));
  const now = () => mtimeMs + 1;
  await scanProject(root, table, memory, { maxPaths: 10, sliceMs: 5, now });
  expect([...memory.listings.keys()]).toEqual([]);
});

it.each([
  [false, ['.gitignore', 'Lib', 'Lib/a', 'X.LOG']],
  [true, ['.gitignore']],
])('takes names of another case for ignored where the system does (%s)', async (same, covered) => {
  writeFileSync(join(root, '.gitignore'), '*.log\nlib/\n');
  for (const folder of ['lib', 'Lib']) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'a'), 'a');
  }
  writeFileSync(join(root, 'x.log'), 'x');
  writeFileSync(join(root, 'X.LOG'), 'x');
  expect(listed(await scan(new Map(), newScanMemory(same))).touched).toEqual(covered);
});

it('takes a line of rules that is no pattern for none, and holds to the others', async () => {
  writeFileSync(join(root, '.gitignore'), `*.log\n${'q/+'.repeat(100_000)}\nd/\n`);
  for (const name of ['a', 'b.log']) writeFileSync(join(root, name), name);
  mkdirSync(join(root, 'd'));
  const found = await scan(new Map(), newScanMemory(false));
  expect(listed(found).touched).toEqual(['.gitignore', 'a']);
});
