/** SPEC E3: longer lines are always asked. UTF-16 units. */
export const MAX_COMMAND_LENGTH = 10_000;

/** Controls (but tab and newline), bidi marks, zero width, tags, odd spaces: what a person cannot see. */
const HIDDEN = new RegExp(
  [
    '(?![\\t\\n])\\p{Cc}',
    '(?! )\\p{Zs}',
    '[\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}\\p{Variation_Selector}]',
    '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0]',
  ].join('|'),
  'u',
);

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
  // A shell joins `r\⏎m` to `rm`; the parser reads two words. Between words of one line both agree.
  const joined = command.replace(/[^\s\\][ \t]+\\\n(?=[ \t]|$)/g, '  ');
  if (/\\\n/.test(joined)) return 'a backslash at the end of a line joins it in an unusual place';
  return null;
}
