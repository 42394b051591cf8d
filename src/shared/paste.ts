import type { UserBlock } from './message';

/** A pasted text longer than this becomes a chip in the composer. Characters, lines. */
const CHIP_CHARS = 1_000;
const CHIP_LINES = 12;

/** Tells whether a pasted text is long enough to be shown as a chip. */
export const isLongPaste = (text: string): boolean =>
  text.length > CHIP_CHARS || lineCount(text) > CHIP_LINES;

/** Counts the lines of a text. */
export const lineCount = (text: string): number => text.split('\n').length;

const CLOSING = '\n</pasted-text>';
const OPENING = /^<pasted-text lines="(\d+)">\n/;

/** Marks a pasted text, so that the model knows it as one and the conversation shows a chip in its place. */
export const pastedText = (text: string): string =>
  `<pasted-text lines="${lineCount(text)}">\n${text}${CLOSING}`;

/** Returns the text that {@link pastedText} marked; null for any other text. */
export function pastedBody(text: string): string | null {
  const opening = OPENING.exec(text)?.[0];
  return opening === undefined || !text.endsWith(CLOSING)
    ? null
    : text.slice(opening.length, -CLOSING.length);
}

/** Returns the lines of a text that {@link pastedText} marked; null for any other text. */
export function pastedLines(text: string): number | null {
  const lines = OPENING.exec(text)?.[1];
  return lines === undefined || !text.endsWith(CLOSING) ? null : Number(lines);
}

/** Returns the words of a prompt that a person typed: pasted texts left out. */
export const typedWords = (content: readonly UserBlock[]): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .filter((text) => text !== '' && pastedLines(text) === null)
    .join('\n');
