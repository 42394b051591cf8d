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
    .map((s) => (s.code ? s.text : s.text.replace(/<!--[\s\S]*?-->/g, '')))
    .join('\n');

/** Finds the paths imported by `@path` outside code spans and fences, in order, each with the line that has it first. */
export function importsOf(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const prose = stretches(text)
    .map((s) => (s.code ? blank(s.text) : s.text.replace(UNREAD, blank)))
    .join('\n');
  let line = 1;
  let before = 0;
  for (const match of prose.matchAll(/(?<=^|[\s(])@((?:\\ |[^\s)])+)/g)) {
    line += prose.slice(before, match.index).split('\n').length - 1;
    before = match.index;
    const path = (match[1] ?? '').replaceAll('\\ ', ' ').replace(/[.,;:!?]+$/, '');
    if (path !== '' && !found.has(path)) found.set(path, line);
  }
  return found;
}

/** The most of a path that is told. Characters. */
const MAX_SHOWN = 200;
/** Returns a path to tell somebody, cut where it is too long to be one. */
export const shownPath = (path: string): string =>
  path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;

/** Comments and code spans. */
const UNREAD = /<!--[\s\S]*?-->|(`+)[^`][\s\S]*?\1/g;
const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Returns the 1-based line of a place in a text. */
export const lineOf = (text: string, at: number): number =>
  text.slice(0, Math.max(0, at)).split('\n').length;

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
