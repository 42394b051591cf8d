/** A character and this many marks on it are drawn as one; further marks stand alone. A flag made of tags has seven. */
export const MAX_MARKS = 8;

/** The knowledge an xterm has of widths, in the shape in which it is registered. */
interface UnicodeProvider {
  readonly version: string;
  wcwidth(codepoint: number): 0 | 1 | 2;
  /** Bit 0: joins the character before; bits 1 and 2: the width; the rest is handed back with the next one. */
  charProperties(codepoint: number, preceding: number): number;
}

const JOINS = 1;
const NO_STATE = 0b111;
const STATE_SHIFT = 3;
/** Width 1, and joins nothing. */
const ALONE = 0b010;
/** Width 2. */
const WIDE = 0b100;

/**
 * Bounds the marks in one cell of a terminal: a cell with thousands stops a page for minutes while it is shaped. Nothing
 * is lost, because a mark that is too many takes a cell of its own. One stands alone whose character {@link isElsewhere}.
 */
const boundMarks = (provider: UnicodeProvider, { _core }: Terminal): UnicodeProvider => ({
  version: `${provider.version}-bounded`,
  wcwidth: (codepoint) => provider.wcwidth(codepoint),
  charProperties: (codepoint, preceding) => {
    // Nearly everything, and asked for each character.
    if (codepoint >= 0x20 && codepoint < 0x7f) return ALONE;
    const properties = provider.charProperties(codepoint, preceding & NO_STATE);
    if ((properties & JOINS) === 0) return properties;
    if (isElsewhere(_core, preceding)) return provider.charProperties(codepoint, 0);
    const marks = (preceding >> STATE_SHIFT) + 1;
    return marks > MAX_MARKS ? ALONE : properties | (marks << STATE_SHIFT);
  },
});

/** An xterm 6, as far as it tells what stands before its cursor. */
interface Terminal {
  readonly _core: Inside;
}

interface Inside {
  readonly buffers: {
    readonly active: {
      readonly x: number;
      readonly y: number;
      readonly ybase: number;
      readonly lines: { get(y: number): { getWidth(x: number): number } | undefined };
    };
  };
}

/**
 * Returns true when a wide character came last and does not stand before the cursor: it did not fit where nothing wraps, or a
 * new size moved the cursor. By itself xterm puts its marks on what stands there, and makes that two cells wide.
 */
export function isElsewhere({ buffers }: Inside, joinState: number): boolean {
  if ((joinState & WIDE) === 0) return false;
  const { x, y, ybase, lines } = buffers.active;
  // Otherwise its second half.
  return x === 0 || lines.get(ybase + y)?.getWidth(x - 1) !== 0;
}

/** A terminal that takes another knowledge of widths. */
interface UnicodeTerminal {
  readonly unicode: { register(provider: UnicodeProvider): void; activeVersion: string };
}

/** Gives a terminal the widths of an addon (`activate` of `@xterm/addon-unicode11`), with {@link boundMarks}. */
export function giveBoundedWidths(
  terminal: UnicodeTerminal,
  activate: (terminal: UnicodeTerminal) => void,
): void {
  const register = (provider: UnicodeProvider) => {
    const bounded = boundMarks(provider, terminal as object as Terminal);
    terminal.unicode.register(bounded);
    terminal.unicode.activeVersion = bounded.version;
  };
  activate({ unicode: { register, activeVersion: '' } });
}

const TOO_MANY = new RegExp(`[\\p{M}\\p{Cf}]{${MAX_MARKS}}(?=[\\p{M}\\p{Cf}])`, 'gu');
/** The usual picture of a mark without a letter. */
const NO_LETTER = '\u25cc';

/** Does to a text what {@link boundMarks} does on a terminal: marks beyond the bound go on a dotted circle. */
export const withBoundedMarks = (text: string): string =>
  text.replace(TOO_MANY, (marks) => `${marks}${NO_LETTER}`);
