import type { Terminal as PageTerminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { writeScreen } from '../../../src/main/terminal/host/screen-snapshot';
import { guardTerminal } from '../../../src/renderer/terminal/guards';
import { screenText } from '../../support/terminal-pane';
import { createTerminal, stateOf, writeTo } from '../../support/terminal-state';

const CSI = '\x1b[';
const E_LINE = 'EEEEEEEE';
/** Lines a to d, the cursor at the end. */
const ABCD = 'a\r\nb\r\nc\r\nd';

/** What a VT220 shows in eight columns and four rows, after the menus of vttest: name, output, lines. */
const SCREENS: readonly (readonly [string, string, readonly string[]])[] = [
  // Cursor movements.
  ['fills the screen with E', '\x1b#8', [E_LINE, E_LINE, E_LINE, E_LINE]],
  ['stops at the edges', `${CSI}99A${CSI}99Da${CSI}99B${CSI}99Cz`, ['a', '', '', '       z']],
  ['goes to a place, and no further', `${CSI}2;3Hx${CSI}99;99Hz`, ['', '  x', '', '       z']],
  ['takes missing numbers for 1', `${CSI}3;3H${CSI};Ha${CSI}Cb`, ['a b']],
  ['takes leading zeros', `${CSI}00000000002;000003Hx`, ['', '  x']],
  ['obeys controls inside a sequence', `A${CSI}2\bCB`, ['A B']],
  ['returns inside a sequence', `abc${CSI}\r2CX`, ['abX']],
  ['scrolls back at the top', `${ABCD}${CSI}H\x1bMx`, ['x', 'a', 'b', 'c']],
  ['goes down without returning', 'ab\x1bDc', ['ab', '  c']],
  ['goes to the next line', 'ab\x1bEc', ['ab', 'c']],
  ['wraps behind the last column', '12345678ab', ['12345678', 'ab']],
  ['does not wrap when it must not', `${CSI}?7l12345678ab`, ['1234567b']],
  ['waits behind the last column', '12345678\b#', ['123456#8']],
  // The screen.
  [
    'erases to the end and from the start',
    `\x1b#8${CSI}2;4H${CSI}1K${CSI}3;4H${CSI}K`,
    [E_LINE, '    EEEE', 'EEE', E_LINE],
  ],
  ['erases below and above', `\x1b#8${CSI}3;4H${CSI}J${CSI}2;4H${CSI}1J`, ['', '    EEEE', 'EEE']],
  ['inserts and deletes lines', `${ABCD}${CSI}2;1H${CSI}L${CSI}4;1H${CSI}M`, ['a', '', 'b']],
  ['inserts and deletes characters', `abcdef${CSI}2G${CSI}2@${CSI}6G${CSI}2P`, ['a  bcf']],
  ['erases characters in place', `abcdef${CSI}2G${CSI}2X`, ['a  def']],
  ['inserts what is typed', `abc\r${CSI}4hX${CSI}4lY`, ['XYbc']],
  ['scrolls between margins only', `${ABCD}${CSI}2;3r${CSI}3;1H\nx`, ['a', 'c', 'x', 'd']],
  ['counts from the margins', `${CSI}2;3r${CSI}?6h${CSI}1;1Ha${CSI}9;1Hb`, ['', 'a', 'b']],
  ['has tab stops where they were set', `${CSI}3g${CSI}4G\x1bH\r\tx\r\n\ty`, ['   x', '   y']],
  ['goes back over tab stops', `${CSI}3g${CSI}4G\x1bH${CSI}7G${CSI}Zx`, ['   x']],
  ['repeats a character', `a${CSI}3b`, ['aaaa']],
  // Character sets.
  ['draws lines', '\x1b(0lqk\x1b(Bq', ['┌─┐q']],
  ['has a British pound', '\x1b(A#\x1b(B#', ['£#']],
  ['shifts between two sets', '\x1b)0a\x0ex\x0fx', ['a│x']],
  ['restores the set with the cursor', '\x1b(0\x1b7\x1b(Bq\x1b8q', ['─']],
  // Resets.
  ['starts anew', `${ABCD}${CSI}2;3r\x1b(0${CSI}?6h\x1bcq`, ['q']],
  ['forgets modes and keeps the screen', `ab${CSI}2;3r\x1b(0${CSI}4h${CSI}!p${CSI}1;1Hq`, ['qb']],
  ['comes back from the other screen', `ab${CSI}?1049hxyz${CSI}?1049lc`, ['abc']],
];

test.each(SCREENS)('a pane, and its replay, %s', async (_what, output, lines) => {
  const live = createTerminal(8, 4);
  guardTerminal(live as unknown as Pick<PageTerminal, 'parser'>);
  await writeTo(live, output);
  expect(screenText(live)).toBe(lines.join('\n'));
  const replayed = createTerminal(8, 4);
  await writeTo(replayed, [...writeScreen(live, 50)].join(''));
  expect(stateOf(replayed)).toEqual(stateOf(live));
});
