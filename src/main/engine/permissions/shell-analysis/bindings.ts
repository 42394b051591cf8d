import type { Word } from './words';

/** A variable the line itself sets, and everything it may then hold. */
export interface Binding {
  readonly name: string;
  readonly values: readonly Word[];
}

/** More combinations are not followed; the words then stay unknown. */
const MAX_READINGS = 16;

/** Behind a variable these texts stay one word and no pattern. */
const PLAIN = /^[\w.~/@%+=:,-]+$/;
const USE = /^("?)\$(?:(\w+)|\{(\w+)\})(\/[\w./-]*)?\1$/;

/**
 * Whether nothing else in a line can change a variable: its name stands there once, and otherwise only as `$name`.
 * By custom a name in lower case is the line's own. Escapes could hide another mention.
 */
function isSetOnce(name: string, source: string): boolean {
  if (!/^[a-zA-Z]\w*$/.test(name) || /\\|\$['"]/.test(source)) return false;
  return [...source.matchAll(new RegExp(`(?<![-$]|\\$\\{)\\b${name}\\b`, 'g'))].length === 1;
}

/** The words of a command with variables of the line filled in: one reading for each value. */
export function readingsOf(
  words: readonly Word[],
  bindings: ReadonlyMap<string, readonly Word[]>,
  source: string,
): readonly (readonly Word[])[] {
  let readings: readonly (readonly Word[])[] = [words];
  for (const [name, values] of bindings) {
    if (!words.some((word) => usedIn(word)?.name === name) || !isSetOnce(name, source)) continue;
    const filled = readings.flatMap((reading) =>
      values.map((value) => reading.map((word) => fill(word, name, value))),
    );
    if (filled.length > 0 && filled.length <= MAX_READINGS) readings = filled;
  }
  return readings;
}

function usedIn(word: Word): { readonly name: string; readonly rest: string } | null {
  if (word.value !== null || word.glob !== null) return null;
  const [, , short, long, rest = ''] = USE.exec(word.source) ?? [];
  const name = short ?? long;
  return name === undefined ? null : { name, rest };
}

function fill(word: Word, name: string, value: Word): Word {
  const use = usedIn(word);
  if (use?.name !== name) return word;
  if (value.glob !== null) return { ...word, glob: value.glob + use.rest };
  return value.value !== null && PLAIN.test(value.value)
    ? { ...word, value: value.value + use.rest }
    : word;
}
