import type { SnippetPart } from '../../shared/session-search';

/** A word of a text as it is compared, with its place in the text. */
export interface Word {
  /** Lower case, without accents. */
  readonly folded: string;
  readonly start: number;
  readonly end: number;
}

/** Words that stand side by side; of a `prefix` the last one is only the beginning of a word. */
export interface Term {
  readonly words: readonly string[];
  readonly prefix: boolean;
}

/** Scripts that write no spaces between words: each of their characters counts as a word. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
/** Of a longer word (a key, encoded bytes) only the beginning counts. Characters. */
const MAX_WORD = 64;
/** Letters that are compared as they are; looking at those of Chinese one by one would take seconds for a long message. */
const PLAIN = /^[a-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$/;

/** Folds a word: compatible forms, case and accents make no difference. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  if (PLAIN.test(lower)) return lower.slice(0, MAX_WORD);
  return word
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('ς', 'σ')
    .slice(0, MAX_WORD);
}

/** Takes a text apart into words: runs of letters and digits. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const folded = fold(match[0]);
    if (folded === '') continue;
    words.push({ folded, start: match.index, end: match.index + match[0].length });
  }
  return words;
}

/**
 * Parses a search. Every term must be in a message. What stands in quotes must be there word by word, as must the parts of
 * `a_word` or `some/path`; the last word outside of quotes, and one with a star, may go on. Null when there is no word in it.
 */
export function parseSearch(text: string): readonly Term[] | null {
  const terms: Term[] = [];
  const pieces = [...text.matchAll(/"([^"]*)"?|[^\s"]+/gu)];
  for (const [at, piece] of pieces.entries()) {
    const quoted = piece[0].startsWith('"');
    const words = wordsOf(quoted ? (piece[1] ?? '') : piece[0]).map(({ folded }) => folded);
    if (words.length === 0) continue;
    const isLast = at === pieces.length - 1 && !/\s$/u.test(text);
    terms.push({ words, prefix: !quoted && (isLast || piece[0].endsWith('*')) });
  }
  return terms.length === 0 ? null : terms;
}

/** Tells whether a text has all the terms of a search. */
export function hasTerms(words: readonly Word[], terms: readonly Term[]): boolean {
  return terms.every((term) => words.some((_, at) => standsAt(words, at, term)));
}

function standsAt(words: readonly Word[], at: number, { words: wanted, prefix }: Term): boolean {
  return wanted.every((one, step) => {
    const folded = words[at + step]?.folded;
    if (folded === undefined) return false;
    return prefix && step === wanted.length - 1 ? folded.startsWith(one) : folded === one;
  });
}

/** The beginning of a text that is looked through first, and what must follow a finding in it. Characters. */
const FIRST_LOOK = 8_000;
const AFTER_FINDING = 1_000;

/** Finds the terms in the beginning of a text that has the first finding and some more; in all of it where there is none. */
function firstFindings(text: string, terms: readonly Term[]) {
  for (let length = FIRST_LOOK; ; length *= 4) {
    const words = wordsOf(text.slice(0, length));
    const found = words.flatMap((_, at) =>
      terms.flatMap((term) =>
        standsAt(words, at, term) ? words.slice(at, at + term.words.length) : [],
      ),
    );
    const first = found[0]?.start ?? length;
    if (length >= text.length || first + AFTER_FINDING < length) return { words, found };
  }
}

/** Characters of a snippet before the first finding, and in all. */
const LEAD_CHARS = 30;
const SNIPPET_CHARS = 160;

/** Cuts the part of a text around the first finding, on one line, with the findings in it marked. */
export function snippetOf(text: string, terms: readonly Term[]): readonly SnippetPart[] {
  const { words, found } = firstFindings(text, terms);
  const first = found[0]?.start ?? 0;
  const from = words.find(({ start }) => start >= first - LEAD_CHARS)?.start ?? 0;
  const start = first <= LEAD_CHARS ? 0 : from;
  const last = words.findLast((word) => word.start >= first && word.end <= start + SNIPPET_CHARS);
  const rest = text.length <= start + SNIPPET_CHARS;
  const end = rest ? text.length : (last?.end ?? start + SNIPPET_CHARS);
  const parts: SnippetPart[] = [];
  const add = (piece: string, marked: boolean) => {
    const line = piece.replace(/\s+/gu, ' ');
    if (line !== '') parts.push({ text: line, found: marked });
  };
  let at = start;
  if (start > 0) add('… ', false);
  for (const word of found) {
    if (word.start < at || word.end > end) continue;
    add(text.slice(at, word.start), false);
    add(text.slice(word.start, word.end), true);
    at = word.end;
  }
  add(text.slice(at, end), false);
  if (end < text.length) add(' …', false);
  return parts;
}
