import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bothAfter, type Step, stateAfter } from '../../support/late-pane';
import { runs } from '../../support/runs';

const CSI = '\x1b[';
const FULL = 'x'.repeat(20);

/** Sequences that take a number, each with a few of them. */
const COUNTED = [...'ABCDEFGLMPSTXZ@adeb`', 'I', ' @', ' A', "'}", "'~"].flatMap((final) =>
  ['', '2', '7', '99999'].map((count) => `${CSI}${count}${final}`),
);
const PLACES = ['1;1', '2;5', '6;20', '3;99', '99;1'].map((place) => `${CSI}${place}H`);
const ERASED = ['J', '1J', '2J', '3J', 'K', '1K', '2K', '?J', '?2J', '?1K'].map(
  (what) => CSI + what,
);
const PENS = [
  ...['', '1', '4:3', '7', '8', '31', '44', '38;5;200', '48;2;1;2;3', '58;5;9', '9;53'],
].map((pen) => `${CSI}${pen}m`);
const MODES = [1, 5, 6, 7, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1006, 1016]
  .concat(1047, 1048, 1049, 2004, 2026)
  .flatMap((mode) => [`${CSI}?${mode}h`, `${CSI}?${mode}l`])
  .concat(['4', '20'].flatMap((mode) => [`${CSI}${mode}h`, `${CSI}${mode}l`]));
const FRAMES = ['2;4r', '1;3r', '5;6r', 'r', 's', 'u', '3g', 'g', '!p', '3 q', '0 q']
  .concat(['1"q', '0"q'])
  .map((end) => CSI + end);
const ESCAPES = [...'78MDEHc=>no~}|', '#8', '(0', '(B', ')0', '*A', '+K'].map(
  (end) => `\x1b${end}`,
);
const TEXTS = [
  'a',
  'word ',
  '漢',
  '🚀',
  'e\u0301',
  '\u0301',
  '👩‍👩‍👧',
  '\r\n',
  '\n',
  '\r',
  '\b',
  '\t',
].concat(['\x0e', '\x0f', '\v', FULL, FULL + FULL, 'line\r\n'.repeat(9), '漢字'.repeat(6)]);
const STRINGS = [
  ...['\x1b]8;;http://a\x1b\\', '\x1b]8;id=1;http://b\x1b\\', '\x1b]8;;\x1b\\'],
  ...[
    '\x1b]4;1;#123456\x07',
    '\x1b]104\x07',
    '\x1b]133;A\x07',
    '\x1b]133;C\x07',
    '\x1b]133;D;1\x07',
  ],
];
const SIZES: readonly Step[] = [
  [20, 6],
  [10, 6],
  [31, 9],
  [20, 3],
  [5, 2],
  [40, 12],
];
const HEIGHTS: readonly Step[] = [
  [20, 6],
  [20, 3],
  [20, 9],
];
/** What no picture can give back to a terminal that was wider: tab stops and cells that are beyond its last column. */
const BEYOND = ['3g', 'g', '?47h', '?1047h', '?1049h'].map((end) => CSI + end).concat('\x1bH');

/** Returns random steps of the kinds of output, and of these sizes. */
function stepsOf(sizes: readonly Step[], left: readonly string[] = []) {
  const of = (weight: number, ...steps: readonly string[]) => ({
    weight,
    arbitrary: fc.constantFrom<Step>(...steps.filter((step) => !left.includes(step))),
  });
  return fc.oneof(
    ...[of(6, ...TEXTS), of(3, ...COUNTED), of(2, ...PLACES, ...ERASED), of(2, ...PENS)],
    ...[of(2, ...MODES), of(2, ...FRAMES, ...ESCAPES, ...STRINGS)],
    { weight: 2, arbitrary: fc.constantFrom(...sizes) },
  );
}

/**
 * Returns true when the cursor waits behind a last cell that is empty, in a line that is not. Only a space can be put there
 * in its place, which shows the same; a new size tells the two apart.
 */
function waitsBehindNothing({ active, normal, alternate }: Awaited<ReturnType<typeof stateAfter>>) {
  const screen = active === 'alternate' ? alternate : normal;
  const [x = 0, y = 0] = screen?.cursor ?? [];
  const cells = screen?.lines[screen.ybase + y]?.cells ?? [];
  return x >= cells.length && typeof cells.at(-1) === 'number';
}

const SEED = Number(process.env['LATHE_FUZZ_SEED'] ?? 11);
const RUNS = Number(process.env['LATHE_FUZZ_RUNS'] ?? runs(250));

const FIRST = [
  ['all sizes', stepsOf(SIZES, BEYOND), stepsOf(SIZES, BEYOND)],
  ['two screens and all heights', stepsOf(HEIGHTS), stepsOf(SIZES)],
] as const;

test.each(FIRST)(
  `whatever came, in %s, a pane that comes later shows the same (seed ${SEED})`,
  async (_what, first, later) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(first, { maxLength: 40 }),
        fc.array(later, { maxLength: 6 }),
        async (before, after) => {
          fc.pre(!waitsBehindNothing(await stateAfter(before)));
          const [early, late] = await bothAfter(before, after);
          expect(late).toEqual(early);
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  },
);
