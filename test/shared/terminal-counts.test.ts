import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundCounts, COUNTED_FINALS } from '../../src/shared/terminal-counts';
import { runs } from '../support/runs';
import { createTerminal, stateOf, writeTo } from '../support/terminal-state';

const [COLS, ROWS] = [20, 6];

/** The inside of an xterm that does the work of counts. */
interface Inside {
  readonly buffers: {
    readonly active: {
      nextStop(): number;
      prevStop(): number;
      readonly lines: { splice(...change: readonly unknown[]): void };
    };
  };
  readonly _inputHandler: { print(data: Uint32Array, start: number, end: number): void };
}

/** Creates a terminal and counts the cells that it prints, the lines it moves and the stops it looks for. */
function counting() {
  const terminal = createTerminal(COLS, ROWS);
  boundCounts(terminal);
  const { _core: inside } = terminal as object as { readonly _core: Inside };
  let work = 0;
  const { active } = inside.buffers;
  const count = <K extends string, T extends Record<K, (...given: never[]) => unknown>>(
    owner: T,
    name: K,
    amount: (...given: never[]) => number = () => 1,
  ) => {
    const act = owner[name].bind(owner);
    Object.assign(owner, {
      [name]: (...given: never[]) => {
        work += amount(...given);
        return act(...given);
      },
    });
  };
  count(active, 'nextStop');
  count(active, 'prevStop');
  count(active.lines, 'splice');
  count(inside._inputHandler, 'print', (_data: never, start: number, end: number) => end - start);
  return { terminal, work: () => work };
}

test.each(COUNTED_FINALS)(
  'a count of 10000 is no more work than to fill the screen twice: %s',
  async (final) => {
    for (const before of [
      'x',
      '漢',
      'e\u0301\u0301\u0301',
      'line\r\n'.repeat(50),
      '\x1b[2;4r\x1b[3H',
    ]) {
      const { terminal, work } = counting();
      await writeTo(terminal, before);
      const workBefore = work();
      await writeTo(terminal, `\x1b[10000${final}`);
      expect(work() - workBefore, JSON.stringify(before)).toBeLessThanOrEqual(2 * COLS * ROWS);
    }
  },
);

test('lines are moved at once, however many', async () => {
  for (const final of 'LMST') {
    const { terminal, work } = counting();
    await writeTo(terminal, `\x1b[6${final}`);
    expect(work(), final).toBe(2);
  }
});

const STEPS = fc.oneof(
  fc.constantFrom(
    'a',
    '漢',
    'word',
    'e\u0301',
    '\r\n',
    '\t',
    'line\r\n'.repeat(5),
    'x'.repeat(COLS),
  ),
  fc.constantFrom('\x1b[44m', '\x1b[m', '\x1b[2;4r', '\x1b[r', '\x1b[3;7H', '\x1b[6H', '\x1b[H'),
  fc.constantFrom(
    '\x1b[?1049h',
    '\x1b[?1049l',
    '\x1b[?6h',
    '\x1b[?7l',
    '\x1b[?7h',
    '\x1b[3g',
    '\x1bH',
  ),
  fc
    .tuple(fc.constantFrom(...COUNTED_FINALS), fc.constantFrom('', 0, 1, 3, 40, '2;9', '3:4'))
    .map(([final, count]) => `\x1b[${count}${final}`),
  fc.constant('marker'),
);

test('a count does what it does in any other terminal, also to what is marked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEPS, { maxLength: 30 }), async (steps) => {
      const [plain, bounded] = [createTerminal(COLS, ROWS, 10), createTerminal(COLS, ROWS, 10)];
      boundCounts(bounded);
      const shown = await Promise.all(
        [plain, bounded].map(async (terminal) => {
          const markers: ReturnType<typeof terminal.registerMarker>[] = [];
          for (const step of steps)
            if (step === 'marker') markers.push(terminal.registerMarker(0));
            else await writeTo(terminal, step);
          const shows = { ...stateOf(terminal), lines: markers.map((marker) => marker?.line) };
          terminal.dispose();
          return shows;
        }),
      );
      expect(shown[1]).toEqual(shown[0]);
    }),
    { numRuns: runs(300) },
  );
});

test('a character that is repeated beyond the screen fills it', async () => {
  const [plain, bounded] = [createTerminal(COLS, ROWS, 10), createTerminal(COLS, ROWS, 10)];
  boundCounts(bounded);
  for (const terminal of [plain, bounded]) await writeTo(terminal, 'x\x1b[9999b');
  const screenOf = (terminal: typeof plain) =>
    stateOf(terminal)
      .normal.lines.slice(-ROWS + 1)
      .map(({ cells }) => cells);
  expect(screenOf(bounded)).toEqual(screenOf(plain));
});
