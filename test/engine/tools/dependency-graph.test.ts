import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallNode,
  dependencies,
  layersOf,
  MAX_CONCURRENT_CALLS,
  schedule,
} from '../../../src/main/engine/tools/dependency-graph';
import {
  inConflict,
  NO_ACCESS,
  READS_EVERYTHING,
  type ResourceAccess,
  reading,
  writing,
} from '../../../src/main/engine/tools/resource-access';

interface MutableNode extends CallNode {
  state: CallNode['state'];
}

const graph = (accesses: readonly ResourceAccess[]): MutableNode[] =>
  accesses.map((access, place) => ({
    state: 'waiting',
    waitsFor: dependencies(access, accesses.slice(0, place)),
    failedBy: null,
  }));

const A = writing('/p/a');
const B = writing('/p/b');
const FOLDER = reading('/p');

describe('resource access', () => {
  it.each<[string, ResourceAccess, ResourceAccess, boolean]>([
    ['two reads of one file', reading('/p/a'), reading('/p/a'), false],
    ['a read and a write of one file', reading('/p/a'), A, true],
    ['two writes of one file', A, A, true],
    ['writes of different files', A, B, false],
    ['a look-alike name', writing('/p/a'), writing('/p/ab'), false],
    ['a search over the folder of a write', FOLDER, A, true],
    ['a search over a sibling folder', reading('/p/src'), writing('/p/src-old/a'), false],
    ['a file that becomes a folder', writing('/p/a'), writing('/p/a/b'), true],
    ['upper and lower case, which are one file on some disks', A, writing('/P/A'), true],
    ['two ways to write é', writing('/p/\u00e9'), writing('/p/e\u0301'), true],
    ['a reading command and a write', READS_EVERYTHING, A, true],
    ['two reading commands', READS_EVERYTHING, READS_EVERYTHING, false],
    ['nothing and a write', NO_ACCESS, A, false],
    ['nothing and a command that may do anything', NO_ACCESS, 'alone', true],
  ])('%s', (_, a, b, expected) => {
    expect([inConflict(a, b), inConflict(b, a)]).toEqual([expected, expected]);
  });
});

describe('layers', () => {
  it.each<[string, readonly ResourceAccess[], readonly (readonly number[])[]]>([
    ['reads run together', [FOLDER, FOLDER, FOLDER], [[0, 1, 2]]],
    ['edits of different files run together', [A, B], [[0, 1]]],
    ['edits of one file keep their order', [A, A, A], [[0], [1], [2]]],
    [
      'a read after a write waits, another does not',
      [A, reading('/p/a'), reading('/p/b')],
      [[0, 2], [1]],
    ],
    ['a command is a barrier', [A, B, 'alone', A, B], [[0, 1], [2], [3, 4]]],
    [
      'a reading command waits for writes only',
      [A, READS_EVERYTHING, FOLDER, B],
      [[0], [1, 2], [3]],
    ],
  ])('%s', (_, accesses, expected) => {
    expect(layersOf(graph(accesses))).toEqual({ layers: expected, circle: [] });
  });

  it('names a circle instead of waiting for it, with whatever waits for it', () => {
    const waits = [[], [2], [1], [1], [9], [0]];
    const nodes = waits.map(
      (waitsFor): CallNode => ({ state: 'waiting', waitsFor, failedBy: null }),
    );
    expect(layersOf(nodes)).toEqual({ layers: [[0], [5]], circle: [1, 2, 3, 4] });
    expect(schedule(nodes)).toEqual({ starts: [0], cancels: [], deadlocked: [1, 2, 3, 4] });
  });
});

const anyAccess: fc.Arbitrary<ResourceAccess> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<ResourceAccess>('alone') },
  { weight: 1, arbitrary: fc.constantFrom(NO_ACCESS, READS_EVERYTHING) },
  {
    weight: 6,
    arbitrary: fc.record({
      reads: fc.array(fc.constantFrom('/p', '/p/a', '/p/b', '/p/c', '/q'), { maxLength: 2 }),
      writes: fc.array(fc.constantFrom('/p/a', '/p/b', '/p/c', '/q/a'), { maxLength: 2 }),
    }),
  },
);

describe('schedule', () => {
  it('keeps every conflict in order, at most ten together, and starves nobody, whatever ends first', () => {
    fc.assert(
      fc.property(
        fc.array(anyAccess, { maxLength: 40 }),
        fc.infiniteStream(fc.nat(1000)),
        (accesses, picks) => {
          const nodes = graph(accesses);
          const begun: number[] = [];
          while (nodes.some((node) => node.state !== 'settled')) {
            const { starts, cancels, deadlocked } = schedule(nodes);
            expect([cancels, deadlocked]).toEqual([[], []]);
            for (const place of starts) {
              const open = nodes.flatMap((n, i) => (n.state === 'settled' ? [] : [i]));
              for (const earlier of open.filter((i) => i < place))
                expect(
                  inConflict(accesses[earlier] ?? NO_ACCESS, accesses[place] ?? NO_ACCESS),
                ).toBe(false);
              begun.push(place);
              const node = nodes[place];
              if (node) node.state = 'running';
            }
            const running = nodes.filter((node) => node.state === 'running');
            expect(running.length).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
            expect(running.length).toBeGreaterThan(0);
            const settled = running[(picks.next().value ?? 0) % running.length];
            if (settled) settled.state = 'settled';
          }
          expect([...begun].sort((a, b) => a - b)).toEqual(accesses.map((_, i) => i));
        },
      ),
    );
  });

  it('leaves no place free while a call could use it, and takes the earliest first', () => {
    fc.assert(
      fc.property(
        fc.array(anyAccess, { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (accesses, limit) => {
          const nodes = graph(accesses);
          const { starts } = schedule(nodes, limit);
          const ready = layersOf(nodes).layers[0] ?? [];
          expect(starts).toEqual(ready.slice(0, limit));
        },
      ),
    );
  });

  it('keeps the limit of a group too, leaves no place of it free, and starves nobody', () => {
    const fetches = { name: 'fetch', limit: 3 };
    const agents = { name: 'agent', limit: 2 };
    const anyGroup = fc.constantFrom(fetches, agents, undefined);
    fc.assert(
      fc.property(
        fc.array(anyGroup, { maxLength: 40 }),
        fc.infiniteStream(fc.nat(1000)),
        (groups, picks) => {
          const nodes: MutableNode[] = groups.map((group) => ({
            state: 'waiting',
            waitsFor: [],
            failedBy: null,
            ...(group ? { group } : {}),
          }));
          const inState = (state: CallNode['state'], name?: string) =>
            nodes.filter((node) => node.state === state && (!name || node.group?.name === name));
          while (nodes.some((node) => node.state !== 'settled')) {
            for (const place of schedule(nodes).starts) {
              const node = nodes[place];
              if (node) node.state = 'running';
            }
            const running = inState('running');
            expect(running.length).toBeLessThanOrEqual(MAX_CONCURRENT_CALLS);
            for (const { name, limit } of [fetches, agents]) {
              expect(inState('running', name).length).toBeLessThanOrEqual(limit);
              const waits = inState('waiting', name).length > 0;
              const room = running.length < MAX_CONCURRENT_CALLS;
              if (waits && room) expect(inState('running', name).length).toBe(limit);
            }
            const settled = running[(picks.next().value ?? 0) % running.length];
            if (settled) settled.state = 'settled';
          }
        },
      ),
    );
  });

  it('always ends for any waits whatsoever: what it does not start, cancel or let wait for something running is deadlocked', () => {
    const anyWaits = fc.array(fc.array(fc.nat(14), { maxLength: 4 }), { maxLength: 12 });
    fc.assert(
      fc.property(anyWaits, (waits) => {
        const nodes: MutableNode[] = waits.map((waitsFor) => ({
          state: 'waiting',
          waitsFor,
          failedBy: null,
        }));
        for (let round = 0; nodes.some((node) => node.state !== 'settled'); round += 1) {
          expect(round).toBeLessThanOrEqual(nodes.length);
          const { starts, deadlocked } = schedule(nodes);
          for (const place of [...starts, ...deadlocked]) {
            const node = nodes[place];
            if (node) node.state = 'settled';
          }
        }
      }),
    );
  });

  it('does not count those a user is asked about', () => {
    const asking: CallNode[] = Array.from({ length: 12 }, () => ({
      state: 'asking',
      waitsFor: [],
      failedBy: null,
    }));
    const waiting: CallNode = { state: 'waiting', waitsFor: [], failedBy: null };
    expect(schedule([...asking, waiting]).starts).toEqual([12]);
  });

  it('cancels what waits for a failed command, and says for which', () => {
    const nodes: CallNode[] = [
      { state: 'settled', waitsFor: [], failedBy: 0 },
      { state: 'waiting', waitsFor: [0], failedBy: null },
      { state: 'waiting', waitsFor: [], failedBy: null },
      { state: 'settled', waitsFor: [0], failedBy: 0 },
      { state: 'waiting', waitsFor: [3], failedBy: null },
    ];
    const { starts, cancels } = schedule(nodes);
    expect(starts).toEqual([2]);
    expect(cancels).toEqual([
      { call: 1, because: 0 },
      { call: 4, because: 0 },
    ]);
  });
});
