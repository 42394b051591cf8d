import { z } from 'zod';
import type { AssistantBlock } from '../../../../../shared/message';

/** A hit of a search, and what was said about all of them. */
export interface SearchAnswer {
  readonly hits: readonly { readonly title: string; readonly url: string }[];
  readonly text: string;
  /** The search engine's own words for why there is nothing. */
  readonly errors: readonly string[];
}

/** What the API's web search gives back inside an answer; other fields of it are of no use here. */
const ResultBlock = z.object({
  type: z.literal('web_search_tool_result'),
  content: z.union([
    z.array(z.object({ title: z.string().catch(''), url: z.string() })),
    z.object({ error_code: z.string() }),
  ]),
});

/** Takes an answer apart: each hit once, in the order found, and the text. Pure. */
export function readSearchAnswer(blocks: readonly AssistantBlock[]): SearchAnswer {
  const results = blocks.flatMap((block) => {
    const parsed = block.type === 'other' ? ResultBlock.safeParse(block.raw) : null;
    return parsed?.success ? [parsed.data.content] : [];
  });
  const hits = new Map<string, string>();
  const errors: string[] = [];
  for (const content of results) {
    if (!Array.isArray(content)) errors.push(content.error_code);
    else for (const { url, title } of content) if (!hits.has(url)) hits.set(url, title);
  }
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return { hits: [...hits].map(([url, title]) => ({ url, title })), text: text.trim(), errors };
}
