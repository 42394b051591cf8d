import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PermissionGate } from '../../../src/main/engine/tools/middleware/permission-gate';
import {
  inConflict,
  NO_ACCESS,
  READS_EVERYTHING,
  type ResourceAccess,
  reading,
  writing,
} from '../../../src/main/engine/tools/resource-access';
import { runs } from '../../support/runs';
import { type PlayedCall, playResponse, type Ran } from '../../support/schedule';

const call = (
  id: string,
  access: ResourceAccess,
  takes: number,
  rest: Partial<PlayedCall> = {},
): PlayedCall => ({
  id,
  access,
  takes,
  ...rest,
});
const many = (count: number, make: (i: number) => PlayedCall) =>
  Array.from({ length: count }, (_, i) => make(i));
const times = (ran: Readonly<Record<string, Ran>>) =>
  Object.fromEntries(Object.entries(ran).map(([id, { from, to }]) => [id, [from, to]]));

describe('the schedule of a response, on a virtual clock', () => {
  test('8 reads run in parallel: they take as long as one', async () => {
    const ran = await playResponse(many(8, (i) => call(`r${i}`, reading(`/p/${i}`), 10)));
    expect(Object.values(times(ran))).toEqual(Array(8).fill([0, 10]));
  });

  test('of 7 calls of a tool 3 run together, and others run beside them', async () => {
    const tool = { name: 'Fetch', maxTogether: 3 };
    const fetches = many(7, (i) => call(`f${i}`, NO_ACCESS, 10, { tool }));
    const reads = many(6, (i) => call(`r${i}`, reading('/p'), 10));
    const ran = await playResponse([...fetches, ...reads]);
    expect(fetches.map(({ id }) => ran[id]?.from)).toEqual([0, 0, 0, 10, 10, 10, 20]);
    expect(reads.map(({ id }) => ran[id]?.from)).toEqual(Array(6).fill(0));
  });

  test('of 12 reads 10 run together, and the others as soon as there is a place', async () => {
    const ran = await playResponse(many(12, (i) => call(`r${i}`, reading('/p'), i === 3 ? 4 : 10)));
    expect([ran['r9']?.from, ran['r10']?.from, ran['r11']?.from]).toEqual([0, 4, 10]);
  });

  test('edits of 4 files run in parallel', async () => {
    const ran = await playResponse(many(4, (i) => call(`e${i}`, writing(`/p/${i}`), 10)));
    expect(Object.values(times(ran))).toEqual(Array(4).fill([0, 10]));
  });

  test('3 edits of one file run in the order asked, and hold nothing else up', async () => {
    const ran = await playResponse([
      call('one', writing('/p/a'), 5),
      call('two', writing('/p/a'), 3),
      call('other', writing('/p/b'), 2),
      call('three', writing('/p/a'), 4),
    ]);
    expect(times(ran)).toEqual({ one: [0, 5], two: [5, 8], three: [8, 12], other: [0, 2] });
  });

  test('a read after a write of its file waits, a search over the folder too', async () => {
    const ran = await playResponse([
      call('edit', writing('/p/src/a'), 5),
      call('read', reading('/p/src/a'), 1),
      call('search', reading('/p/src'), 1),
      call('elsewhere', reading('/p/docs'), 1),
      call('next edit', writing('/p/src/b'), 1),
    ]);
    expect(times(ran)).toEqual({
      edit: [0, 5],
      read: [5, 6],
      search: [5, 6],
      elsewhere: [0, 1],
      'next edit': [6, 7],
    });
  });

  test('a command is a barrier; one that only reads is not', async () => {
    const ran = await playResponse([
      call('a', reading('/p/a'), 5),
      call('build', 'alone', 5, { command: true }),
      call('b', reading('/p/b'), 5),
      call('ls', READS_EVERYTHING, 5, { command: true }),
      call('git log', READS_EVERYTHING, 5, { command: true }),
      call('edit', writing('/p/a'), 5),
    ]);
    expect(times(ran)).toEqual({
      a: [0, 5],
      build: [5, 10],
      b: [10, 15],
      ls: [10, 15],
      'git log': [10, 15],
      edit: [15, 20],
    });
  });

  test('calls start as they arrive, while the answer still streams', async () => {
    const ran = await playResponse([
      call('first', writing('/p/a'), 10),
      call('second', writing('/p/b'), 10, { arrives: 3 }),
      call('third', writing('/p/a'), 10, { arrives: 4 }),
      call('late', NO_ACCESS, 1, { arrives: 30 }),
    ]);
    expect(times(ran)).toEqual({
      first: [0, 10],
      second: [3, 13],
      third: [10, 20],
      late: [30, 31],
    });
  });

  test('a failed command cancels what waits for it, also what arrives later, and nothing that runs', async () => {
    const ran = await playResponse([
      call('before', writing('/p/b'), 9),
      call('ls', READS_EVERYTHING, 3, { command: true, fails: true, arrives: 9 }),
      call('beside', reading('/p/c'), 20, { arrives: 9 }),
      call('edit', writing('/p/a'), 5, { arrives: 9 }),
      call('same file', reading('/p/a'), 5, { arrives: 9 }),
      call('late', 'alone', 5, { arrives: 15 }),
    ]);
    expect(Object.entries(ran).map(([id, { status, from }]) => [id, status, from])).toEqual(
      [
        ['before', 'done', 0],
        ['edit', 'cancelled', null],
        ['same file', 'cancelled', null],
        ['late', 'cancelled', null],
        ['ls', 'failed', 9],
        ['beside', 'done', 9],
      ].sort(
        (a, b) => Object.keys(ran).indexOf(String(a[0])) - Object.keys(ran).indexOf(String(b[0])),
      ),
    );
    expect(ran['edit']?.text).toMatch(/Not started, because ls before it failed/);
    expect(ran['late']?.text).toMatch(/Not started, because ls before it failed/);
  });

  test('a failed edit cancels nothing', async () => {
    const ran = await playResponse([
      call('edit', writing('/p/a'), 3, { fails: true }),
      call('again', writing('/p/a'), 3),
    ]);
    expect([ran['edit']?.status, ran['again']?.status]).toEqual(['failed', 'done']);
  });

  test('an abort in the middle ends all, each with its one result', async () => {
    const ran = await playResponse(
      [
        call('done', reading('/p/a'), 2),
        call('running', reading('/p/b'), 50),
        call('barrier', 'alone', 5),
        call('behind', writing('/p/a'), 5),
        call('late', reading('/p/a'), 5, { arrives: 8 }),
      ],
      { abortAt: 7 },
    );
    expect(
      Object.fromEntries(Object.entries(ran).map(([id, r]) => [id, [r.status, r.to]])),
    ).toEqual({
      done: ['done', 2],
      running: ['cancelled', 7],
      barrier: ['cancelled', 7],
      behind: ['cancelled', 7],
      late: ['cancelled', 8],
    });
  });

  test('any response ends: every call has one result, and no conflict ever ran out of order', async () => {
    const anyCall = fc.record({
      access: fc.constantFrom<ResourceAccess>(
        'alone',
        NO_ACCESS,
        READS_EVERYTHING,
        reading('/p'),
        reading('/p/a'),
        writing('/p/a'),
        writing('/p/b'),
      ),
      takes: fc.nat(5),
      arrives: fc.nat(8),
      fails: fc.boolean(),
      command: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCall, { minLength: 1, maxLength: 14 }),
        fc.option(fc.nat(20), { nil: -1 }),
        async (some, abortAt) => {
          // Blocks arrive in the order of their places.
          const arrivals = some.map(({ arrives }) => arrives).sort((a, b) => a - b);
          const calls = some.map((one, i) => ({ ...one, arrives: arrivals[i] ?? 0, id: `c${i}` }));
          const ran = await playResponse(calls, { abortAt });
          calls.forEach((later, place) => {
            const mine = ran[later.id];
            if (mine?.from === null || mine === undefined) return;
            for (const earlier of calls.slice(0, place)) {
              const other = ran[earlier.id];
              if (inConflict(earlier.access, later.access))
                expect(mine.from).toBeGreaterThanOrEqual(other?.to ?? 0);
            }
          });
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('questions to the user', () => {
  const ticks = async (count: number) => {
    for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  test('come in the order asked, and hold up nothing that does not ask or wait for them', async () => {
    const asked: string[] = [];
    const answers = new Map<string, () => void>();
    const gate: PermissionGate = {
      denial: async () => null,
      check: async ({ id }, onAsk) => {
        // The first one takes longest to find out that it has to ask.
        if (id === 'e0') await ticks(3);
        if (id.startsWith('e')) {
          await onAsk();
          asked.push(id);
          await new Promise<void>((resolve) => answers.set(id, resolve));
        }
        if (id === 'user') {
          await ticks(20);
          for (const waiting of ['e2', 'e1', 'e0']) answers.get(waiting)?.();
        }
        return { kind: 'allowed', decided: [] };
      },
    };
    const reads = many(12, (i) => call(`r${i}`, reading('/q'), 2));
    const edits = many(3, (i) => call(`e${i}`, writing(`/p/${i}`), 2));
    const after = call('after e1', reading('/p/1'), 2);
    const ran = await playResponse([...edits, ...reads, after, call('user', NO_ACCESS, 1)], {
      gate,
    });
    expect(asked).toEqual(['e0', 'e1', 'e2']);
    expect(Object.values(ran).map(({ status }) => status)).toEqual(Array(17).fill('done'));
    const readsOver = Math.max(...reads.map(({ id }) => ran[id]?.to ?? 0));
    expect(readsOver).toBeLessThan(ran['e0']?.from ?? 0);
    expect(ran['after e1']?.from).toBe(ran['e1']?.to);
  });
});
