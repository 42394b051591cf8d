import path from 'node:path';
import { isRunner, TRANSPARENT } from './launchers';
import type { Word } from './words';

/** Longer argument lists are not searched for every command they may start; the rest counts as unknown. */
export const MAX_SUFFIXES = 40;

/**
 * Returns the words the line itself gives to `xargs`. More may come, unless the text is plain and
 * all of it.
 */
export function wordsFromInput(words: readonly Word[], stdin: string | null | undefined): Word[] {
  const known = knownWords(words, stdin);
  const isAll = /^[\w./@:+,\s-]+$/.test(stdin ?? '') && known.length < MAX_SUFFIXES;
  return isAll ? known : [...known, unknownAfter(words)];
}

/**
 * Tells whether `xargs` runs its input as code or as a program: put into a word (`-I{} sh -c {}`), or behind a runner
 * (`-n1 env`).
 */
export function runsInput(words: readonly Word[]): boolean {
  if (endsInRunner(words.slice(1))) return true;
  const at = words.findIndex((word) => /^(?:-I|-i|--replace)/.test(word.value ?? ''));
  const option = words[at]?.value ?? '';
  const attached = option.replace(/^(?:-[Ii]|--replace=?)/, '');
  const given = option === '-I' ? words[at + 1]?.value : attached || '{}';
  if (at < 0 || !given) return false;
  const from = option === '-I' ? at + 2 : at + 1;
  const command = words.findIndex((word, i) => i >= from && !word.value?.startsWith('-'));
  return words.some((word, i) => {
    const isCode = i === command || /^-\w*[ceE]$/.test(words[i - 1]?.value ?? '');
    if (word.value?.includes(given) !== true) return false;
    return isCode || (i > from && !/^\w+=/.test(word.value) && endsInRunner(words.slice(1, i)));
  });
}

/** Tells whether the next word is a program to be started: nothing but options stands behind the last runner. */
export function endsInRunner(words: readonly Word[]): boolean {
  const at = words.findLastIndex((word) => {
    const base = path.posix.basename(word.value ?? '');
    // The first word behind `ssh` is a host.
    return base !== 'ssh' && (isRunner(base) || Object.hasOwn(TRANSPARENT, base));
  });
  const isOption = ({ value }: Word, i: number, all: readonly Word[]) =>
    /^-|^\d*\.?\d+[smhd]?$|^\w+=/.test(value ?? '') || /^-/.test(all[i - 1]?.value ?? '');
  return at >= 0 && words.slice(at + 1).every(isOption);
}

/** Returns the words that the line itself gives to `xargs`. */
export const knownWords = (words: readonly Word[], stdin: string | null | undefined): Word[] =>
  (stdin ?? '')
    .split(/\s+/)
    .filter((text) => text !== '')
    .slice(0, MAX_SUFFIXES)
    .map((value) => ({ ...unknownAfter(words), value, source: value }));

/** Returns a word, known at run time only, behind others. */
function unknownAfter(words: readonly Word[]): Word {
  const end = words.at(-1)?.end ?? 0;
  return { value: null, glob: null, source: '', start: end, end };
}

/** Tells whether a command is `xargs` or started by it, with a last word that stands for its input. */
export const isGivenWords = (words: readonly Word[]): boolean =>
  /^(?:xargs|parallel|rush)$/.test(words[0]?.value ?? '') ||
  (words.at(-1)?.source === '' && words.at(-1)?.value === null);
