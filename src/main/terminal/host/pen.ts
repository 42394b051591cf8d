import type { Attributes, Cell, Core } from './xterm-internals';

/** Bits of an attribute that hold its colour; all that an erased cell keeps. */
export const COLOUR = 0x3ffffff;

/** The attributes that the next character gets in the terminal that reads what is written. */
export class Pen {
  /** A cell to load others into. */
  readonly cell: Cell;
  readonly #core: Core;
  readonly #blank: Cell;
  #fg = 0;
  #bg = 0;
  #ext = 0;
  #link = 0;

  constructor(core: Core, createCell: () => Cell) {
    this.#core = core;
    this.cell = createCell();
    this.#blank = createCell();
  }

  /** Returns the change to the attributes of a cell. */
  to(wanted: Attributes): string {
    // Cells hold them without sign, the pen with one.
    const fg = wanted.fg | 0;
    const bg = wanted.bg | 0;
    const { ext, urlId } = (bg & HAS_EXTENDED) === 0 ? NO_EXTENSION : wanted.extended;
    if (fg === this.#fg && bg === this.#bg && ext === this.#ext && urlId === this.#link) return '';
    const link = urlId === this.#link ? '' : linkOf(this.#core, urlId);
    this.#fg = fg;
    this.#bg = bg;
    this.#ext = ext;
    this.#link = urlId;
    return link + sgrOf(wanted);
  }

  /** Returns the change to a background and nothing else. */
  toBackground(background: number): string {
    this.#blank.bg = background;
    return this.to(this.#blank);
  }

  /** Returns the change to the default attributes. */
  plain(): string {
    return this.toBackground(0);
  }
}

/** Bits of a background that are no colour. */
const HAS_EXTENDED = 0x10000000;
const PROTECTED = 0x20000000;
const NO_EXTENSION = { ext: 0, urlId: 0 };

/** Ends a link. */
const NO_LINK = '\x1b]8;;\x1b\\';

function linkOf(core: Core, id: number): string {
  const link = id === 0 ? undefined : core._oscLinkService.getLinkData(id);
  if (link === undefined) return NO_LINK;
  return `\x1b]8;${link.id === undefined ? '' : `id=${link.id}`};${link.uri}\x1b\\`;
}

/** Returns the sequences that set all attributes of a cell but its link. */
export function sgrOf(cell: Attributes): string {
  const parts: (string | number)[] = [0];
  if (cell.isBold()) parts.push(1);
  if (cell.isDim()) parts.push(2);
  if (cell.isItalic()) parts.push(3);
  if (isUnderlined(cell)) parts.push(underlineOf(cell));
  if (cell.isBlink()) parts.push(5);
  if (cell.isInverse()) parts.push(7);
  if (cell.isInvisible()) parts.push(8);
  if (cell.isStrikethrough()) parts.push(9);
  if (cell.isOverline()) parts.push(53);
  parts.push(...colourOf(cell.fg, 30), ...colourOf(cell.bg, 40));
  const underline = (cell.bg & HAS_EXTENDED) === 0 ? 0 : cell.extended.underlineColor;
  if (underline > 0 && (underline & COLOUR) !== 0) parts.push(...longColourOf(underline, 58));
  // Resetting all attributes ends it, so only its beginning is written.
  const protection = (cell.bg & PROTECTED) === 0 ? '' : '\x1b[1"q';
  return parts.length === 1 ? `\x1b[m${protection}` : `\x1b[${parts.join(';')}m${protection}`;
}

/** Returns what sets a colour of underlines that shows in nothing yet. The pen of a program may have one, a cell none. */
export const unusedUnderlineColour = ({ bg, extended }: Attributes): string =>
  (bg & HAS_EXTENDED) !== 0 || (extended.underlineColor & COLOUR) === 0
    ? ''
    : `\x1b[${longColourOf(extended.underlineColor, 58).join(';')}m`;

export const UNDERLINE = 0x10000000;
/** A screen of E in xterm has lost the style of its underlines, and then none is drawn. */
const isUnderlined = ({ fg, bg, extended }: Attributes): boolean =>
  (fg & UNDERLINE) !== 0 && ((bg & HAS_EXTENDED) === 0 || extended.underlineStyle !== 0);

/** The style xterm reports for a link, whatever the program asked for. */
const DASHED = 5;

function underlineOf({ bg, extended }: Attributes): string | number {
  if ((bg & HAS_EXTENDED) === 0) return 4;
  const { underlineStyle, urlId } = extended;
  if (underlineStyle <= 1 || (urlId !== 0 && underlineStyle === DASHED)) return 4;
  return `4:${underlineStyle}`;
}

/** The bits of a colour's mode, and its values. */
const MODE_SHIFT = 24;
const MODE_16 = 1;
const MODE_RGB = 3;

/** Returns the parameters of a colour; `base` is 30 for the foreground, 40 for the background. */
function colourOf(attribute: number, base: number): readonly number[] {
  const mode = (attribute & COLOUR) >>> MODE_SHIFT;
  if (mode === 0) return [];
  const index = attribute & 0xff;
  if (mode === MODE_16) return [index < 8 ? base + index : base + 60 + index - 8];
  return longColourOf(attribute, base + 8);
}

const longColourOf = (attribute: number, code: number): readonly number[] =>
  (attribute & COLOUR) >>> MODE_SHIFT === MODE_RGB
    ? [code, 2, (attribute >>> 16) & 0xff, (attribute >>> 8) & 0xff, attribute & 0xff]
    : [code, 5, attribute & 0xff];
