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
/** Width 2, and joins nothing. */
const WIDE = 0b100;

/**
 * Bounds the marks in one cell of a terminal: a cell with thousands stops a page for minutes while it is shaped. Nothing
 * is lost, because a mark that is too many takes a cell of its own. Marks of what {@link wasLeftOut} are left out, too.
 */
const boundMarks = (provider: UnicodeProvider, { _core }: Terminal): UnicodeProvider => ({
  version: `${provider.version}-bounded`,
  wcwidth: (codepoint) => provider.wcwidth(codepoint),
  charProperties: (codepoint, preceding) => {
    // Nearly everything, and asked for each character.
    if (codepoint >= 0x20 && codepoint < 0x7f) return ALONE;
    const properties = provider.charProperties(codepoint, preceding & NO_STATE);
    if ((properties & JOINS) === 0) return properties;
    // As wide as that one was, so that it does not fit either.
    if (wasLeftOut(_core, preceding)) return WIDE;
    const marks = (preceding >> STATE_SHIFT) + 1;
    return marks > MAX_MARKS ? ALONE : properties | (marks << STATE_SHIFT);
  },
});

/** An xterm 6, as far as it tells whether a character was left out. */
interface Terminal {
  readonly _core: Inside;
}

interface Inside {
  readonly cols: number;
  readonly buffers: {
    readonly active: {
      readonly x: number;
      readonly y: number;
      readonly ybase: number;
      readonly lines: { get(y: number): { getWidth(x: number): number } | undefined };
    };
  };
  readonly coreService: { readonly decPrivateModes: { readonly wraparound: boolean } };
}

/**
 * Returns true when the character before was left out: it is wide, did not fit, and nothing wraps. By itself xterm puts its marks
 * on what stands there, and makes that so wide that the last column is not drawn. `preceding`: the properties of the character.
 */
export function wasLeftOut({ cols, buffers, coreService }: Inside, preceding: number): boolean {
  const { x, y, ybase, lines } = buffers.active;
  const mayBe = (preceding & WIDE) !== 0 && x === cols - 1;
  if (!mayBe || coreService.decPrivateModes.wraparound) return false;
  // Otherwise its second half.
  return lines.get(ybase + y)?.getWidth(x - 1) !== 0;
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
