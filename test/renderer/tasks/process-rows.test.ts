import { expect, test } from 'vitest';
import { rowsOf, totalsOf } from '../../../src/renderer/tasks/process-rows';
import type { ProcessFacts } from '../../../src/shared/terminal';

const one = (pid: number, ppid: number, over: Partial<ProcessFacts> = {}): ProcessFacts => ({
  ...{ pid, ppid, startTime: `${pid}`, name: '', command: '', startedAt: null },
  ...{ cpu: null, memory: null, ports: [] },
  ...over,
});
const shape = (processes: readonly ProcessFacts[]) =>
  rowsOf(processes).map(({ process, depth }) => [process.pid, depth]);

test.each([
  ['nothing', [], []],
  [
    'a chain',
    [one(3, 2), one(1, 99), one(2, 1)],
    [
      [1, 0],
      [2, 1],
      [3, 2],
    ],
  ],
  [
    'children in order',
    [one(1, 99), one(9, 1), one(4, 1), one(5, 4)],
    [
      [1, 0],
      [4, 1],
      [5, 2],
      [9, 1],
    ],
  ],
  [
    'those whose parent has ended',
    [one(7, 1), one(8, 1)],
    [
      [7, 0],
      [8, 0],
    ],
  ],
])('%s: each below its parent', (_what, processes, rows) => {
  expect(shape(processes)).toEqual(rows);
});

test('what nobody knows is no number', () => {
  expect(totalsOf([one(1, 0)])).toEqual({ cpu: null, memory: null });
  expect(totalsOf([one(1, 0, { cpu: 0.5, memory: 10 }), one(2, 1, { cpu: 1 }), one(3, 1)])).toEqual(
    {
      ...{ cpu: 1.5, memory: 10 },
    },
  );
});
