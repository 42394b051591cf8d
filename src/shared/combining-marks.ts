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

/**
 * Bounds the marks in one cell of a terminal: a cell with thousands stops a page for minutes while it is shaped. Nothing
 * is lost, because a mark that is too many takes a cell of its own.
 */
const boundMarks = (provider: UnicodeProvider): UnicodeProvider => ({
  version: `${provider.version}-bounded`,
  wcwidth: (codepoint) => provider.wcwidth(codepoint),
  charProperties: (codepoint, preceding) => {
    // Nearly everything, and asked for each character.
    if (codepoint >= 0x20 && codepoint < 0x7f) return ALONE;
    const properties = provider.charProperties(codepoint, preceding & NO_STATE);
    if ((properties & JOINS) === 0) return properties;
    const marks = (preceding >> STATE_SHIFT) + 1;
    return marks > MAX_MARKS ? ALONE : properties | (marks << STATE_SHIFT);
  },
});

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
    const bounded = boundMarks(provider);
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
