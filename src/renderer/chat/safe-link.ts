/** Schemes a link from the model may have. Everything else is shown as text. THREATS 9. */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** The true target of a link, normalised, or null when it must not be followed (other schemes, relative, broken). */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url.href : null;
}

/**
 * The host a link really leads to, when its text names another one ("bank.com" → "evil.example");
 * null when text and target agree or the text names none.
 */
export function misleadingHost(text: string, href: string): string | null {
  const named = /(?:^|\s|\/\/)((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})(?=$|[\s/:?#])/u.exec(
    text.trim(),
  )?.[1];
  if (named === undefined || !URL.canParse(href)) return null;
  const url = new URL(href);
  const host = url.protocol === 'mailto:' ? (url.pathname.split('@').at(-1) ?? '') : url.hostname;
  return bare(hostOf(named)) === bare(host) ? null : host;
}

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '');

const hostOf = (name: string): string =>
  URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : name;
