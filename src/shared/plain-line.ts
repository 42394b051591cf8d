/**
 * Characters that move, hide or turn text around: control and format characters, separators of lines, and what is drawn as
 * nothing. Emoji hold some of them, and are matched as `emoji`.
 */
const UNSEEN = /(?<emoji>\p{RGI_Emoji})|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gv;
/** Most text holds none of them, and is left alone faster. */
const PLAIN = /^[\x20-\x7e\n\t]*$/;

const marked = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replaceAll(UNSEEN, (found) =>
        /[\t\n]/.test(found) || /^\p{RGI_Emoji}$/v.test(found) ? found : '\uFFFD',
      );

/** Returns a stranger's text of several lines with unseen characters marked. Pure. */
export const withoutHidden = (text: string): string => marked(text.replaceAll('\r\n', '\n'));

/** Returns a stranger's text as one line in which nothing hides: line breaks are spaces, unseen characters are marked. Pure. */
export const plainLine = (text: string, maxChars: number): string =>
  marked(text.slice(0, maxChars).replaceAll(/[\t\r\n]+/g, ' ')).toWellFormed();
