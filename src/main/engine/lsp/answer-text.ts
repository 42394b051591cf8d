import { plainLine } from '../../../shared/plain-line';
import type { Finding } from './results';

/** The most findings that the model is shown. */
export const MAX_SHOWN = 150;
/** The longest answer, and the longest label of a finding. Characters. */
const MAX_CHARS = 20_000;
const MAX_LABEL = 200;
const MAX_PATH = 4096;

/** Findings to show, with what is to be said of them. */
export interface Shown {
  readonly findings: readonly Finding[];
  /** One thing found, and several: `reference`, `references`. */
  readonly words: readonly [one: string, several: string];
  /** Left out, because a rule or git hides their files. */
  readonly hidden: number;
  readonly ignored: number;
  /** Names a file as it is shown. */
  readonly nameOf: (path: string) => string;
}

/** An answer in words. */
export interface AnswerText {
  readonly text: string;
  readonly truncated: boolean;
}

/** Returns findings in words: by file, each with its place. Pure. */
export function findingsText(shown: Shown): AnswerText {
  const { findings, words, nameOf } = shown;
  const files = Map.groupBy(findings.slice(0, MAX_SHOWN), ({ path, uri }) =>
    plainLine(path === null ? uri : nameOf(path), MAX_PATH),
  );
  const many = findings.length === 1 ? `1 ${words[0]}` : `${findings.length} ${words[1]}`;
  const all = new Set(findings.map(({ uri }) => uri)).size;
  const where = all > 1 ? ` in ${all} files` : '';
  const lines = [...files].flatMap(([file, own]) => [
    file,
    ...own.map(({ line, character, label, depth }) => {
      const name = label === '' ? '' : ` ${plainLine(label, MAX_LABEL)}`;
      return `${'  '.repeat(depth + 1)}${line}:${character}${name}`;
    }),
  ]);
  const more = findings.length - MAX_SHOWN;
  const body = bounded([`${many}${where}:`, ...lines].join('\n'));
  const cut = more > 0 ? [`(${more} more are left out.)`] : [];
  return {
    text: [body.text, ...cut, ...leftOut(shown)].join('\n'),
    truncated: body.truncated || more > 0,
  };
}

/** Returns the words on what is left out, which stand alone where nothing else is. Pure. */
export function leftOut({ hidden, ignored }: Pick<Shown, 'hidden' | 'ignored'>): readonly string[] {
  return [
    ...(hidden === 0
      ? []
      : [`(${hidden} in files that a rule keeps from being read are left out.)`]),
    ...(ignored === 0 ? [] : [`(${ignored} in files that git ignores are left out.)`]),
  ];
}

/** Cuts an answer at its longest. Pure. */
export function bounded(text: string): AnswerText {
  if (text.length <= MAX_CHARS) return { text, truncated: false };
  const cut = text.slice(0, MAX_CHARS);
  // A line that is too long itself is cut, so that not all is lost.
  const end = cut.lastIndexOf('\n');
  const whole = (end < MAX_CHARS / 2 ? cut : cut.slice(0, end)).toWellFormed();
  return { text: `${whole}\n(The rest is left out.)`, truncated: true };
}

/** The most names of a line that are shown. */
const MAX_NAMES = 20;
const NAME = /[\p{L}\p{N}_$]+/gu;

/** Returns the name at a place of a text, null for none. Line and character count from 1. Pure. */
export function nameAt(text: string, line: number, character: number): string | null {
  const all = lineOf(text, line)?.matchAll(NAME) ?? [];
  for (const { 0: name, index } of all)
    if (character - 1 >= index && character - 1 <= index + name.length) return name;
  return null;
}

/** Returns what stands in a line, with the place of each name in it, so that a question can be put right. Pure. */
export function lineText(text: string, line: number): string {
  const found = lineOf(text, line);
  if (found === undefined) return `The file has ${text.split('\n').length} lines.`;
  const names = [...found.matchAll(NAME)]
    .filter(([name]) => !/^\d/.test(name))
    .slice(0, MAX_NAMES)
    .map(({ 0: name, index }) => `${name} ${index + 1}`);
  const where = names.length === 0 ? '' : ` Names in it, by character: ${names.join(', ')}.`;
  return `Line ${line} reads: ${plainLine(found.trim(), MAX_LABEL)}${where}`;
}

const lineOf = (text: string, line: number): string | undefined =>
  text.split('\n')[line - 1]?.replace(/\r$/, '');
