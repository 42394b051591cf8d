import type { AssistantMessage, Message, Usage } from '../../../shared/message';
import { sinceBoundary } from '../messages/normalize';
import type { ModelRequest } from '../model/model-client';

/** SPEC F8: bytes of a token in text, and in JSON, which is denser in punctuation. */
const TEXT_BYTES_PER_TOKEN = 4;
const JSON_BYTES_PER_TOKEN = 2;

/** What a document costs, about: 2 000 for each of ten pages. Its bytes say little. Tokens. */
const DOCUMENT_TOKENS = 20_000;

/** What one image costs, whatever its bytes; the API scales larger ones down to about this. Tokens. */
export const IMAGE_TOKENS = 1600;

/** Tokens of a text, by its bytes in UTF-8. */
export const textTokens = (text: string): number =>
  Math.ceil(
    Buffer.byteLength(text, 'utf8') /
      (looksLikeJson(text) ? JSON_BYTES_PER_TOKEN : TEXT_BYTES_PER_TOKEN),
  );

/** Tokens of a value that goes over the wire as JSON. */
const jsonTokens = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8') / JSON_BYTES_PER_TOKEN);

/** Judged by its ends only: a guess must not cost a parse. */
const looksLikeJson = (text: string): boolean => /^\s*[[{]["[{\]}\s]/.test(text.slice(0, 200));

/** Tokens of what a request puts into the context, as the API counted them. */
export const usedTokens = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;

/** An estimate of one history entry. Tokens. */
export function messageTokens(message: Message): number {
  switch (message.role) {
    case 'boundary':
      return textTokens(message.summary);
    case 'attachment':
      return textTokens(message.text) + (message.images?.length ?? 0) * IMAGE_TOKENS;
    default:
      return message.content.reduce((sum, block) => sum + blockTokens(block), 0);
  }
}

/** An estimate of several history entries. Tokens. */
export const messagesTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** A content block of the history or of a request. Thinking counts with its signature, as it is sent. */
export function blockTokens(block: { readonly type: string }): number {
  const field = (name: string): unknown => Reflect.get(block, name);
  const text = (name: string): number => {
    const value = field(name);
    return typeof value === 'string' ? textTokens(value) : 0;
  };
  switch (block.type) {
    case 'text':
      return text('text');
    case 'thinking':
      return text('thinking') + text('signature');
    case 'image':
      return IMAGE_TOKENS;
    case 'document':
      return DOCUMENT_TOKENS;
    case 'tool_use':
      return text('name') + jsonTokens(field('input'));
    case 'tool_result':
      return contentTokens(field('content'));
    default:
      return jsonTokens(block);
  }
}

function contentTokens(content: unknown): number {
  if (typeof content === 'string') return textTokens(content);
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block) => sum + blockTokens(block), 0);
}

/** What stands before the messages of a request: system prompt and tools. Tokens, estimated. */
export const prefixTokens = (request: Pick<ModelRequest, 'system' | 'tools'>): number =>
  request.system.reduce((sum, part) => sum + textTokens(part.text), 0) + toolsTokens(request.tools);

/** Tokens of schemas that were counted before: those of a session hardly change. */
export type CountedSchemas = WeakMap<object, number>;

/** Tool definitions. Tokens, estimated. `counted`, kept from one request to the next, saves work. */
export const toolsTokens = (
  tools: ModelRequest['tools'],
  counted: CountedSchemas = new WeakMap(),
): number =>
  tools.reduce(
    (sum, { description, input_schema }) =>
      sum + textTokens(description) + schemaTokens(input_schema, counted),
    0,
  );

function schemaTokens(schema: object, counted: CountedSchemas): number {
  const tokens = counted.get(schema) ?? jsonTokens(schema);
  counted.set(schema, tokens);
  return tokens;
}

/** A whole request, estimated: for a context of which the API has counted nothing yet. Tokens. */
export const requestTokens = (request: ModelRequest): number =>
  prefixTokens(request) +
  request.messages.reduce((sum, message) => sum + contentTokens(message.content), 0);

/**
 * How many tokens the next request puts into the window: what the API counted for the newest answer it still
 * stands behind, plus an estimate of what came after (SPEC F8). Without such an answer the whole is estimated.
 */
export function countTokens(history: readonly Message[], request: ModelRequest): number {
  const sent = sinceBoundary(history);
  const at = sent.findLastIndex(isCounted);
  const anchor = sent[at];
  if (at <= lastKept(sent) || anchor?.role !== 'assistant' || !anchor.usage) {
    return requestTokens(request);
  }
  return usedTokens(anchor.usage) + messagesTokens(sent.slice(at + 1));
}

const isCounted = (message: Message): message is AssistantMessage =>
  message.role === 'assistant' && message.usage !== undefined && usedTokens(message.usage) > 0;

/** The place of the last message that a compaction kept: counts made before it hold no more. -1: none. */
function lastKept(sent: readonly Message[]): number {
  const [first] = sent;
  const kept = first?.role === 'boundary' ? first.keptUntil : undefined;
  return kept === undefined ? -1 : sent.findIndex((message) => message.id === kept);
}
