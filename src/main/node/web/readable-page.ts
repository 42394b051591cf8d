import { createDocument } from '@mixmark-io/domino';
import TurndownService from 'turndown';

/** The readable part of a page. */
export interface ReadablePage {
  readonly title: string;
  readonly markdown: string;
}

/** Elements without text to read, and those around the content of any page. */
const NOISE =
  'script, style, noscript, template, svg, canvas, iframe, object, embed, form, dialog, nav, aside, [hidden], [aria-hidden="true"]';
/** Elements around the content, unless inside it, where they hold an article's own title and notes. */
const FRAME = 'header, footer';
/** The elements by which pages mark their content. */
const CONTENT = 'main, [role="main"], article';
/** A marked part with less of the page's text than this is a teaser, not the content. */
const CONTENT_SHARE = 0.3;

/**
 * Turns an HTML page into Markdown: the part it marks as its content, else everything that is text. Keeps of images only
 * their descriptions, because their addresses tempt to fetch them. Throws what the parser throws.
 */
export function readablePage(html: string, url: string): ReadablePage {
  const document = createDocument(html);
  const title = document.title.trim().replace(/\s+/g, ' ');
  for (const node of all(document.body, NOISE)) node.remove();
  for (const node of all(document.body, FRAME)) if (!node.closest(CONTENT)) node.remove();
  for (const link of all(document.body, 'a[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (URL.canParse(href, url)) link.setAttribute('href', new URL(href, url).href);
  }
  return { title, markdown: toMarkdown(contentOf(document.body)) };
}

/** Returns the largest marked part when it is most of the page, else the whole body. */
function contentOf(body: HTMLElement): HTMLElement {
  const length = (element: Element) => (element.textContent ?? '').trim().length;
  const parts = all(body, CONTENT).map((element) => ({ element, length: length(element) }));
  const largest = parts.reduce<(typeof parts)[number] | null>(
    (best, part) => (best === null || part.length > best.length ? part : best),
    null,
  );
  return largest && largest.length >= length(body) * CONTENT_SHARE ? largest.element : body;
}

/** Lists the elements that match; the parser's own lists have no iterator. */
const all = (root: HTMLElement, selector: string): HTMLElement[] =>
  Array.from(root.querySelectorAll<HTMLElement>(selector));

function toMarkdown(content: HTMLElement): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  });
  turndown.addRule('images', {
    filter: 'img',
    replacement: (_, node) => {
      const alt = 'getAttribute' in node ? node.getAttribute('alt')?.trim() : '';
      return alt ? `[image: ${alt}]` : '';
    },
  });
  return turndown
    .turndown(content)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
