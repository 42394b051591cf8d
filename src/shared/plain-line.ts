/** Most text holds nothing that is marked, and is left alone faster. */
const PLAIN = /^[\x20-\x7e\n\t]*$/;

/**
 * Marks characters that move, hide or turn text around: control and format characters, separators of lines, and what is
 * drawn as nothing. Emoji hold some of them, and stay.
 */
function marked(text: string): string {
  if (PLAIN.test(text)) return text;
  // Only here, where it is needed: to read this expression takes a twentieth of a short run.
  const unseen = /(\p{RGI_Emoji}|[\t\n])|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gv;
  return text.replaceAll(unseen, (found, kept?: string) => (kept === undefined ? '\uFFFD' : found));
}

/** Returns a stranger's text of several lines with unseen characters marked. Pure. */
export const withoutHidden = (text: string): string => marked(text.replaceAll('\r\n', '\n'));

/** Returns a stranger's text as one line in which nothing hides: line breaks are spaces, unseen characters are marked. Pure. */
export const plainLine = (text: string, maxChars: number): string =>
  marked(text.slice(0, maxChars).replaceAll(/[\t\r\n]+/g, ' ')).toWellFormed();
