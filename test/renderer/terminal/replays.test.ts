import { expect, test } from 'vitest';
import { bothAfter, type Step } from '../../support/late-pane';

const CSI = '\x1b[';
const FULL = 'x'.repeat(20);
const MANY = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\r\n');
const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['an image', '\x1b]1337;File=:', '\x07'],
  ['an image that is drawn', '\x1bPq#0;2;0;0;0', '\x1b\\'],
  ['an image of kitty', '\x1b_Gf=24;', '\x1b\\'],
  ['a string that is left out', '\x1bP1:2q', '\x1b\\'],
])('a pane that comes in the middle of %s shows nothing of it', async (_what, start, end) => {
  const part = 'A~?'.repeat(2_000);
  const [early, late] = await bothAfter(['text', start + part], [`${part}${end}`, 'more']);
  expect(late).toEqual(early);
});

/** Later output and sizes that show more of the state than its cells do. */
const PROBES: readonly Step[] = [
  '\u0301',
  `x${CSI}3b\r\nnext\tline`,
  `\x1b8${CSI}?1049lrestored`,
  `\x1bM\x1bM${CSI}2L${CSI}?6l${CSI}Htop`,
  `${CSI}4l${CSI}?7h\x0f\x1b(B${FULL}漢`,
  `${CSI}mplain\x1b]8;;\x1b\\${CSI}31mred`,
  [31, 9],
  [20, 3],
];

test.each<[string, ...Step[]]>([
  // Honest programs go far beyond an edge to get to it.
  ['the last column, by a count', `${CSI}99999CX`],
  ['a tab stop that is set behind a full line', `${FULL}\x1bH`],
  ['the first column, by a count', `abc${CSI}99999DX`],
  ['the last row, by a count', `a${CSI}99999BX`],
  ['the first row, by a count', `${MANY}${CSI}99999AX`],
  ['the last column, by its number', `${CSI}99999GX${CSI}2H${CSI}99999\`Y`],
  ['the last row, by its number', `${CSI}99999dX`],
  ['the last cell, by its numbers', `${CSI}99999;99999HX`],
  ['the last row and its beginning', `abc${CSI}99999EX${CSI}99999FY`],
  ['the last cell, by two counts', `${CSI}99999a${CSI}99999eX`],
  ['the rest of a line erased by a count', `abcdef${CSI}2G${CSI}99999X`],
  ['the rest of a line pushed out', `abcdef${CSI}2G${CSI}99999@`],
  ['the rest of a line deleted', `abcdef${CSI}2G${CSI}99999P`],
  ['more repeats than are allowed', `a${CSI}99999b`],
  ['more lines than are allowed', `${MANY}${CSI}H${CSI}99999L`],
  // Bytes that are no UTF-8.
  ['text in Latin-1', latin1('caf\xe9! gr\xfc\xdf\r\nna\xefve.')],
  ['bytes that never occur', latin1('\xff\xfea')],
  ['a character written too long', latin1('\xc0\xafa')],
  ['half of a pair', latin1('\xed\xa0\x80a')],
  ['a character beyond the last one', latin1('\xf4\x90\x80\x80a')],
  ['a rest without a beginning', latin1('\x80a')],
  ['a beginning without a rest', latin1('\xe6\xbca\xf0\x9f\x98b')],
  ['a control of eight bits', latin1('\x9b31ma')],
  ['a character that came in two parts', latin1('\xe6\xbc'), latin1('\xa2x')],
  // Characters that take no room, or more than they seem to.
  ['a mark at the very beginning', '\u0301ab'],
  ['a mark at the beginning of a line', `${FULL}\r\n\u0301c`],
  ['a wide character with a mark', '漢\u0301字'],
  ['more marks than one character has', `a${'\u0301'.repeat(12)}b`],
  ['signs for two directions', 'a\u200e\u202eb\u00adc\u200bd\ufeff'],
  ['flags, one of them cut', '🇩🇪🇫🇷🇩'],
  ['a flag made of tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}x'],
  ['scripts that join', 'नमस्ते ที่นี่ \u1112\u1161\u11ab'],
  // Broken and unknown sequences.
  ['a sequence that was given up', `a${CSI}31\x18mb\x1b]0;t\x1ac`],
  ['a sequence in a sequence', `${CSI}${CSI}31mx\x1b\x1b[32my`],
  ['a title that was never ended', `\x1b]0;abc${CSI}31mred`],
  ['colours that lack numbers', `${CSI}38;2;1ma${CSI}38mb${CSI}48;5mc`],
  ['colours with colons', `${CSI}38:2::1:2:3ma${CSI}48:5:9mb${CSI}38:2:1:2:3mc`],
  ['black, by its numbers', `${CSI}38;2;0;0;0;48;2;0;0;0ma${CSI}38;5;0;48;5;15mb`],
  ['keys of kitty and of xterm', `${CSI}>1u${CSI}=1;1u${CSI}>4;2mx`],
  ['images of three kinds', '\x1bPq#0~~\x1b\\a\x1b_Gf=24;AAAA\x1b\\b\x1b]1337;File=:AAAA\x07c'],
  ['a sequence for another terminal', '\x1bPtmux;\x1b\x1b]0;x\x07\x1b\\after'],
  ['lines of double height', '\x1b#3big\x1b#5'],
  // What is kept beside the cells.
  ['a saved pen that protects', `${CSI}1"q\x1b7${CSI}0"q`],
  ['a pen that protects in colour', `${CSI}41m${CSI}1"qab`],
  ['an empty shell behind another screen', `${CSI}?1049h${CSI}2;5r${CSI}?6h${CSI}2;2H\x1b7`],
  ['a full line on another screen', `${CSI}?1049h${FULL}`],
  ['a shell that waits behind another screen', `$ ${CSI}?1049h${CSI}3;3Hx`],
  ['a cursor saved by a mode', `ab${CSI}31m${CSI}?1048h${CSI}m\r\ncd`],
  ['sets shifted for good', '\x1b)0\x1b~q\x1b*A\x1b}#'],
  ['links of one address', '\x1b]8;id=1;http://a\x1b\\x\x1b]8;id=2;http://a\x1b\\y\x1b]8;;\x1b\\'],
  ['a mouse that was asked for twice', `${CSI}?9h${CSI}?1002;1016;1006h`],
  ['a link that was open when the cursor was saved', '\x1b]8;;http://a\x1b\\\x1b7'],
  ['an open link when a cursor came back', `\x1b]8;;http://a\x1b\\${CSI}?1049l`],
  ['a link and a line when a cursor came back', `${CSI}4m\x1b7${CSI}m\x1b]8;;http://a\x1b\\\x1b8`],
  ['a screen of E under a curly line', `${CSI}4:3m\x1b#8`],
  ['a screen of E with a link open', '\x1b]8;;http://a\x1b\\\x1b[4m\x1b#8'],
  ['a curly line that a cursor came back from', `${CSI}4:3m\x1b8`],
  ['a curly line that came back with the cursor', `${CSI}4:3m\x1b7${CSI}m\x1b8`],
  ['a cursor at the edge of a screen that was cleared', `${CSI}44m${FULL}${CSI}2J`],
  ['a cursor at the edge of a line that was erased', `${FULL}${CSI}1K`],
  ['a cursor at the edge of another screen', `${FULL}${CSI}?1047h`],
  // What random output found.
  ['what is above the last cell, erased', `abc${CSI}999;999H${CSI}1J`],
  ['a mark behind a control', `a${CSI}1m\u0301b`],
  ['a mark behind a control at the edge', `${FULL}${CSI}m\u0301`],
  ['a saved cursor whose line scrolled away', `${CSI}3H\x1b7${MANY}`],
  ['a saved cursor that is below the screen', `${MANY}\x1b7${CSI}3J`],
  ['a colour of underlines before there is one', `${CSI}58;5;9ma`],
  ['an open link whose only line was erased', `\x1b]8;;http://a\x1b\\${CSI}2J`],
  ['an open link whose only line was deleted', `\x1b]8;id=1;http://a\x1b\\a${CSI}M`],
  ['an open link of another screen', `${CSI}?1049h\x1b]8;;http://a\x1b\\${CSI}2J`],
  ['a link whose line went away with a new width', `${FULL}\x1b]8;;http://a\x1b\\x`, [40, 6], 'y'],
  ['a cursor saved at the edge of a full line', `${FULL}\x1b7${CSI}H`, [20, 5]],
  ['a cursor that waits at the edge behind another screen', `${FULL}${CSI}?1049h`],
  ['a cursor in the middle of a wide character', 'a漢🚀', [5, 2]],
  ['a screen of E that got narrower without lines above', '\x1b#8', [10, 6], `${CSI}3J`],
  ['a saved cursor that moved with its lines', FULL, [5, 2], '\x1bE'],
  ['marks of a character that did not fit where nothing wraps', `${CSI}?7l${FULL}👩\u200d👩\u0301`],
  ['marks of a character left out behind nothing', `${CSI}?7l${CSI}99G👩\u200d`],
  ['a set that was taken into use before a mark at the edge', `\x0e${FULL}`],
  ['line drawing before a mark at the edge', `\x1b(0${FULL}`],
  ['wide characters that do not fit where nothing wraps', `${CSI}?7l${'漢字'.repeat(6)}`],
  [
    'text behind wide characters that do not fit',
    `${CSI}?7l${'漢字'.repeat(6)}`,
    '👩\u200d👩\u200d👧',
  ],
  // Other sizes, with output before and after.
  ['narrower', `${FULL}abc`, [10, 6], 'z'],
  ['wider', `${FULL}${FULL}`, [40, 6], 'z'],
  ['lower', MANY, [20, 3], 'z'],
  ['higher', MANY, [20, 12], 'z'],
  ['higher, with a region', `${CSI}2;4r${MANY}`, [20, 9]],
  ['with tab stops', `${CSI}3g${CSI}15G\x1bH\r`, [10, 6], [30, 6]],
  ['at the edge, and back', FULL, [10, 6], [20, 6], 'z'],
  ['in colour', `${CSI}44m${CSI}2Jx`, [30, 8]],
  ['in the middle of a wrapped line', `${FULL}abc${CSI}A${CSI}3G`, [8, 6]],
  ['a question that is wider', `${FULL}? [y/n] `, [10, 6], 'y\r\n'],
  ['a bar that was drawn again and again', `${FULL}\r`.repeat(5), [10, 6]],
  ['of another screen, which was left', `${FULL}abc${CSI}?1049hx`, [30, 9], `${CSI}?1049l`],
  ['lower, before another screen is filled', MANY, [20, 3], `${CSI}?1049h\n\n`],
  ['where a wide character in colour goes on in the next line', `${CSI}44m漢字漢`, [5, 6]],
  ['with a saved cursor on another screen', `ab${CSI}?1049h${CSI}5;15H\x1b7`, [10, 3]],
])('a pane that comes later shows the same: %s', async (_what, ...steps) => {
  for (const later of [[], ...PROBES.map((probe) => [probe])]) {
    const [early, late] = await bothAfter(steps, later);
    expect(late, `after ${JSON.stringify(later)}`).toEqual(early);
  }
});
