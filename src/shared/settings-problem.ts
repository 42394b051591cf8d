import type { SettingsProblem } from './settings';

/** Longer lines are cut: a name or a rule in them may be as long as its file. Characters. */
const MAX_LINE_CHARS = 1_000;

/** Characters that steer a terminal or do not show. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/**
 * Returns a problem as one line that names its file, line and key, each once. What a file holds cannot steer the terminal that
 * shows the line, or hide in it. Pure.
 */
export function problemLine({ file, line, field = '', message }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}, line ${line}`;
  const named = field === '' || message.includes(field) ? message : `${field}: ${message}`;
  const text = message.includes(file) ? message : `${place}: ${named}`;
  const cut = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
  return cut.replace(UNSEEN, (character) => `<U+${hex(character)}>`);
}

const hex = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
