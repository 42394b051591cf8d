/** The part of an xterm that takes handlers of control sequences. */
interface CountTerminal {
  readonly parser: {
    registerCsiHandler(
      sequence: { readonly final: string },
      handler: (params: readonly (number | number[])[]) => boolean,
    ): unknown;
  };
}

/** The inside of an xterm 6, as far as counts need it. */
interface Inside {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: {
    readonly active: {
      x: number;
      readonly y: number;
      readonly ybase: number;
      readonly scrollTop: number;
      readonly scrollBottom: number;
      readonly lines: {
        get(y: number): Line | undefined;
        splice(start: number, deleted: number, ...inserted: readonly Line[]): void;
      };
      getBlankLine(pen?: object): Line;
    };
  };
  readonly _inputHandler: {
    readonly _parser: { readonly precedingJoinState: number };
    readonly _dirtyRowTracker: { markRangeDirty(first: number, last: number): void };
    _eraseAttrData(): object;
    _restrictCursor(): void;
    cursorForwardTab(params: Params): unknown;
    cursorBackwardTab(params: Params): unknown;
    repeatPrecedingCharacter(params: Params): unknown;
  };
}

interface Line {
  getString(x: number): string;
}

interface Params {
  readonly params: readonly [count: number];
}

/**
 * The largest count of a sequence of {@link COUNTED_FINALS}; no honest program inserts, scrolls or repeats more than
 * this at once.
 */
const MAX_COUNT = 10_000;

/**
 * The sequences whose work in xterm 6 grows with their count, however small the screen: tab, insert and delete lines,
 * scroll, repeat. All others end at an edge of the screen, so that "99999 to the right" means its last column. Each is
 * carried out here with no more work than its screen has cells: a few thousand of them would freeze a terminal, too.
 */
const COUNTED: Readonly<Record<string, (inside: Inside, count: number) => unknown>> = {
  I: ({ cols, _inputHandler }, count) => _inputHandler.cursorForwardTab(atMost(cols, count)),
  L: (inside, count) => editLines(inside, -count),
  M: (inside, count) => editLines(inside, count),
  S: (inside, count) => scroll(inside, count, inside._inputHandler._eraseAttrData()),
  T: (inside, count) => scroll(inside, -count),
  Z: ({ cols, _inputHandler }, count) => _inputHandler.cursorBackwardTab(atMost(cols, count)),
  b: repeat,
};

export const COUNTED_FINALS: readonly string[] = Object.keys(COUNTED);

const atMost = (most: number, count: number): Params => ({ params: [Math.min(most, count)] });

/** Scrolls the region up, or down where `count` is negative. */
function scroll(inside: Inside, count: number, pen?: object): void {
  const { scrollTop, scrollBottom } = inside.buffers.active;
  shift(inside, scrollTop, scrollBottom, count, pen);
}

/** Deletes lines from that of the cursor on, or inserts them where `count` is negative. */
function editLines(inside: Inside, count: number): void {
  const { _inputHandler: handler, buffers } = inside;
  handler._restrictCursor();
  const { y, scrollTop, scrollBottom } = buffers.active;
  if (y < scrollTop || y > scrollBottom) return;
  shift(inside, y, scrollBottom, count, handler._eraseAttrData());
  buffers.active.x = 0;
}

/** Moves the lines of a part of the screen up, or down where `count` is negative, all at once. */
function shift(inside: Inside, top: number, bottom: number, count: number, pen?: object): void {
  const screen = inside.buffers.active;
  const moved = Math.min(Math.abs(count), bottom - top + 1);
  const blank = Array.from({ length: moved }, () => screen.getBlankLine(pen));
  const [first, behind] = [screen.ybase + top, screen.ybase + bottom + 1 - moved];
  screen.lines.splice(count > 0 ? first : behind, moved);
  screen.lines.splice(count > 0 ? behind : first, 0, ...blank);
  inside._inputHandler._dirtyRowTracker.markRangeDirty(top, bottom);
}

/** Repeats the last character; what would scroll away, line by line, is left out. */
function repeat({ cols, rows, buffers, _inputHandler: handler }: Inside, count: number): void {
  const { x, y, ybase, lines } = buffers.active;
  const width = (handler._parser.precedingJoinState >> 1) & 0b11;
  // xterm repeats its marks, too.
  const characters = lines.get(ybase + y)?.getString(x - width).length || 1;
  const most = Math.ceil((cols * rows) / characters);
  const inLine = Math.max(1, Math.floor(cols / Math.max(1, width * characters)));
  const shown = count <= most ? count : most + ((count - most) % inLine);
  handler.repeatPrecedingCharacter({ params: [shown] });
}

/**
 * Has a terminal ignore absurd counts, which freeze it for seconds to minutes, and bounds the work of all others
 * (docs/security.md 14).
 */
export function boundCounts(terminal: CountTerminal): void {
  const inside = (terminal as object as { readonly _core: Inside })._core;
  for (const [final, act] of Object.entries(COUNTED))
    terminal.parser.registerCsiHandler({ final }, (params) => {
      const isExcessive = params.flat().some((param) => param > MAX_COUNT);
      const [count] = params;
      if (!isExcessive) act(inside, typeof count === 'number' ? count || 1 : 1);
      return true;
    });
}
