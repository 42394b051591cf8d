import { unquotedPath } from '../../../shared/project-file';

/** One `@path` in a prompt. Lines count from 1; both ends are included. */
export interface Mention {
  readonly path: string;
  /** The whole of it as written, which may be the name of a file, too. */
  readonly written?: string;
  readonly lines?: { readonly from: number; readonly to: number };
}

/** Mentions looked up per prompt; more is a pasted listing, not a wish. */
export const MAX_MENTIONS = 20;

/** Places of a prompt that are looked at: of a pasted log in which a few names stand in every line more cost seconds. */
const MAX_LOOKED = 10_000;

/**
 * `@"any text"`, with `\"` for a quote in it, or `@word`, at the beginning of the text or after a space or an opening
 * bracket. No path is longer than 4096 bytes on any system, and the bound keeps pasted text cheap.
 */
const MENTION = /@(?<=(?:^|[\s([{])@)(?:"((?:\\"|[^"\n]){1,4096})"|([^\s"]{1,4096}))/gu;

/** The same in quotes, over several lines: names of files may break. What only looks so names no file. */
const OVER_LINES = /@(?<=(?:^|[\s([{])@)"((?:\\"|[^"]){1,4096})"/gu;

/** `#L5` or `#L5-12` at the end of a path. */
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;

/** Finds the files and folders a prompt mentions, each once, in order. It is not known yet whether they exist. */
export function parseMentions(text: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const pattern of [MENTION, OVER_LINES]) {
    let looked = 0;
    for (const [whole, quoted, bare] of text.matchAll(pattern)) {
      looked += 1;
      if (looked > MAX_LOOKED || found.size === MAX_MENTIONS) break;
      if (pattern === OVER_LINES && !whole.includes('\n')) continue;
      const written = quoted === undefined ? withoutPunctuation(bare ?? '') : unquotedPath(quoted);
      const mention = readMention(written);
      if (mention !== null) found.set(written, mention);
    }
  }
  return [...found.values()];
}

/** Removes what a sentence puts behind a mention and is not part of the path. `@.` and `@..` are folders. */
const withoutPunctuation = (word: string): string =>
  /^\.{1,2}$/.test(word) ? word : word.replace(/[.,;:!?)\]}'`>]+$/, '');

function readMention(written: string): Mention | null {
  const range = LINES.exec(written);
  const path = range ? written.slice(0, range.index) : written;
  if (path === '' || path.includes('\0')) return null;
  if (!range) return { path };
  const from = Math.max(1, Number(range[1]));
  const to = range[2] === undefined ? from : Math.max(from, Number(range[2]));
  return { path, written, lines: { from, to } };
}

/** Returns the name of a mention in its attachment. */
export const aboutOf = ({ path, lines }: Mention): string =>
  lines === undefined ? `@${path}` : `@${path}#L${lines.from}-${lines.to}`;
