import { computationOf, type Surroundings } from './arithmetic';
import type { Draft } from './simple-command';
import { splitsReading, variableRisk } from './variables';
import type { Word } from './words';

/** Commands that change what later words of the line mean. */
const REDEFINES = new Set(['alias', 'unalias', 'enable', 'hash', 'shopt', 'function']);

/** The most texts of arithmetic in one command that are looked at. */
const MAX_NUMERIC = 100;

/** The reason why no rule vouches for a command; `isInherited`: only what variables held before the line is not known. */
export interface Doubt {
  readonly why: string;
  readonly isInherited: boolean;
}

/** Returns the reason why no rule vouches for a command, whatever its words turn out to be; null for none. Pure. */
export function doubtOf(draft: Draft, around: Surroundings): Doubt | null {
  const name = draft.words[0]?.value ?? '';
  const surely = (why: string): Doubt => ({ why, isInherited: false });
  if (REDEFINES.has(name)) return surely(`${name} can change what other commands mean`);
  const variable = draft.assignments.find(
    (text) => variableRisk(text) === 'dangerous' && !(name === 'read' && splitsReading(text)),
  );
  if (variable !== undefined) {
    const [set] = /^[^=+[]*/.exec(variable) ?? [];
    return surely(`setting ${set} can make programs run or load something else`);
  }
  const [known] = draft.findings.doubts;
  if (known !== undefined) return surely(known);
  // More of them are no daily arithmetic, and each costs a look at the line.
  const { numeric } = draft.findings;
  const [first] = numeric;
  if (first !== undefined && numeric.length > MAX_NUMERIC) return surely(first.doubt);
  const unsure = numeric.map(({ text, doubt }) => ({
    why: doubt,
    computes: computationOf(text, around),
  }));
  const unknown = unsure.find(({ computes }) => computes === 'unknown');
  const inherited = unsure.find(({ computes }) => computes === 'inherited');
  const doubt = unknown ?? inherited;
  return doubt ? { why: doubt.why, isInherited: unknown === undefined } : null;
}

/**
 * Returns the reason why no rule vouches for a test: not all its words are known by now, nor those numbers that have to be.
 * Null for none. Pure.
 */
export function testDoubt(
  { openTest }: Draft,
  words: readonly Word[],
  around: Surroundings,
): Doubt | null {
  if (openTest === undefined || words.every(({ value }) => value !== null)) return null;
  const areNumbers = openTest.every((text) => computationOf(text, around) === 'numbers');
  if (openTest.length > 0 && areNumbers) return null;
  return { why: 'what is tested is only known at run time', isInherited: false };
}
