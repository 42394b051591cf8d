import { err, ok, type Result } from '../../../../../shared/result';
import { hostOf, isPrivateHost } from '../../../permissions/web-request';
import type { Web, WebAnswer } from '../../../ports-documents';

/** More hops than any honest site needs. */
const MAX_REDIRECTS = 5;
/** Longer pages are cut. Bytes, decompressed. */
const MAX_PAGE_BYTES = 10 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;

/** A page as fetched, or the other host it sent us to. */
export type Fetched =
  | { readonly kind: 'page'; readonly url: URL; readonly answer: Page }
  | { readonly kind: 'moved'; readonly from: URL; readonly to: URL; readonly status: number };

type Page = Extract<WebAnswer, { kind: 'page' }>;

/**
 * Fetches a page. Redirects within a site are followed; one to another host is given back, because the permission
 * was for this one. `allowPrivate`: the user named this host although it is not of the public internet.
 */
export async function fetchPage(
  start: URL,
  web: Pick<Web, 'get'>,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<Result<Fetched, string>> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const limits = { allowPrivate, maxBytes: MAX_PAGE_BYTES, timeoutMs: TIME_LIMIT_MS };
    const got = await web.get(url, limits, signal);
    if (!got.ok) return err(got.error.message);
    if (got.value.kind === 'page') return ok({ kind: 'page', url, answer: got.value });
    const target = readAddress(got.value.location);
    if (!target.ok)
      return err(`${url.host} redirects to an address that is refused. ${target.error}`);
    if (!sameSite(url, target.value))
      return ok({ kind: 'moved', from: start, to: target.value, status: got.value.status });
    url = target.value;
  }
  return err(`${start.host} redirects in circles: more than ${MAX_REDIRECTS} times.`);
}

/** Tells whether a redirect stays on a site: only `www.` may come or go, and only from http to https. */
function sameSite(from: URL, to: URL): boolean {
  const bare = (url: URL) => hostOf(url).replace(/^www\./, '');
  const samePort = from.port === to.port;
  const downgraded = from.protocol === 'https:' && to.protocol === 'http:';
  return bare(from) === bare(to) && samePort && !downgraded;
}

/**
 * Reads an address a model wrote or a server sent: http(s) only, no name and password in it. The public web is
 * asked over https.
 */
export function readAddress(text: string): Result<URL, string> {
  if (!URL.canParse(text)) return err(`"${text}" is no full web address (https://…).`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return err(`Only http and https addresses can be read, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    return err('Addresses with a user name or password in them are not used.');
  url.hash = '';
  if (url.protocol === 'http:' && url.port === '' && !isPrivateHost(hostOf(url)))
    url.protocol = 'https:';
  return ok(url);
}

/** Returns any web address, also one that would not be fetched; null for other texts. */
export function webAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : null;
}

/** The text and title of a page. */
interface PageText {
  readonly title: string;
  readonly text: string;
}

/** Returns the readable text of an answer: HTML as Markdown, other text as it is. The error says what else it is. */
export async function pageText(
  page: Page,
  url: URL,
  web: Pick<Web, 'readable'>,
  signal: AbortSignal,
): Promise<Result<PageText, string>> {
  const { mediaType, body } = page;
  if (!isText(mediaType)) {
    const size = `${Math.ceil(body.length / 1024)} kB${page.truncated ? ' or more' : ''}`;
    return err(
      `${url.href} is not text (${mediaType}, ${size}). Download it with a shell command instead.`,
    );
  }
  const text = decode(page);
  if (text.includes('\0') && mediaType === '') return err(`${url.href} is not text.`);
  if (!isHtml(mediaType, text)) return ok({ title: '', text });
  const read = await web.readable(text, url, signal);
  return read.ok ? ok({ title: read.value.title, text: read.value.markdown }) : read;
}

const isText = (mediaType: string): boolean =>
  mediaType === '' ||
  mediaType.startsWith('text/') ||
  /[/+](json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|sql|x-sh|graphql)$/.test(
    mediaType,
  );

const isHtml = (mediaType: string, text: string): boolean =>
  mediaType === 'text/html' ||
  mediaType === 'application/xhtml+xml' ||
  (mediaType === '' && /^\s*(<!doctype html|<html)/i.test(text));

function decode({ body, charset }: Page): string {
  const named = charset === '' ? metaCharset(body) : charset;
  try {
    return new TextDecoder(named || 'utf-8').decode(body);
  } catch {
    // A name nobody knows: nearly everything is UTF-8.
    return new TextDecoder().decode(body);
  }
}

/** HTML's own word about its encoding, which stands in its first kilobyte. */
function metaCharset(body: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(body.subarray(0, 1024));
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? '';
}
