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
      (/^(?:,|-i?wholename|-iname)$/.test(text) && !isName(at)) ||
      (isNot(text) && !isName(at) && texts[at + 1] !== '-name') ||
      (/^(?:-o|-or)$/.test(text) && !isBetweenNames(texts, at)) ||
      (text === '(' && texts[at + 1] !== '-name'),
  );
  const names = texts.flatMap((text, at) =>
    isName(at) && texts[at + 1] !== '-prune' && !isNot(texts[at - 2]) ? (text ?? []) : [],
  );
  const isKnown = names.length > 0 && names.every((name) => /^[\w*.-]*\.\w+$/.test(name));
  return isKnown && !isUnclear ? names : null;
}

const isNot = (text: string | null | undefined): boolean => /^(?:!|-not)$/.test(text ?? '');

/** Tells whether both alternatives around a place are limited to a name, or the first leaves out a folder. */
const isBetweenNames = (texts: readonly (string | null)[], at: number): boolean =>
  texts[at + 1] === '-name' &&
  (texts[at - 1] === '-prune' || (texts[at - 2] === '-name' && !isNot(texts[at - 3])));
