import { BLANK_CHARACTERS } from '../../shared/blank-characters';

/** The look of a part of a text: a colour (a CSS value) and a style. */
export interface TextLook {
  readonly text: string;
  readonly color: string | undefined;
  readonly italic: boolean;
  readonly bold: boolean;
}

/**
 * Text the user decides on, with everything that hides made visible: control, bidi, zero-width and other
 * invisible characters, look-alike spaces, and padding that would push the rest out of sight. docs/security.md 12
 */
type VisibleSegment =
  | { readonly kind: 'text'; readonly text: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'mark';
      /** Drawn in place of the characters: "ESC", "U+202E", "40 empty lines". */
      readonly label: string;
      /** Their name in words. */
      readonly name: string;
      readonly start: number;
      readonly end: number;
    };

/** This many spaces or tabs in a row are padding. Deeper indentation is rare in a command. */
const PADDING_RUN = 24;
/** This many empty lines in a row are padding. */
const EMPTY_LINES = 4;
/** So many different hidden characters in a row are drawn one by one; the rest is counted. */
const DRAWN_IN_A_ROW = 8;

/** Emoji sequences the Unicode standard recommends may hold joiners and selectors; nothing else may. */
const HIDDEN_RUN = new RegExp(
  `(?<emoji>\\p{RGI_Emoji})|(?<hidden>[[\\p{Cc}--[\\n\\t]]\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}[\\p{Zs}--[ ]]${BLANK_CHARACTERS}]+)`,
  'gv',
);
const PADDING = new RegExp(
  `(?<lines>\\n(?:[ \\t]*\\n){${EMPTY_LINES},})|(?<spaces>[ \\t]{${PADDING_RUN},})`,
  'g',
);
const PLAIN = /^[\x20-\x7e\n\t]*$/;

/**
 * Cuts `text` into visible and hidden parts. Offsets are UTF-16 units of `text` and cover it without gaps.
 * With `padding`, long runs of spaces and empty lines become marks too.
 */
export function visibleText(
  text: string,
  options: { readonly padding?: boolean } = {},
): readonly VisibleSegment[] {
  const segments = PLAIN.test(text) ? whole(text, 0) : revealHidden(text);
  return options.padding === true
    ? segments.flatMap((s) => (s.kind === 'text' ? revealPadding(s.text, s.start) : [s]))
    : segments;
}

/** Returns true when `text` holds a character that would not show. */
export const hidesSomething = (text: string): boolean =>
  visibleText(text).some((segment) => segment.kind === 'mark');

/** A range of text to stand out, in UTF-16 units [start, end). */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A segment and whether it lies in one of the ranges asked for. */
type RangedSegment = VisibleSegment & { readonly marked: boolean };

/** Cuts text segments at the edges of `ranges`, and says for each piece whether it is inside one. */
export function markRanges(
  segments: readonly VisibleSegment[],
  ranges: readonly TextRange[],
): readonly RangedSegment[] {
  const edges = ranges.flatMap((r) => [r.start, r.end]);
  const inside = (at: number) => ranges.some((r) => r.start <= at && at < r.end);
  return segments.flatMap((segment): RangedSegment[] => {
    if (segment.kind === 'mark') return [{ ...segment, marked: inside(segment.start) }];
    const cuts = [segment.start, ...edges, segment.end]
      .filter((edge) => edge >= segment.start && edge <= segment.end)
      .toSorted((a, b) => a - b);
    return cuts.slice(1).flatMap((end, i) => {
      const start = cuts[i] ?? segment.start;
      const text = segment.text.slice(start - segment.start, end - segment.start);
      return text === '' ? [] : [{ kind: 'text', text, start, end, marked: inside(start) }];
    });
  });
}

type LookedSegment = RangedSegment & { readonly look?: TextLook };

/** Cuts pieces of text where their look changes; those that stand out stay whole, in one ink. Pure. */
export function withLooks(
  pieces: readonly RangedSegment[],
  looks: readonly TextLook[] = [],
): readonly LookedSegment[] {
  if (looks.length === 0) return pieces;
  let at = 0;
  const spans = looks.map((look) => {
    const start = at;
    at += look.text.length;
    return { look, start, end: at };
  });
  return pieces.flatMap((piece): readonly LookedSegment[] => {
    if (piece.kind === 'mark' || piece.marked) return [piece];
    const cut: LookedSegment[] = spans
      .filter(({ start, end }) => start < piece.end && end > piece.start)
      .map(({ look, ...span }) => {
        const start = Math.max(span.start, piece.start);
        const end = Math.min(span.end, piece.end);
        const text = piece.text.slice(start - piece.start, end - piece.start);
        return { ...piece, text, start, end, look };
      });
    const rest = Math.max(piece.start, at);
    return rest >= piece.end
      ? cut
      : [...cut, { ...piece, text: piece.text.slice(rest - piece.start), start: rest }];
  });
}

const whole = (text: string, at: number): VisibleSegment[] =>
  text === '' ? [] : [{ kind: 'text', text, start: at, end: at + text.length }];

function revealHidden(text: string): VisibleSegment[] {
  const segments: VisibleSegment[] = [];
  let shown = 0;
  for (const match of text.matchAll(HIDDEN_RUN)) {
    const hidden = match.groups?.['hidden'];
    if (hidden === undefined) continue;
    segments.push(...whole(text.slice(shown, match.index), shown));
    segments.push(...marksOf(hidden, match.index));
    shown = match.index + hidden.length;
  }
  return [...segments, ...whole(text.slice(shown), shown)];
}

/** Makes the marks of a hidden run: equal neighbours share one, a long mixed run is drawn in part and counted. */
function marksOf(hidden: string, at: number): VisibleSegment[] {
  const marks: VisibleSegment[] = [];
  const characters = [...hidden];
  let offset = at;
  for (let i = 0; i < characters.length; ) {
    const character = characters[i] ?? '';
    if (marks.length === DRAWN_IN_A_ROW) {
      const rest = characters.length - i;
      const label = `${rest.toLocaleString('en-US')} more hidden`;
      const name = `${rest.toLocaleString('en-US')} more hidden characters`;
      return [...marks, { kind: 'mark', label, name, start: offset, end: at + hidden.length }];
    }
    let count = 1;
    while (characters[i + count] === character) count += 1;
    const end = offset + character.length * count;
    marks.push({ kind: 'mark', ...naming(character, count), start: offset, end });
    offset = end;
    i += count;
  }
  return marks;
}

function naming(character: string, count: number): { label: string; name: string } {
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const times = count > 1 ? ` ×${count.toLocaleString('en-US')}` : '';
  const known = NAMES.get(code) ?? (/\p{Zs}/u.test(character) ? 'unusual space' : undefined);
  return {
    label: `${CONTROLS[code] ?? (code === 0x7f ? 'DEL' : hex)}${times}`,
    name: `${known ?? 'hidden character'} (${hex})${times}`,
  };
}

function revealPadding(text: string, at: number): VisibleSegment[] {
  const segments: VisibleSegment[] = [];
  let shown = 0;
  for (const match of text.matchAll(PADDING)) {
    const lines = match.groups?.['lines'];
    // The last newline stays text, so that what follows still starts a line.
    const end = match.index + match[0].length - (lines === undefined ? 0 : 1);
    const count = lines === undefined ? match[0].length : lines.split('\n').length - 2;
    const label = `${count.toLocaleString('en-US')} ${lines === undefined ? 'spaces' : 'empty lines'}`;
    segments.push(...whole(text.slice(shown, match.index), at + shown));
    segments.push({ kind: 'mark', label, name: label, start: at + match.index, end: at + end });
    shown = end;
  }
  return [...segments, ...whole(text.slice(shown), at + shown)];
}

/** The usual short names of the C0 controls, by code. */
const CONTROLS: readonly string[] =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x00, 'null'],
  [0x07, 'bell'],
  [0x08, 'backspace'],
  [0x0d, 'carriage return'],
  [0x1b, 'escape'],
  [0x7f, 'delete'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x061c, 'Arabic letter mark'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x2028, 'line separator'],
  [0x2029, 'paragraph separator'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'end of embedding'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'end of isolate'],
  [0x2800, 'blank braille pattern'],
  [0x3164, 'Hangul filler'],
  [0xfe0f, 'variation selector'],
  [0xfeff, 'zero-width no-break space'],
]);
