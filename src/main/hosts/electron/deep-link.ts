import type { ShowTarget } from '../../app/workbench';

/** The scheme of links into the app. */
export const LINK_SCHEME = 'lathe';
/** Longer texts are cut. Characters. */
const MAX_DRAFT = 10_000;

/**
 * What a `lathe://open?folder=…&prompt=…` link fills in; null when it is none of ours. A link only prefills
 * (THREATS 20): nothing is sent, no setting changes, and control characters are taken out.
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

/** Without control, bidi and zero-width characters; line breaks and tabs stay. */
const visible = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '');

/** Absolute on the system that follows the link; network shares are not opened from links. */
const isAbsolute = (path: string): boolean => /^\/[^/]|^\/$|^[A-Za-z]:[\\/]/.test(path);
