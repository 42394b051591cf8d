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

/** Returns the folders at which a `find` begins to look; null where they are not known, or links may lead elsewhere. */
export function rootsFound(words: readonly Word[]): readonly string[] | null {
  const own = words.slice(1).map(({ value, glob }) => value ?? glob);
  const from = own.findIndex((text) => !/^-(?:P|O\d*|D)$/.test(text ?? ''));
  const end = own.findIndex((text, at) => at >= from && /^(?:-|[(!,]$)/.test(text ?? ''));
  const roots = own.slice(Math.max(from, 0), end < 0 ? undefined : end);
  const follows = own.some((text) =>
    /^-(?:[HL]|follow|execdir|okdir|files0-from)$/.test(text ?? ''),
  );
  if (follows || roots.includes(null)) return null;
  return roots.length > 0 ? (roots as string[]) : ['.'];
}

/** The names that are not hidden. */
export const VISIBLE = '[!.]*';

/** Options by which `fd` finds hidden files, too. */
const HIDDEN = /^(?:-[a-zA-Z]*[Hu]|--hidden|--unrestricted)/;
/** Options by which it looks elsewhere, or behind links. */
const ELSEWHERE = /^(?:-[a-zA-Z]*[LC]|--(?:follow|search-path|base-dir))/;

/** Returns the file that `fd` gives what it starts: by its ending where that is chosen. */
export function givenByFd(words: readonly Word[]): Word {
  const end = words.at(-1)?.end ?? 0;
  const texts = words.map(({ value, glob }) => value ?? glob);
  const names = texts.flatMap((text, at) => {
    const [, ending] = /^(?:-e|--extension=?)(.*)$/.exec(text ?? '') ?? [];
    return ending === undefined ? [] : `*.${ending || (texts[at + 1] ?? '*')}`;
  });
  const isOutside = texts.some(
    (text) => text === null || ELSEWHERE.test(text) || /^(?:[/~]|\.\.)|\/\.\.(?:\/|$)/.test(text),
  );
  const visible = texts.some((text) => HIDDEN.test(text ?? '')) ? ['*'] : [VISIBLE];
  return {
    ...{ value: null, glob: null, source: '', start: end, end },
    names: names.length > 0 ? names : visible,
    ...(isOutside ? {} : { roots: ['.'] }),
  };
}
