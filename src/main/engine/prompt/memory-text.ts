import { isAbsolute, relative } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';
import { markdownParts, withParts } from './markdown-parts';

/** Creates the problem of a memory file, or of one line of it. */
export function problemOf(file: string, words: string, line?: number): SettingsProblem {
  const place = line === undefined ? file : `${file}, line ${line}`;
  const at = line === undefined ? {} : { line };
  return { file, ...at, message: `${place}: ${words}.`, level: 'warning' };
}

/** Removes HTML comments outside code, as authors use them for notes to people. */
export const withoutComments = (text: string): string =>
  withParts(text, markdownParts(text), (part, kind) => (kind === 'comment' ? '' : part));

/** Finds the paths imported by `@path` outside comments and code, in order, each with the line that has it first. */
export function importsOf(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const prose = withParts(text, markdownParts(text), blank);
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
