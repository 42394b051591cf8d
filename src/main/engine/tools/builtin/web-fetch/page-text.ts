import { err, ok, type Result } from '../../../../../shared/result';
import type { Web, WebAnswer } from '../../../ports-documents';

type Page = Extract<WebAnswer, { kind: 'page' }>;

/** What a page says, and how it is called. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

/** The readable text of an answer: HTML as Markdown, other text as it is. Says what it is when it is no text. */
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
