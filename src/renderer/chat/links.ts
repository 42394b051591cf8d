/** Schemes a link from the model may have. Everything else is shown as text. docs/security.md 9 */
const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Returns the true target of a link, normalised, or null when it must not be followed (other schemes, relative, broken). */
export function safeHref(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return SCHEMES.has(url.protocol) ? url.href : null;
}

/**
 * Returns the host a link really leads to, when its text names another one ("bank.com" → "evil.example");
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

/** A file named in prose. */
interface FileMention {
  readonly path: string;
  readonly line?: number;
}

const MENTION =
  /^(?<path>(?:\.{0,2}\/|~\/|[A-Za-z]:[\\/])?(?:[\w@.+-]+[\\/])*[\w@+.-]*[\w+-]\.[A-Za-z]\w{0,9})(?::(?<line>\d{1,7})(?::\d{1,7})?)?$/;
/** Endings that make a bare word without a folder a file, and not "e.g." or "foo.bar". */
const KNOWN_ENDINGS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|md|css|html?|py|rs|go|rb|java|kt|c|h|cc|cpp|hpp|cs|php|sh|ya?ml|toml|lock|sql|txt|xml|svg|vue|swift|zig|env|ini|cfg)$/i;

/** Returns the file that a piece of inline code names ("src/auth.ts:12"), or null when it is not plainly a file. */
export function fileMention(code: string): FileMention | null {
  const groups = MENTION.exec(code)?.groups;
  const path = groups?.['path'];
  if (path === undefined) return null;
  if (!/[\\/]/.test(path) && !KNOWN_ENDINGS.test(path)) return null;
  const line = groups?.['line'];
  return line === undefined ? { path } : { path, line: Number(line) };
}
