import { createRequire } from 'node:module';
import { coreOf, newCell, type ScreenBuffer } from '../../src/main/terminal/host/xterm-internals';
import { giveBoundedWidths } from '../../src/shared/combining-marks';
import { mendFaults } from '../../src/shared/xterm-faults';

const load = createRequire(import.meta.url);
const { Terminal }: typeof import('@xterm/headless') = load('@xterm/headless');
const { Unicode11Addon } = load('@xterm/addon-unicode11');

/** An xterm without a page. */
export type HeadlessTerminal = InstanceType<typeof Terminal>;

/** Creates a terminal as panes have it. */
export function createTerminal(cols = 20, rows = 6, scrollback = 50): HeadlessTerminal {
  const terminal = new Terminal({
    ...{ cols, rows, scrollback },
    allowProposedApi: true,
    logLevel: 'off',
  });
  mendFaults(terminal);
  giveBoundedWidths(terminal, (taker) => new Unicode11Addon().activate(taker));
  return terminal;
}

/** Writes to a terminal and waits until it has parsed that. */
export const writeTo = (terminal: HeadlessTerminal, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => terminal.write(data, resolve));

/** Everything about a terminal that later output, keys or the mouse can show. */
export function stateOf(terminal: HeadlessTerminal) {
  const core = coreOf(terminal);
  const { normal, alt, active } = core.buffers;
  const { coreService, coreMouseService, _charsetService: charsets } = core;
  return {
    active: active === alt ? 'alternate' : 'normal',
    normal: bufferState(terminal, normal, active === normal),
    alternate: active === alt ? bufferState(terminal, alt, true) : null,
    pen: attributes(terminal, core._inputHandler._curAttrData),
    modes: { ...coreService.decPrivateModes, ...coreService.modes },
    hidden: coreService.isCursorHidden,
    options: { convertEol: core.options.convertEol, cursorBlink: core.options.cursorBlink },
    mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding],
    charsets: [0, 1, 2, 3].map((level) => charsets._charsets[level]),
    charset: charsets.charset,
    level: charsets.glevel,
  };
}

function bufferState(terminal: HeadlessTerminal, buffer: ScreenBuffer, active: boolean) {
  // An alternate screen has lines above it only where xterm forgot to bound it in a terminal that got lower.
  const first = buffer === coreOf(terminal).buffers.alt ? buffer.ybase : 0;
  const { lines, x, y, ybase, scrollTop, scrollBottom, tabs, savedX, savedY } = buffer;
  const columns = Array.from({ length: terminal.cols }, (_, column) => column);
  return {
    // Where the cursor of the other buffer was is forgotten by the terminal itself.
    cursor: active ? [Math.min(x, terminal.cols), y] : null,
    height: lines.length - first,
    ybase: ybase - first,
    region: [scrollTop, scrollBottom],
    tabs: columns.filter((column) => tabs[column]),
    saved: [Math.min(savedX, terminal.cols), Math.max(0, savedY - first)],
    savedPen: [
      colour(buffer.savedCurAttrData.fg),
      colour(buffer.savedCurAttrData.bg) & COLOUR_AND_FLAGS,
    ],
    savedCharset: buffer.savedCharset,
    lines: Array.from({ length: lines.length - first }, (_, at) =>
      lineState(terminal, buffer, first + at, at > 0),
    ),
  };
}

/** All but the mark that more attributes lie elsewhere, which a saved cursor has not. */
const COLOUR_AND_FLAGS = 0x6fffffff;

function lineState(
  terminal: HeadlessTerminal,
  buffer: ScreenBuffer,
  at: number,
  isBelowAnother: boolean,
) {
  const line = buffer.lines.get(at);
  const isActive = buffer === coreOf(terminal).buffers.active;
  const cell = newCell(terminal);
  let rest = 0;
  const cells = Array.from({ length: terminal.cols }, (_, column) => {
    line?.loadCell(column, cell);
    const [content, width] = [cell.content & 0x3fffff, cell.content >> 22];
    if (rest > 0) {
      rest -= 1;
      return 'rest of a wide character';
    }
    rest = width - 1;
    // Nothing shows of an erased cell but its background. Behind one a cursor can only wait in a picture that has a
    // space there; where the cursor of the other buffer was is forgotten.
    const isLast = column === terminal.cols - 1;
    const waitsHere = isLast && isActive && buffer.x === terminal.cols;
    const isBlank = content === 0 || (waitsHere && cell.getChars() === ' ' && cell.fg === 0);
    if (isBlank) return colour(cell.bg) & 0x3ffffff;
    return [cell.getChars(), width, attributes(terminal, cell)];
  });
  // Whether the very first line goes on from one that is gone cannot be told, or made.
  return { cells, wrapped: isBelowAnother && line?.isWrapped === true };
}

/** Returns an attribute without what a colour in 24 bits left in it when one of a palette took its place. */
const colour = (attribute: number): number =>
  (attribute & 0x3000000) === 0x3000000 ? attribute : attribute & ~0xffff00;

function attributes(
  terminal: HeadlessTerminal,
  cell: Pick<ReturnType<typeof newCell>, 'fg' | 'bg' | 'extended'>,
) {
  const { extended } = cell;
  const [fg, bg] = [colour(cell.fg), colour(cell.bg)];
  if ((bg & 0x10000000) === 0) return { fg, bg };
  const { underlineStyle, underlineColor, urlId } = extended;
  const link = coreOf(terminal)._oscLinkService.getLinkData(urlId);
  // What xterm's screen of E leaves of a line under its letters: no style at all is drawn as nothing.
  if (underlineStyle === 0 && underlineColor === 0 && urlId === 0)
    return { fg: fg & ~0x10000000, bg: bg & ~0x10000000 };
  return { fg, bg, underlineStyle, underlineColor, link };
}
