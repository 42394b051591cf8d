import type { UserBlock } from './message';

/** A pasted text longer than this becomes a chip in the composer. Characters, lines. */
const CHIP_CHARS = 1_000;
const CHIP_LINES = 12;

/** Tells whether a pasted text is long enough to be shown as a chip. */
export const isLongPaste = (text: string): boolean =>
  text.length > CHIP_CHARS || lineCount(text) > CHIP_LINES;

/** Counts the lines of a text. */
const lineCount = (text: string): number => text.split('\n').length;

/** A pasted text, or a text file, as what a prompt carries. */
export interface CarriedText {
  /** Of a file as an editor counts them: without an empty one at its end. */
  readonly lines: number;
  /** The name of the file. */
  readonly file?: string;
}

const CLOSING = '\n</pasted-text>';
const OPENING = /^<pasted-text lines="(\d+)"(?: file="([^"\n]*)")?>\n/;

/** The characters that would end the name of a file before its end, and what stands for them. */
const STANDS_FOR: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['"', '&quot;'],
  ['\n', '&#10;'],
];

/** Marks a pasted text, or that of a file, so that the model knows it as one and the conversation shows a chip in its place. */
export const pastedText = (text: string, file?: string): string => {
  const name = STANDS_FOR.reduce((all, [one, other]) => all.replaceAll(one, other), file ?? '');
  const opening = `<pasted-text lines="${linesOf(text, file)}"${file === undefined ? '' : ` file="${name}"`}>`;
  return `${opening}\n${text}${CLOSING}`;
};

/** Counts the lines of a pasted text, or of a file. */
export const linesOf = (text: string, file?: string): number =>
  lineCount(file === undefined ? text : text.replace(/\n$/, ''));

/** Reads what {@link pastedText} marked, with the text itself as `body`; null for any other text. */
export function readPasted(text: string): (CarriedText & { readonly body: string }) | null {
  const [opening, lines, name] = OPENING.exec(text) ?? [];
  if (opening === undefined || !text.endsWith(CLOSING)) return null;
  const body = text.slice(opening.length, -CLOSING.length);
  if (name === undefined) return { lines: Number(lines), body };
  const file = STANDS_FOR.reduceRight((all, [one, other]) => all.replaceAll(other, one), name);
  return { lines: Number(lines), file, body };
}

/** Returns the text that {@link pastedText} marked, under the name of its file; null for any other text. */
export function pastedBody(text: string): string | null {
  const { file, body = null } = readPasted(text) ?? {};
  return file === undefined ? body : `${file}:\n\n${body}`;
}

/** Returns the pasted texts and files that a prompt carries. */
export const carriedTexts = (content: readonly UserBlock[]): readonly CarriedText[] =>
  content.flatMap((block) => {
    const pasted = block.type === 'text' ? readPasted(block.text) : null;
    if (pasted === null) return [];
    const { lines, file } = pasted;
    return [file === undefined ? { lines } : { lines, file }];
  });

/** Returns the words of a prompt that a user typed: pasted texts left out. */
export const typedWords = (content: readonly UserBlock[]): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .filter((text) => text !== '' && readPasted(text) === null)
    .join('\n');
