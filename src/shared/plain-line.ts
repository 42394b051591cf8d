/** Characters that move, hide or turn text around: control and format characters, and separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a stranger's text of several lines with unseen characters marked. Pure. */
export const withoutHidden = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (char) => (/[\t\n]/.test(char) ? char : '\uFFFD'));

/** Returns a stranger's text as one line in which nothing hides: line breaks are spaces, unseen characters are marked. Pure. */
export const plainLine = (text: string, maxChars: number): string =>
  text
    .slice(0, maxChars)
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(UNSEEN, '\uFFFD')
    .toWellFormed();
