import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeScreen } from '../../src/main/terminal/host/screen-snapshot';
import { runs } from '../support/runs';
import { createTerminal, type HeadlessTerminal, stateOf, writeTo } from '../support/terminal-state';

const ESC = '\x1b';
const CSI = '\x1b[';

/** A terminal that was given only the picture of another. */
async function replayOf(live: HeadlessTerminal, scrollback = 50): Promise<HeadlessTerminal> {
  return terminalAfter(live, [...writeScreen(live, scrollback)]);
}

/** A terminal of the size of another that was given some output, piece by piece. */
async function terminalAfter(
  { cols, rows }: HeadlessTerminal,
  pieces: readonly string[],
): Promise<HeadlessTerminal> {
  const terminal = createTerminal(cols, rows);
  // The last of what was written at once is done when all of it is.
  await Promise.all(pieces.map((piece) => writeTo(terminal, piece)));
  return terminal;
}

/** Output after the picture that shows what cells alone do not: where things go on, and in which attributes. */
const PROBES = [
  'x',
  '\u0301',
  `${'long '.repeat(9)}`,
  '\r\nnext\tline',
  `${ESC}8restored`,
  `${CSI}?1049l back`,
  `qx${CSI}3;3H#${CSI}2L${CSI}K`,
  '\n'.repeat(8),
];

async function expectSame(output: string, cols = 20, rows = 6): Promise<void> {
  const live = createTerminal(cols, rows);
  await writeTo(live, output);
  const picture = [...writeScreen(live, 50)];
  expect(stateOf(await terminalAfter(live, picture))).toEqual(stateOf(live));
  for (const probe of PROBES) {
    const one = await terminalAfter(live, [...picture, probe]);
    const other = await terminalAfter(live, [output, probe]);
    expect(stateOf(one), `after ${JSON.stringify(probe)}`).toEqual(stateOf(other));
  }
}

const FULL = 'x'.repeat(20);
const MANY = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\r\n');

describe('a picture gives the state of the terminal it was taken from', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['a line', 'hello'],
    ['lines above the screen', MANY],
    ['more lines than are kept', Array.from({ length: 90 }, (_, at) => `${at}`).join('\r\n')],
    ['a line that wraps', `${FULL}${FULL}abc`],
    ['a line that is exactly full', FULL],
    ['a full line and a line feed', `${FULL}\r\n`],
    ['a cursor that waits behind the last column', `${FULL}${CSI}31m`],
    ['a wrapped line whose end was erased', `${FULL}wrapped${CSI}A${CSI}12G${CSI}K${CSI}B`],
    ['a wrapped line whose beginning was erased', `${FULL}wrapped\r${CSI}4X`],
    ['a wrapped line in colour at the bottom', `${CSI}6H${CSI}44m${FULL}blue${CSI}m`],
    ['wide characters', '漢字 かな 한글'],
    ['a wide character that did not fit', `${'x'.repeat(19)}漢字`],
    ['wide characters that wrap in colour', `${CSI}6H${CSI}42m${'漢'.repeat(15)}`],
    ['emoji', '🚀 👍🏽 👩‍👩‍👧‍👦'],
    ['combining characters', 'e\u0301 a\u0308\u0304 o'],
    ['a character that the next one may combine with', 'cafe'],
    ['sixteen colours', `${CSI}31mred${CSI}92mgreen${CSI}44mon blue${CSI}105mon pink`],
    ['two hundred and fifty-six colours', `${CSI}38;5;123ma${CSI}48;5;7mb${CSI}38;5;2mc`],
    ['true colours', `${CSI}38;2;1;2;3ma${CSI}48;2;250;251;252mb`],
    [
      'every style',
      `${CSI}1ma${CSI}2mb${CSI}3mc${CSI}4md${CSI}5me${CSI}7mf${CSI}8mg${CSI}9mh${CSI}53mi`,
    ],
    ['bold and dim, one of them off', `${CSI}1;2ma${CSI}22mb${CSI}1mc`],
    [
      'kinds of underlines and their colour',
      `${CSI}4:3ma${CSI}4:4;58;5;9mb${CSI}21mc${CSI}58;2;1;2;3md`,
    ],
    ['a link', `${ESC}]8;id=a;https://a.example/x;y${ESC}\\link${ESC}]8;;${ESC}\\ none`],
    ['a link that is still open', `${ESC}]8;;https://a.example/${ESC}\\link`],
    ['protected characters', `${CSI}1"qkept${CSI}0"qnot`],
    ['attributes for what comes', `plain${CSI}1;35;47m`],
    ['colour of erased cells', `${CSI}41mx${CSI}K\r\n${CSI}42m${CSI}2K${CSI}m`],
    ['colour of an erased screen', `${CSI}44m${CSI}2J${CSI}3;4Hx`],
    ['colour of lines that scrolled in', `${CSI}45m${'\n'.repeat(9)}x${CSI}m`],
    ['gaps between words', `a${CSI}5Cb${CSI}43m${CSI}3X${CSI}3Cc`],
    ['a scroll region', `${MANY}${CSI}2;4r`],
    ['a scroll region and a cursor below it', `${CSI}1;3r${CSI}6;2Hx`],
    ['origin mode', `${CSI}2;5r${CSI}?6h${CSI}2;3Hx`],
    ['a saved cursor', `${CSI}3;4H${CSI}32;1m${ESC}7${CSI}m${CSI}H`],
    ['a cursor saved in the scrollback', `${ESC}[2;3H${ESC}7${MANY}`],
    ['line drawing', `${ESC}(0lqqk`],
    ['line drawing in G1, in use', `${ESC})0\x0elqk`],
    ['line drawing in G1, not in use', `${ESC})0lqk`],
    ['a British character set in G2', `${ESC}*A${ESC}n#`],
    ['a saved character set', `${ESC}(0${ESC}7${ESC}(Bq`],
    ['a character set that was restored with the cursor', `${ESC}7${ESC}(0q${ESC}8q`],
    ['tab stops', `${CSI}3g${CSI}4G${ESC}H${CSI}11G${ESC}H\r`],
    ['one tab stop less', `${CSI}9G${CSI}g\r`],
    ['a hidden cursor', `${CSI}?25l`],
    ['the shape of the cursor', `${CSI}3 q`],
    ['a steady bar', `${CSI}6 q`],
    ['a blinking cursor', `${CSI}?12h`],
    ['keys of applications', `${CSI}?1h${ESC}=`],
    ['bracketed paste and focus', `${CSI}?2004h${CSI}?1004h`],
    ['the mouse with SGR', `${CSI}?1002h${CSI}?1006h`],
    ['the mouse with pixels', `${CSI}?1003h${CSI}?1016h`],
    ['the old mouse', `${CSI}?9h`],
    ['synchronised output', `${CSI}?2026hhalf a fra`],
    ['no wrapping', `${CSI}?7l${'y'.repeat(30)}`],
    ['wrapping backwards', `${CSI}?45h${FULL}a\b\b`],
    ['insert mode', `abc\r${CSI}4h12`],
    ['line feeds that return', `${CSI}20ha\nb`],
    ['the alternate screen', `${MANY}${CSI}?1049h${CSI}Halternate`],
    ['an alternate screen without a saved cursor', `${MANY}${CSI}2A${CSI}?47hx`],
    ['an alternate screen in colour', `normal${CSI}44m${CSI}?1049h${CSI}2J${CSI}3Hvim`],
    [
      'its scroll region, tabs and saved cursor',
      `a${CSI}?1049h${CSI}2;3r${CSI}3g${CSI}5G${ESC}H${CSI}2;2H${ESC}7`,
    ],
    ['both with a scroll region', `${CSI}1;2r${CSI}?1047h${CSI}3;5r`],
    ['an alternate screen that was left', `one${CSI}?1049h${CSI}2Jtwo${CSI}?1049l three`],
    ['a soft reset', `${CSI}2;3r${CSI}?6h${CSI}1m${CSI}!px`],
    ['a full reset', `${MANY}${CSI}1m${ESC}cx`],
    [
      'a cursor saved while lines count from the region',
      `${CSI}3;5r${CSI}?6h${CSI}2;2H${ESC}7${CSI}?6l`,
    ],
    [
      'origin mode that came back with the cursor',
      `${CSI}2;4r${CSI}?6h${CSI}2;2H${ESC}7${CSI}?6l${ESC}8`,
    ],
    ['a region of one line, which is none', `${CSI}3;3rabc`],
    ['a wide character that fills the line', `${'x'.repeat(18)}漢`],
    ['half of a wide character overwritten', `漢字${CSI}2Gx`],
    ['half of a wide character erased', `漢字漢${CSI}2G${CSI}X`],
    ['wide characters pushed apart', `漢字漢${CSI}2G${CSI}@`],
    ['a wide character pushed over the edge', `${'x'.repeat(17)}漢${CSI}1G${CSI}2@`],
    ['a repeated character that wraps', `${'x'.repeat(15)}y${CSI}10b`],
    ['a repeated wide character', `漢${CSI}12b`],
    ['a screen of E in a region', `${CSI}2;4r${CSI}3;3H${ESC}#8`],
    ['a screen of E in colour', `${CSI}44m${ESC}#8${CSI}2;2H${CSI}K`],
    [
      'a link that wraps',
      `${ESC}]8;;https://a.example/${ESC}\\${'link '.repeat(7)}${ESC}]8;;${ESC}\\`,
    ],
    [
      'a link with styles',
      `${ESC}]8;id=z;https://a.example/?q=1;2${ESC}\\${CSI}4;31mab${ESC}]8;;${ESC}\\c`,
    ],
    [
      'a link under a curled line in colour',
      `${ESC}]8;;http://a.b${ESC}\\${CSI}4:3;58;2;9;8;7mab${ESC}]8;;${ESC}\\c`,
    ],
    ['the usual shape of the cursor again', `${CSI}3 q${CSI}0 q`],
    ['a shape that blinks and one that was told not to', `${CSI}5 q${CSI}?12l`],
    ['the mouse off, its encoding left', `${CSI}?1003h${CSI}?1006h${CSI}?1003l`],
    ['synchronised output that ended', `${CSI}?2026habc${CSI}?2026l`],
    [
      'a saved cursor in each of both screens',
      `${CSI}3;3H${ESC}7${CSI}?1047h${CSI}5;5H${CSI}31m${ESC}7${CSI}H`,
    ],
    ['the alternate screen asked for twice', `ab${CSI}?1049h${CSI}2;2Hc${CSI}?1049hd`],
    ['an alternate screen that was left before lines came', `${CSI}?1049hzz${CSI}?1049l${MANY}`],
    ['lines above the screen erased', `${MANY}${CSI}3J`],
    [
      'lines above the screen erased, and others after',
      `${MANY}${CSI}3J\r\n${'more\r\n'.repeat(4)}`,
    ],
    ['a full reset in the alternate screen', `${MANY}${CSI}?1049h${ESC}c`],
    [
      'a soft reset of everything',
      `${CSI}?25l${CSI}?1h${CSI}4h${ESC}(0${CSI}2;3r${CSI}1;31m${CSI}!p`,
    ],
    ['a set in G3, in use', `${ESC}+0${ESC}oq`],
    ['German letters', `${ESC}(K[\\]`],
    ['a saved set of G1', `${ESC})0\x0e${ESC}7\x0fq`],
    ['a cursor saved as DOS did', `${CSI}4;4H${CSI}s${CSI}H`],
    ['columns inserted and deleted', `abcdef\r\nghijkl${CSI}1;3H${CSI}2'}${CSI}1;5H${CSI}1'~`],
    ['lines scrolled by hand in a region', `${MANY}${CSI}2;4r${CSI}2S${CSI}1T`],
    ['a line that scrolled in at the top in colour', `${MANY}${CSI}H${CSI}41m${ESC}M${CSI}m`],
    ['insertion at the edge', `${FULL}${CSI}4h${CSI}18Gab`],
    ['erasing all but what is protected', `a${CSI}1"qkeep${CSI}0"q\r\ngo${CSI}?2J`],
    ['a combining character behind a full line', `${FULL}\u0301`],
    ['an emoji of a family at the edge', `${'x'.repeat(18)}👩‍👩‍👧‍👦`],
    ['signs that are drawn as emoji', '❤️ ☁️ 1️⃣'],
    ['letters from right to left', 'שלום עולם'],
    ['controls of eight bits', '\x9b31mred\x85b\x84c'],
    ['blanks in reverse', `${CSI}7m${' '.repeat(25)}${CSI}m`],
    ['blanks in colour that wrap', `${CSI}44m${' '.repeat(45)}`],
    ['a cursor that waits behind the last column, saved', `${FULL}${ESC}7${CSI}H`],
    [
      'a cursor that waits behind a blank, and the alternate screen',
      `${'word '.repeat(4)}${CSI}?1049h`,
    ],
    ['a cursor that waits behind the last column of the alternate screen', `${CSI}?1049h${FULL}`],
  ])('%s', async (_what, output) => {
    await expectSame(output);
  });

  test.each([
    [2, 1],
    [2, 6],
    [20, 1],
    [1_000, 3],
  ])('at %i columns and %i rows', async (cols, rows) => {
    for (const output of ['ab', 'a\r\nb\r\nc', `${CSI}41mx${CSI}m`, `a${CSI}?1049hb`])
      await expectSame(output, cols, rows);
  });

  test('whatever came', async () => {
    const parts = fc.constantFrom(
      ...['a', 'word ', '漢', '🚀', 'e\u0301', '\r\n', '\n', '\r', '\b', '\t', FULL],
      ...['31', '1', '44', '0', '7', '4:3'].map((sgr) => `${CSI}${sgr}m`),
      ...[
        'A',
        '3B',
        '4C',
        'D',
        '2;5H',
        'K',
        '1K',
        '2K',
        'J',
        '1J',
        '2J',
        'L',
        'M',
        '2P',
        '3@',
        '4X',
      ].map((end) => CSI + end),
      ...['2;4r', 'r', '?6h', '?6l', '?7l', '?7h', '4h', '4l', '?1049h', '?1049l', 'S', 'T'].map(
        (end) => CSI + end,
      ),
      ...['7', '8', 'M', 'D', 'H', '(0', '(B'].map((end) => ESC + end),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 40 }), async (output) => {
        const live = createTerminal(12, 4);
        await writeTo(live, output.join(''));
        expect(stateOf(await replayOf(live))).toEqual(stateOf(live));
      }),
      { numRuns: runs(200) },
    );
  });

  test('the picture of a picture is the same', async () => {
    const live = createTerminal();
    await writeTo(live, `${MANY}${CSI}?1049h${CSI}2;4r${CSI}1;31mx${ESC}(0`);
    const once = await replayOf(live);
    expect([...writeScreen(once, 50)].join('')).toBe([...writeScreen(live, 50)].join(''));
  });

  test('fewer lines above the screen are the newest ones', async () => {
    const live = createTerminal();
    await writeTo(live, MANY);
    const replayed = await replayOf(live, 3);
    expect(replayed.buffer.normal.getLine(0)?.translateToString(true)).toBe('line 31');
    expect(replayed.buffer.normal.length).toBe(9);
  });

  test('it comes in pieces', async () => {
    const live = createTerminal(80, 24, 5_000);
    await writeTo(
      live,
      `${'a line of some length, to have many of them '.repeat(8)}\r\n`.repeat(1_500),
    );
    const pieces = [...writeScreen(live, 5_000)].filter((piece) => piece !== '');
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces) expect(piece.length).toBeLessThan(80 * 1024);
  });
});
