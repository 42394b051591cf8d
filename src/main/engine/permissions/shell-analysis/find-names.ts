import type { Word } from './words';

/** Returns the patterns of names with an ending that a `find` is limited to; null when it may find others. */
export function namesFound(words: readonly Word[]): readonly string[] | null {
  const texts = words.map(({ value }) => value);
  // What stands behind an action does not limit it.
  const end = texts.findIndex((text) => /^-(?:exec|ok)(?:dir)?$/.test(text ?? ''));
  const isName = (at: number) => texts[at - 1] === '-name' && (end < 0 || at < end);
  const isUnclear = texts.some(
    (text, at) =>
      text === null ||
      (/^(?:,|!|-not|-i?wholename|-iname)$/.test(text) && !isName(at)) ||
      (/^(?:-o|-or)$/.test(text) && !isBetweenNames(texts, at)) ||
      (text === '(' && texts[at + 1] !== '-name'),
  );
  const names = texts.flatMap((text, at) =>
    isName(at) && texts[at + 1] !== '-prune' ? (text ?? []) : [],
  );
  const isKnown = names.length > 0 && names.every((name) => /^[\w*.-]*\.\w+$/.test(name));
  return isKnown && !isUnclear ? names : null;
}

/** Tells whether both alternatives around a place are limited to a name, or the first leaves out a folder. */
const isBetweenNames = (texts: readonly (string | null)[], at: number): boolean =>
  texts[at + 1] === '-name' && (texts[at - 2] === '-name' || texts[at - 1] === '-prune');
