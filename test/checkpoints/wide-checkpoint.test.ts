import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Known, signatureOf } from '../../src/main/checkpoints/scan';
import { olderThan } from '../../src/main/checkpoints/wide-checkpoint';

const OPENED = 1_000_000;
const stats = (ino: number, changedAt: number) =>
  Object.assign(statSync('.'), { ino, ctimeMs: changedAt, mtimeMs: changedAt });
const known = (ino: number): Known => ({
  state: { kind: 'file', mode: 0o644, size: 1, blob: 'a' },
  signature: signatureOf(stats(ino, 1)),
});

it('takes for older what rules newly cover, and not what was made or moved since', () => {
  const found = {
    touched: new Map([
      ['was-ignored', stats(1, 10)],
      ['made', stats(2, OPENED + 5)],
      ['new/moved', stats(3, 10)],
      ['changed', stats(4, 10)],
    ]),
    gone: new Set(['old/moved', 'removed']),
    uncovered: new Set<string>(),
    rulesChanged: true,
  };
  const table = new Map([
    ['old/moved', known(3)],
    ['removed', known(9)],
    ['changed', known(4)],
  ]);
  const older = olderThan(found, OPENED, table);
  expect([...older.touched.keys()]).toEqual(['was-ignored']);
  expect([...found.touched.keys()]).toEqual(['made', 'new/moved', 'changed']);
});
