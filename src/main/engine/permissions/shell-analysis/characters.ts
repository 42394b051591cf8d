/** SPEC E3: longer lines are always asked. UTF-16 units. */
export const MAX_COMMAND_LENGTH = 10_000;

/** Controls (but tab and newline), bidi marks, zero width, tags, odd spaces: what a person cannot see. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{e0000}-\u{e0fff}]/u;

/** Emoji are joined and coloured by zero-width characters that are part of what a person sees. */
const EMOJI = /\p{Extended_Pictographic}(?:\ufe0f|\u200d\p{Extended_Pictographic})+/gu;

/** Why the text of a line cannot be trusted to be what it looks like; null when it can. */
export function suspiciousText(command: string): string | null {
  if (command.length > MAX_COMMAND_LENGTH)
    return `the command is longer than ${MAX_COMMAND_LENGTH} characters`;
  const hidden = HIDDEN.exec(command.replace(EMOJI, ''));
  if (hidden) {
    const code = (hidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `the command contains a character that cannot be seen (U+${code})`;
  }
  // A shell joins `r\⏎m` to `rm`; the parser reads two words. Between words both agree.
  if (/\\\n/.test(command) && /(?:[^\s]\\\n|\\\n[^\s])/.test(command.replace(/[ \t]\\\n[ \t]*/g, ' ')))
    return 'a backslash at the end of a line splits a word';
  return null;
}
