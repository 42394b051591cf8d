import { holdsNumber, type Surroundings } from './arithmetic';
import type { Word } from './words';

/** Tells whether a word is one word whatever is filled in: `"$@"` and `"${!X}"` may be several. */
export const isOneWord = ({ source }: Word): boolean =>
  !/[$`*?[{~]/.test(source.replace(/"[^"@!]*"|'[^']*'/g, ''));

/** Numbers that the shell fills in by itself, and variables. */
const FILLED_IN = /\$(?:[!?#$]|\{#\w+\}|(\w+)|\{(\w+)\})/g;

/**
 * Tells whether a word known only at run time may be an option, or have one among the words that it is split into. One
 * that begins with a letter and is not split is none, nor is a number.
 */
export function mayBeOption(word: Word, around: Surroundings): boolean {
  const { value, source } = word;
  if (value !== null || (/^"?[\w%./:=+]/.test(source) && isOneWord(word))) return false;
  const filled = source.replaceAll('"', '').replace(FILLED_IN, (whole, plain, braced) => {
    const name: string | undefined = plain ?? braced;
    return name === undefined || isSetToNumber(name, around) ? '1' : whole;
  });
  return !/^%?\d+$/.test(filled);
}

/** Tells whether a line itself sets a variable, and only ever to numbers. */
const isSetToNumber = (name: string, around: Surroundings): boolean =>
  holdsNumber(name, around) && new RegExp(`(?<![\\w$])${name}=`).test(around.line);
