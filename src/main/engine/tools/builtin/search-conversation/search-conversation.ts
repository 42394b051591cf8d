import { z } from 'zod';
import type { ToolSource } from '../../catalogue';
import { ownNeeds } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';

const Input = z.strictObject({
  query: z.string().trim().min(1).max(500).describe('Words that a message must all have.'),
  message: z
    .string()
    .max(200)
    .optional()
    .describe('The id of one found message, to read all of it.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION =
  'Searches all of this conversation: what you and the user said and what tools gave, also what a summary left out since. The newest come first. With the id of a message it gives the whole of it.';

/** The messages that are given, and what of each. Characters. */
const MAX_FOUND = 20;
const EXCERPT_CHARS = 500;
const LEAD_CHARS = 120;
/** The most of one message that is read. Characters. */
const MAX_MESSAGE_CHARS = 20_000;

/** A text of the conversation. */
interface Found {
  readonly who: 'user' | 'assistant' | 'tool';
  readonly itemId: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface Output {
  readonly query: string;
  /** Newest first. */
  readonly found: readonly Found[];
  readonly count: number;
}

/** Creates the tool that searches its session (docs/spec.md M5). `texts`: all that was said, oldest first. */
const createSearchConversationTool = (texts: () => AsyncIterable<Found>) =>
  defineTool<Input, Output>({
    name: 'SearchConversation',
    description: DESCRIPTION,
    input: Input,
    deferred: true,
    isRepeatable: true,
    access: async () => NO_ACCESS,
    needs: ownNeeds('SearchConversation'),
    title: ({ query = '' }) => ({ verb: 'Search the conversation', target: query }),
    // biome-ignore lint/correctness/useYield: reading one log is one step
    execute: async function* ({ query, message }, { signal, callId }) {
      const wanted = wordsOf(query);
      const found: Found[] = [];
      let count = 0;
      for await (const entry of texts()) {
        if (signal.aborted) return { ok: false, message: 'The search was stopped.' };
        if (entry.itemId === callId) continue;
        if (message === undefined ? !hasAll(entry, wanted) : entry.itemId !== message) continue;
        count += 1;
        found.push(entry);
        if (found.length > MAX_FOUND) found.shift();
      }
      if (message !== undefined && count === 0)
        return { ok: false, message: `This conversation has no message ${message}.` };
      return { ok: true, output: { query, found: found.toReversed(), count } };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: ({ query }, output) => ({
      ...{ kind: 'search', pattern: query, path: '', matches: output.count },
      truncated: output.count > output.found.length,
      preview: report(output),
    }),
  });

/** Creates the source of the tool that searches what a summary took out of sight: nothing before there was one. */
export function createConversationSource(
  isNeeded: () => boolean,
  texts: () => AsyncIterable<Found>,
): ToolSource {
  const tools = [createSearchConversationTool(texts)];
  return {
    name: 'conversation',
    list: () => (isNeeded() ? tools : []),
    onChange: () => () => {},
  };
}

/** Folds a text so that case and accents make no difference. */
const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const wordsOf = (query: string): readonly string[] => fold(query).split(/\s+/u).filter(Boolean);

function hasAll({ text }: Found, wanted: readonly string[]): boolean {
  const folded = fold(text);
  return wanted.every((word) => folded.includes(word));
}

const WHO = { user: 'user', assistant: 'you', tool: 'tool' } as const;

/** Formats what was found for the model: one message whole, several as excerpts. Pure. */
function report({ query, found, count }: Output): string {
  const [only, ...others] = found;
  if (only === undefined) return 'No message has all these words. Try fewer or other ones.';
  if (others.length === 0) return `${headOf(only)}\n${cut(only.text, MAX_MESSAGE_CHARS)}`;
  const more = count > found.length ? [`${count - found.length} older ones are left out.`] : [];
  return [...found.map((one) => `${headOf(one)}\n${around(one.text.trim(), query)}`), ...more].join(
    '\n\n',
  );
}

const headOf = ({ at, who, itemId }: Found): string =>
  `[${new Date(at).toISOString().slice(0, 16)} ${WHO[who]} ${itemId}]`;

/** Returns the part of a text around the first of the words that stands in it as it is. */
function around(text: string, query: string): string {
  const lower = text.toLowerCase();
  const places = wordsOf(query).map((word) => lower.indexOf(word));
  const from = Math.max(0, Math.min(...places.filter((at) => at >= 0), text.length) - LEAD_CHARS);
  // Where accents hide every word, the beginning says more than the end.
  const start = places.every((at) => at < 0) ? 0 : from;
  return `${start > 0 ? '…' : ''}${cut(text.slice(start), EXCERPT_CHARS)}`;
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
