import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ShowTarget } from '../../app/app-feed';
import { parseCommandLine } from '../common/command-line/parse';

/** The request behind a start of the app. */
export interface LaunchRequest {
  /** Absolute. */
  readonly folder?: string;
  readonly demo: boolean;
  /** Opens a window of its own even where one is open. */
  readonly newWindow?: boolean;
  readonly link?: ShowTarget;
}

/**
 * Reads the words after the program (and, in development, after the app's folder). When one of them is a
 * link, nothing else counts: whoever made the link chose those words too. Switches that are not
 * ours belong to Chromium.
 */
export function parseLaunch(words: readonly string[], cwd: string): LaunchRequest {
  const linkWord = words.find(isLink);
  if (linkWord !== undefined) {
    const link = parseDeepLink(linkWord);
    return { demo: false, ...(link === null ? {} : { link }) };
  }
  const folder = words.map(asPath).find((word) => word !== '' && !word.startsWith('-'));
  return {
    demo: words.includes(DEMO),
    ...(words.includes(NEW_WINDOW) ? { newWindow: true } : {}),
    ...(folder === undefined ? {} : { folder: resolve(cwd, folder) }),
  };
}

/**
 * Tells whether the words after the program ask for the command line and not for a window: an AppImage has no other
 * program to give them to, and from a terminal it is the command line that opens windows. Never with a link among them.
 */
export function isCommandLine(
  words: readonly string[],
  cwd: string,
  ofImageInTerminal = false,
): boolean {
  if (words.some(isLink)) return false;
  const own = commandWords(words);
  const parsed = parseCommandLine(own, cwd);
  if (!parsed.ok) return own.includes('-p') || own.includes('--print');
  return parsed.value.kind !== 'open' || (ofImageInTerminal && parsed.value.waits !== true);
}

/** Returns the words for the command line: without what the start script of an AppImage adds for Chromium. */
export const commandWords = (words: readonly string[]): readonly string[] =>
  words.filter((word) => word !== APP_IMAGE_SWITCH);

/** Returns a word as a path: file managers of Linux hand over addresses of files. One that is no path of here is empty. */
function asPath(word: string): string {
  if (!/^file:/i.test(word)) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return '';
  }
}

/**
 * Returns the words that ask for this once more, after a start with `before`: its switches of Chromium stay. With a link among
 * those words none does.
 */
export function wordsFor(
  { folder, demo, newWindow, link }: LaunchRequest,
  before: readonly string[],
): readonly string[] {
  const switches = before.some(isLink)
    ? []
    : before.filter((word) => word.startsWith('-') && word !== DEMO && word !== NEW_WINDOW);
  return [
    ...switches,
    ...(demo ? [DEMO] : []),
    ...(newWindow === true ? [NEW_WINDOW] : []),
    ...(folder === undefined ? [] : [folder]),
    ...(link === undefined ? [] : [deepLink(link)]),
  ];
}

/** The word for a first run with the offline demo. */
const DEMO = '--demo';
/** The word that opens a window of its own; the shortcuts of the system use it. */
export const NEW_WINDOW = '--new-window';

/** The start script of an AppImage adds it where the system lets no sandbox be made. */
const APP_IMAGE_SWITCH = '--no-sandbox';

const isLink = (word: string): boolean => word.toLowerCase().startsWith(`${LINK_SCHEME}:`);

/** The scheme of links into the app. */
export const LINK_SCHEME = 'lathe';
/** Longer texts are cut. Characters. */
const MAX_DRAFT = 10_000;

/**
 * Parses a `lathe://open?folder=…&prompt=…` link; null when it is none of ours. A link only prefills:
 * nothing is sent, no setting changes, and control characters are taken out.
 */
export function parseDeepLink(text: string): ShowTarget | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== `${LINK_SCHEME}:` || url.host !== 'open') return null;
  const folder = visible(url.searchParams.get('folder') ?? '');
  const draft = visible(url.searchParams.get('prompt') ?? '').slice(0, MAX_DRAFT);
  return {
    ...(isAbsolute(folder) ? { project: folder } : {}),
    ...(draft === '' ? {} : { draft }),
  };
}

/** Returns the link to a place. */
function deepLink({ project, draft }: ShowTarget): string {
  const fields = new URLSearchParams({
    ...(project === undefined ? {} : { folder: project }),
    ...(draft === undefined ? {} : { prompt: draft }),
  });
  return `${LINK_SCHEME}://open?${fields}`;
}

/** Removes control, bidi and zero-width characters; line breaks and tabs stay. */
const visible = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '');

/** Tells whether a path is absolute on the system that follows the link; network shares are not opened from links. */
const isAbsolute = (path: string): boolean => /^\/[^/]|^\/$|^[A-Za-z]:[\\/]/.test(path);
