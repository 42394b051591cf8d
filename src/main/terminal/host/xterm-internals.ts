import type { IBufferCell, Terminal } from '@xterm/headless';

/**
 * The inside of an xterm 6, as far as a snapshot of its screen reads it: the public interface tells neither scroll
 * region nor saved cursor, tab stops, character sets, mouse encoding and more. The table test of `screen-snapshot`
 * fails when a new version of xterm changes any of this.
 */

/** The attributes of a cell or of the pen, packed as xterm 6 does. */
export interface Attributes
  extends Pick<
    IBufferCell,
    | 'isBold'
    | 'isDim'
    | 'isItalic'
    | 'isBlink'
    | 'isInverse'
    | 'isInvisible'
    | 'isStrikethrough'
    | 'isOverline'
    | 'isAttributeDefault'
  > {
  fg: number;
  bg: number;
  readonly extended: {
    readonly ext: number;
    readonly urlId: number;
    readonly underlineStyle: number;
    readonly underlineColor: number;
  };
  isProtected(): number;
}

export interface Cell extends Attributes {
  readonly content: number;
  getChars(): string;
}

export interface Line {
  readonly length: number;
  readonly isWrapped: boolean;
  loadCell(x: number, cell: Cell): void;
  getWidth(x: number): number;
  /** Returns the column behind the last cell with a character or a background. */
  getNoBgTrimmedLength(): number;
}

export interface ScreenBuffer {
  readonly lines: { readonly length: number; get(y: number): Line | undefined };
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Readonly<Record<number, boolean | undefined>>;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: Attributes;
  readonly savedCharset: object | undefined;
}

/** The inside of an xterm, as far as a snapshot reads it. */
export interface Core {
  readonly cols: number;
  readonly rows: number;
  readonly options: {
    readonly convertEol: boolean;
    readonly cursorBlink: boolean;
    readonly tabStopWidth: number;
  };
  readonly buffers: {
    readonly normal: ScreenBuffer;
    readonly alt: ScreenBuffer;
    readonly active: ScreenBuffer;
  };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: {
      readonly applicationCursorKeys: boolean;
      readonly applicationKeypad: boolean;
      readonly bracketedPasteMode: boolean;
      readonly cursorBlink: boolean | undefined;
      readonly cursorStyle: 'block' | 'underline' | 'bar' | undefined;
      readonly origin: boolean;
      readonly reverseWraparound: boolean;
      readonly sendFocus: boolean;
      readonly synchronizedOutput: boolean;
      readonly wraparound: boolean;
    };
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _charsetService: {
    charset: object | undefined;
    readonly glevel: number;
    _charsets: (object | undefined)[];
  };
  readonly _inputHandler: {
    readonly _curAttrData: Attributes;
    readonly _parser: { readonly precedingJoinState: number; readonly currentState: number };
    selectCharset(collected: string): boolean;
  };
  readonly _oscLinkService: {
    getLinkData(id: number): { readonly id?: string; readonly uri: string } | undefined;
  };
}

/** Returns the inside of an xterm. */
export const coreOf = (terminal: Terminal): Core =>
  (terminal as object as { readonly _core: Core })._core;

/** Creates an empty cell to load others into. */
export const newCell = (terminal: Terminal): Cell =>
  terminal.buffer.normal.getNullCell() as object as Cell;

/** Returns false while a terminal has parsed the beginning of a sequence, and not its end. */
export const isBetweenSequences = (terminal: Terminal): boolean =>
  coreOf(terminal)._inputHandler._parser.currentState === 0;

/** The beginnings of strings that mean nothing, by a parser's state inside of one: APC, OSC, DCS that is left out or not. */
const STRING_STARTS: ReadonlyMap<number, string> = new Map([
  [7, '\x1b_'],
  [8, '\x1b]9999;'],
  [11, '\x1bP~'],
  [13, '\x1bP~'],
]);

/**
 * Returns what has to stand at the end of a picture that was taken inside of a string: the rest of the string comes after
 * it, and would be taken for text.
 */
export const stringStart = ({ _inputHandler }: Core): string =>
  STRING_STARTS.get(_inputHandler._parser.currentState) ?? '';
