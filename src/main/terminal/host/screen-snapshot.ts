import type { Terminal } from '@xterm/headless';
import { isElsewhere } from '../../../shared/combining-marks';
import { type Prompt, promptSequence } from '../../../shared/prompt-marks';
import { COLOUR, Pen, sgrOf, UNDERLINE, unusedUnderlineColour } from './pen';
import {
  type Cell,
  type Core,
  coreOf,
  type Line,
  newCell,
  type ScreenBuffer,
  stringStart,
} from './xterm-internals';

/**
 * Writes the control sequences that give an empty terminal of the same size the state of `terminal`: lines above the
 * screen (at most `scrollback` of them), both screens, colours, links, cursor, saved cursor, scroll region, tab stops,
 * character sets, modes, and the prompts in it. Yields them in pieces of some 64 kB.
 */
export function* writeScreen(
  terminal: Terminal,
  scrollback: number,
  prompts: readonly Prompt[] = [],
): Generator<string> {
  const core = coreOf(terminal);
  const { normal, alt, active } = core.buffers;
  const pen = new Pen(core, () => newCell(terminal));
  const first = Math.max(0, normal.lines.length - terminal.rows - scrollback);
  yield savedCursorOf(core, normal, first);
  yield* writeLines(core, normal, first, pen, marksOf(prompts));
  yield pen.plain() + frameOf(core, normal);
  if (active === alt) {
    // Where the cursor was left says which lines go when the screen gets lower. Not 1049, which would save it again.
    yield `${CSI}${normal.y + 1}H${CSI}?1047h${CSI}H`;
    yield savedCursorOf(core, alt, 0);
    yield* writeLines(core, alt, 0, pen);
    yield pen.plain() + frameOf(core, alt);
  }
  yield modesOf(core);
  const restored = restoredCharset(core);
  // A character that is written again must not be drawn from a set that was taken into use after it. One that the next may
  // combine with was drawn from this set and comes last; so does it where a set is restored, which moves the cursor.
  const cursorFirst = active.x >= core.cols && restored === '' && !mayJoin(core);
  const charsets = charsetsOf(core) + restored;
  if (!cursorFirst) yield charsets;
  const { _curAttrData } = core._inputHandler;
  const unused = unusedUnderlineColour(_curAttrData);
  // Before the cursor, so that nothing has to come behind a character that the next one may combine with.
  yield pen.to(_curAttrData) + unused + cursorOf(core, pen);
  const changed = pen.to(_curAttrData);
  if (changed !== '') yield changed + unused;
  if (cursorFirst) yield charsets;
  yield stringStart(core);
}

const CSI = '\x1b[';
/** A piece is yielded as soon as it is this long. Characters. */
const PIECE_CHARS = 64 * 1024;
/** Bits of a cell's content: any character, and its width (0 to 2). */
const HAS_CONTENT = 0x3fffff;
const WIDTH_SHIFT = 22;

/** Returns what stands for the prompts, by line. */
const marksOf = (prompts: readonly Prompt[]): ReadonlyMap<number, string> =>
  new Map(prompts.map((prompt) => [prompt.marker.line, promptSequence(prompt)]));

const NO_MARKS: ReadonlyMap<number, string> = new Map();

function* writeLines(
  core: Core,
  buffer: ScreenBuffer,
  first: number,
  pen: Pen,
  marks = NO_MARKS,
): Generator<string> {
  const { lines } = buffer;
  let piece = '';
  for (let y = first; y < lines.length; y += 1) {
    const line = lines.get(y);
    // The list is a ring: behind its end its beginning comes again.
    const next = y + 1 < lines.length ? lines.get(y + 1) : undefined;
    if (line === undefined) continue;
    const empty = { count: 0, background: 0 };
    piece += marks.get(y) ?? '';
    piece += writeCells(core, line, pen, empty);
    if (next?.isWrapped) piece += wrapTo(core, next, pen, empty, y + 1 - first);
    // A line feed at the bottom fills the new line with the background of the pen.
    else if (next !== undefined) piece += `${pen.plain()}\r\n`;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

/** A control that does nothing. */
const NOTHING = '\0';

/** Returns the characters of a cell. A mark that stands alone must not join what is before it. */
const charsOf = (cell: Cell): string =>
  cell.content >> WIDTH_SHIFT === 0 ? NOTHING + cell.getChars() : cell.getChars();

/** A run of empty cells that has not been written yet. */
interface EmptyRun {
  count: number;
  background: number;
}

/** Returns the cells of a line. `empty` is the run at its end, written only where it has a background. */
function writeCells(core: Core, line: Line, pen: Pen, empty: EmptyRun): string {
  let text = '';
  const skip = () => {
    text += eraseRun(pen, empty) + (empty.count > 0 ? `${CSI}${empty.count}C` : '');
    empty.count = 0;
  };
  const { cell } = pen;
  const columns = Math.min(line.length, core.cols);
  // Most lines end early, and to look at each empty cell of the rest takes longer than all the text. One more: where a
  // wide character did not fit, the last cell has a width of 0.
  const used = Math.min(line.getNoBgTrimmedLength() + 1, columns);
  for (let x = 0; x < used; ) {
    line.loadCell(x, cell);
    const width = cell.content >> WIDTH_SHIFT;
    if ((cell.content & HAS_CONTENT) !== 0) {
      skip();
      text += pen.to(cell) + charsOf(cell);
      x += Math.max(1, width);
    } else {
      const background = cell.bg & COLOUR;
      if (background !== empty.background) skip();
      empty.background = background;
      empty.count += 1;
      x += 1;
    }
  }
  if (used < columns && empty.background !== 0) skip();
  if (used < columns) empty.background = 0;
  empty.count += columns - used;
  return text + eraseRun(pen, empty);
}

const eraseRun = (pen: Pen, { count, background }: EmptyRun): string =>
  count === 0 || background === 0 ? '' : `${pen.toBackground(background)}${CSI}${count}X`;

/**
 * Returns what takes the cursor from the end of one line to the wrapped one after it, number `row` of those written.
 * Only a character that does not fit makes a terminal mark a line as wrapped.
 */
function wrapTo(core: Core, next: Line, pen: Pen, empty: EmptyRun, row: number): string {
  const { cell } = pen;
  next.loadCell(0, cell);
  const width = (cell.content & HAS_CONTENT) === 0 ? 0 : cell.content >> WIDTH_SHIFT;
  const background = cell.bg & COLOUR;
  // The next line's own first character wraps, unless its background would fill a line that scrolls in, or the cell that it leaves.
  const fills = background !== 0 && row >= core.rows;
  const leavesOne = empty.count === 1 && width === 2 && empty.background === 0 && background === 0;
  const fits = empty.count === 0 || leavesOne;
  if (width > 0 && fits && !fills) return '';
  const forced = `${pen.plain()}${' '.repeat(empty.count + 1)}\r${CSI}X`;
  if (empty.count === 0 || core.rows === 1) return forced;
  const column = core.cols - empty.count + 1;
  const erase = `${pen.toBackground(empty.background)}${CSI}${empty.count}X`;
  return `${forced}${CSI}A${CSI}${column}G${erase}${CSI}B\r`;
}

/** Returns tab stops and scroll region of a buffer, where they are not the usual ones. */
const frameOf = (core: Core, buffer: ScreenBuffer): string =>
  tabsOf(core, buffer) + regionOf(core, buffer);

function tabsOf(core: Core, { tabs }: ScreenBuffer): string {
  const columns = Array.from({ length: core.cols }, (_, column) => column);
  const { tabStopWidth } = core.options;
  if (columns.every((column) => Boolean(tabs[column]) === (column % tabStopWidth === 0))) return '';
  const set = columns.filter((column) => tabs[column]);
  return `${CSI}3g${set.map((column) => `${CSI}${column + 1}G\x1bH`).join('')}`;
}

/**
 * Returns what saves the cursor of a buffer, in an empty screen. Lines that are written then leave it at its line, also when
 * that scrolls away. `first` is the first line that will be written.
 */
function savedCursorOf(core: Core, buffer: ScreenBuffer, first: number): string {
  const { savedX, savedY, savedCurAttrData, savedCharset, ybase } = buffer;
  const isNormal = buffer === core.buffers.normal;
  const line = Math.max(0, savedY - (isNormal ? first : ybase));
  const isUsual = savedX === 0 && line === 0 && savedCurAttrData.isAttributeDefault();
  if (isUsual && savedCharset === undefined) return '';
  const row = Math.min(line, core.rows - 1) + 1;
  const above = isNormal ? line + 1 - row : 0;
  const charset = finalOf(core, savedCharset);
  return [
    above === 0 ? '' : moveTo(core.rows, 0) + '\n'.repeat(above),
    // Behind the last column it waits, also when what took it there is erased.
    savedX < core.cols ? moveTo(row, savedX) : `${moveTo(row, core.cols - 1)} ${CSI}1K`,
    charset === 'B' ? '' : `\x1b(${charset}`,
    // The style is not saved.
    sgrOf(savedCurAttrData) + ((savedCurAttrData.fg & UNDERLINE) === 0 ? '' : `${CSI}4m`),
    `\x1b7${CSI}m`,
    charset === 'B' ? '' : '\x1b(B',
    above === 0 ? '' : `${CSI}3J`,
    `${CSI}H`,
  ].join('');
}

const regionOf = (core: Core, { scrollTop, scrollBottom }: ScreenBuffer): string =>
  scrollTop === 0 && scrollBottom === core.rows - 1
    ? ''
    : `${CSI}${scrollTop + 1};${scrollBottom + 1}r`;

const MOUSE_PROTOCOLS: Readonly<Record<string, string>> = {
  X10: '?9h',
  VT200: '?1000h',
  DRAG: '?1002h',
  ANY: '?1003h',
};
const MOUSE_ENCODINGS: Readonly<Record<string, string>> = { SGR: '?1006h', SGR_PIXELS: '?1016h' };

/** Returns all modes. After them the cursor may count from the scroll region. */
function modesOf({ coreService, coreMouseService, options }: Core): string {
  const { decPrivateModes: modes } = coreService;
  return [
    modes.applicationCursorKeys && '?1h',
    modes.applicationKeypad && '?66h',
    modes.reverseWraparound && '?45h',
    modes.sendFocus && '?1004h',
    modes.bracketedPasteMode && '?2004h',
    MOUSE_PROTOCOLS[coreMouseService.activeProtocol],
    MOUSE_ENCODINGS[coreMouseService.activeEncoding],
    coreService.isCursorHidden && '?25l',
    options.cursorBlink && '?12h',
    cursorShapeOf(modes),
    modes.synchronizedOutput && '?2026h',
    // A reset of the viewer does not turn this off.
    options.convertEol ? '20h' : '20l',
    !modes.wraparound && '?7l',
    coreService.modes.insertMode && '4h',
    modes.origin && '?6h',
  ]
    .filter(Boolean)
    .map((mode) => CSI + mode)
    .join('');
}

const CURSOR_SHAPES = { block: 1, underline: 3, bar: 5 } as const;

const cursorShapeOf = ({ cursorStyle, cursorBlink }: Core['coreService']['decPrivateModes']) =>
  cursorStyle === undefined
    ? ''
    : `${CURSOR_SHAPES[cursorStyle] + (cursorBlink === true ? 0 : 1)} q`;

/** The designation of each of G0 to G3, and how it is taken into use. */
const DESIGNATORS = ['(', ')', '*', '+'] as const;
const SHIFTS = ['\x0f', '\x0e', '\x1bn', '\x1bo'] as const;

function charsetsOf(core: Core): string {
  const { glevel, _charsets } = core._charsetService;
  const designated = DESIGNATORS.map((designator, level) => {
    const final = finalOf(core, _charsets[level]);
    return final === 'B' ? '' : `\x1b${designator}${final}`;
  });
  return designated.join('') + (glevel === 0 ? '' : SHIFTS[glevel]);
}

/** Returns what takes the saved set into use: after a restored cursor it may be none of the designated ones. */
function restoredCharset(core: Core): string {
  const { charset, glevel, _charsets } = core._charsetService;
  const isRestored = charset !== _charsets[glevel] && charset === core.buffers.active.savedCharset;
  return isRestored ? `\x1b8${CSI}m` : '';
}

/** The finals of all character sets xterm knows (VT220, chapter 4). `B` is ASCII. */
const CHARSET_FINALS = '0A4C5RQKYE6ZH7=';

/** Returns the final character that designates a set; xterm keeps only the set itself. */
function finalOf(core: Core, wanted: object | undefined): string {
  if (wanted === undefined) return 'B';
  const service = core._charsetService;
  const { charset, _charsets } = service;
  // Sets have no names inside: each is designated in turn, to be compared.
  service._charsets = [];
  const found = [...CHARSET_FINALS].find((final) => {
    core._inputHandler.selectCharset(`(${final}`);
    return service._charsets[0] === wanted;
  });
  service._charsets = _charsets;
  service.charset = charset;
  return found ?? 'B';
}

/** Returns true while the next character may combine with the last one: nothing else came in between. */
function mayJoin(core: Core): boolean {
  const { precedingJoinState } = core._inputHandler._parser;
  return precedingJoinState !== 0 && !isElsewhere(core, precedingJoinState);
}

/** Returns what puts the cursor in its place. */
function cursorOf(core: Core, pen: Pen): string {
  const { x, y, ybase, lines, scrollTop } = core.buffers.active;
  const row = y + 1 - (core.coreService.decPrivateModes.origin ? scrollTop : 0);
  if (x < core.cols && !mayJoin(core)) return moveTo(row, x);
  const behind = moveBehind(core, pen, lines.get(ybase + y), row, x);
  // A mark that stood alone behind the last column is shown nowhere, and took the cursor one further.
  const beyond = x > core.cols ? `${NOTHING}\u0301` : '';
  return behind + beyond + (mayJoin(core) ? '' : NOTHING);
}

const moveTo = (row: number, x: number): string => `${CSI}${row};${x + 1}H`;

/**
 * Returns what puts the cursor behind a character, which is written again: the next one may wrap because of it, or combine
 * with it.
 */
function moveBehind(core: Core, pen: Pen, line: Line | undefined, row: number, x: number): string {
  const column = Math.min(x, core.cols);
  const moved = moveTo(row, Math.min(x, core.cols - 1));
  if (line === undefined || x === 0) return moved;
  let start = column - 1;
  const { cell } = pen;
  line.loadCell(start, cell);
  // The second half of a wide character.
  if (start > 0 && cell.content === 0) line.loadCell(--start, cell);
  const isEmpty = (cell.content & HAS_CONTENT) === 0;
  const width = Math.max(1, cell.content >> WIDTH_SHIFT);
  // A narrower screen can have put the cursor into the middle of a wide character.
  if ((isEmpty && x < core.cols) || start + width !== column) return moved;
  const background = cell.bg & COLOUR;
  // A cursor that waits behind nothing: what was written to get there is erased, which leaves it where it is.
  if (isEmpty && isBlank(line, core.cols, background, cell))
    return `${moved}${pen.toBackground(background)} ${CSI}1K`;
  line.loadCell(start, cell);
  const attributes = pen.to(cell);
  // In insert mode the character would push the others aside.
  const room = core.coreService.modes.insertMode ? `${CSI}${width}P` : '';
  return moveTo(row, start) + attributes + room + (isEmpty ? ' ' : charsOf(cell));
}

/** Returns true when a line has nothing in it but one background. */
function isBlank(line: Line, columns: number, background: number, cell: Cell): boolean {
  for (let x = 0; x < columns; x += 1) {
    line.loadCell(x, cell);
    if ((cell.content & HAS_CONTENT) !== 0 || (cell.bg & COLOUR) !== background) return false;
  }
  return true;
}
