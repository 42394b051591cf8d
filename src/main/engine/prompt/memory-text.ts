import { isAbsolute, relative } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';

/** Creates the problem of a memory file, or of one line of it. */
export function problemOf(file: string, words: string, line?: number): SettingsProblem {
  const place = line === undefined ? file : `${file}, line ${line}`;
  const at = line === undefined ? {} : { line };
  return { file, ...at, message: `${place}: ${words}.`, level: 'warning' };
}

/** Removes HTML comments outside code, as authors use them for notes to people. */
export const withoutComments = (text: string): string =>
  stretches(text)
    .map((s) => (s.code ? s.text : replaced(s.text, unread(s.text, COMMENTS), () => '')))
    .join('\n');

/** Finds the paths imported by `@path` outside code spans and fences, in order, each with the line that has it first. */
export function importsOf(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const prose = stretches(text)
    .map((s) => (s.code ? blank(s.text) : replaced(s.text, unread(s.text, MARKS), blank)))
    .join('\n');
  let line = 1;
  let before = 0;
  for (const match of prose.matchAll(/(?<=^|[\s(])@((?:\\ |[^\s)])+)/g)) {
    line += prose.slice(before, match.index).split('\n').length - 1;
    before = match.index;
    const path = withoutStops((match[1] ?? '').replaceAll('\\ ', ' '));
    if (path !== '' && !found.has(path)) found.set(path, line);
  }
  return found;
}

/** The most of a path that is told. Characters. */
const MAX_SHOWN = 200;
/** Returns a path to tell somebody, cut where it is too long to be one. */
export const shownPath = (path: string): string =>
  path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;

/** Removes the punctuation at the end of a path that ends a sentence. */
function withoutStops(path: string): string {
  let end = path.length;
  while (end > 0 && '.,;:!?'.includes(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}

/** Tells whether a path is a folder or lies in it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}

/** Returns the entries of a folder whose names are meant as others, each with that one: they differ in letter case. */
export const misspelledNames = (
  entries: readonly { readonly name: string }[],
  names: readonly string[],
): (readonly [name: string, meant: string])[] =>
  entries.flatMap(({ name }) => {
    const meant = names.find((one) => one.toLowerCase() === name.toLowerCase());
    return meant === undefined || meant === name ? [] : [[name, meant] as const];
  });

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The beginnings of comments. */
const COMMENTS = /<!--/g;
/** The beginnings of comments, and the marks that begin or end a code span. */
const MARKS = /<!--|`+/g;
const COMMENT_START = '<!--';
const COMMENT_END = '-->';

/** A part of a text, its end not included. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds comments and code spans that end. Those that do not are looked at once, as a whole text of them would otherwise
 * be searched to its end for each. A span ends at the first run of as many marks as it begins with.
 */
function unread(text: string, begins: RegExp): readonly Part[] {
  const marks = [...text.matchAll(begins)].map(({ 0: mark, index }) => ({
    index,
    run: mark.startsWith('`') ? mark.length : 0,
  }));
  const longest = longestFrom(marks.map(({ run }) => run));
  const parts: Part[] = [];
  let done = 0;
  let isOpen = false;
  let at = 0;
  const close = (start: number, end: number) => {
    parts.push({ start, end });
    done = end;
  };
  for (let mark = marks[at]; mark; mark = marks[at]) {
    at++;
    const { index, run } = mark;
    // Of a run that ended a span, what is left of it may begin another.
    const size = Math.min(index + run - Math.max(index, done), longest[at] ?? 0);
    if (size > 0) {
      while ((marks[at]?.run ?? size) < size) at++;
      close(index + run - size, (marks[at]?.index ?? text.length) + size);
    } else if (run === 0 && index >= done && !isOpen) {
      const end = text.indexOf(COMMENT_END, index + COMMENT_START.length);
      if (end < 0) isOpen = true;
      else close(index, end + COMMENT_END.length);
    }
  }
  return parts;
}

/** Returns for each place of a list the largest number from there on. */
function longestFrom(numbers: readonly number[]): readonly number[] {
  let most = 0;
  return numbers
    .toReversed()
    .map((number) => {
      most = Math.max(most, number);
      return most;
    })
    .reverse();
}

/** Returns a text with some parts of it changed. */
function replaced(text: string, parts: readonly Part[], change: (part: string) => string): string {
  let end = 0;
  const kept = parts.flatMap((part) => {
    const before = text.slice(end, part.start);
    end = part.end;
    return [before, change(text.slice(part.start, part.end))];
  });
  return [...kept, text.slice(end)].join('');
}

/** A run of lines, and whether it stands inside a code fence. */
interface Stretch {
  readonly code: boolean;
  readonly text: string;
}

function stretches(text: string): readonly Stretch[] {
  const out: { code: boolean; lines: string[] }[] = [{ code: false, lines: [] }];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    const opens = fence === null && mark !== null;
    if (opens) out.push({ code: true, lines: [] });
    out.at(-1)?.lines.push(line);
    if (opens) fence = mark;
    else if (fence !== null && mark?.[0] === fence[0] && (mark?.length ?? 0) >= fence.length) {
      fence = null;
      out.push({ code: false, lines: [] });
    }
  }
  return out
    .filter((s) => s.lines.length > 0)
    .map((s) => ({ code: s.code, text: s.lines.join('\n') }));
}
