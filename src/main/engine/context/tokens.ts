import type { AssistantMessage, Message } from '../../../shared/message';
import { windowShare } from '../../../shared/transcript';
import type { Cut } from '../messages/history';
import { sinceBoundary } from '../messages/normalize';
import type { ModelRequest } from '../model/model-client';

/** Bytes of a token in text, and in JSON, which is denser in punctuation. docs/spec.md F8. */
const TEXT_BYTES_PER_TOKEN = 4;
const JSON_BYTES_PER_TOKEN = 2;

/** The rough cost of a document: 2 000 for each of ten pages. Its bytes say little. Tokens. */
const DOCUMENT_TOKENS = 20_000;

/** The cost of one image, whatever its bytes; the API scales larger ones down to about this. Tokens. */
export const IMAGE_TOKENS = 1600;

/** Estimates the tokens of a text by its bytes in UTF-8. */
export const textTokens = (text: string): number =>
  Math.ceil(
    Buffer.byteLength(text, 'utf8') /
      (looksLikeJson(text) ? JSON_BYTES_PER_TOKEN : TEXT_BYTES_PER_TOKEN),
  );

/** Estimates the tokens of a value that goes over the wire as JSON. */
const jsonTokens = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8') / JSON_BYTES_PER_TOKEN);

/** Guesses from the beginning only: a guess must not cost a parse. */
const looksLikeJson = (text: string): boolean => /^\s*[[{]["[{\]}\s]/.test(text.slice(0, 200));

/** Estimates the tokens of one message. */
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

/** Estimates the tokens of several messages. */
export const messagesTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** Estimates the tokens of a content block of a message or a request. Thinking counts with its signature, as it is sent. */
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

/** Estimates the tokens that stand before the messages of a request: system prompt and tools. */
export const prefixTokens = (request: Pick<ModelRequest, 'system' | 'tools'>): number =>
  request.system.reduce((sum, part) => sum + textTokens(part.text), 0) + toolsTokens(request.tools);

/** Tokens of definitions that were counted before: those of a session hardly change. */
export type CountedTools = WeakMap<object, number>;

/** Estimates the tokens of tool definitions. `counted`, kept from one request to the next, saves work. */
export const toolsTokens = (
  tools: ModelRequest['tools'],
  counted: CountedTools = new WeakMap(),
): number => tools.reduce((sum, tool) => sum + toolTokens(tool, counted), 0);

function toolTokens(tool: ModelRequest['tools'][number], counted: CountedTools): number {
  const tokens = counted.get(tool) ?? textTokens(tool.description) + jsonTokens(tool.input_schema);
  counted.set(tool, tokens);
  return tokens;
}

/** Estimates the tokens of a whole request: for a context of which the API has counted nothing yet. */
export const requestTokens = (request: ModelRequest): number =>
  prefixTokens(request) +
  request.messages.reduce((sum, message) => sum + contentTokens(message.content), 0);

/**
 * Estimates the tokens that the next request puts into the window: what the API counted for the newest answer it still
 * stands behind, less what edits took out since, plus what came after (docs/spec.md F8). Without such an answer the
 * whole request is estimated.
 */
export function countTokens(
  history: readonly Message[],
  request: ModelRequest,
  cuts: readonly Cut[],
): number {
  const sent = sinceBoundary(history);
  const at = countedAt(sent);
  const anchor = sent[at];
  if (anchor?.role !== 'assistant' || !anchor.usage) return requestTokens(request);
  const since = new Set(sent.slice(at).map(({ id }) => id));
  const cut = cuts.reduce((sum, { after, tokens }) => sum + (since.has(after) ? tokens : 0), 0);
  return Math.max(0, windowShare(anchor.usage) - cut) + messagesTokens(sent.slice(at + 1));
}

/**
 * Returns the tokens that an edit frees, and the part of them that the API counted already. `before` and `after` are the
 * messages since the last boundary.
 */
export function freedTokens(
  before: readonly Message[],
  after: readonly Message[],
): { readonly freed: number; readonly counted: number } {
  const countedUntil = countedAt(before);
  let freed = 0;
  let counted = 0;
  for (const [at, message] of before.entries()) {
    const edited = after[at];
    if (edited === undefined || edited === message) continue;
    const tokens = messageTokens(message) - messageTokens(edited);
    freed += tokens;
    if (at <= countedUntil) counted += tokens;
  }
  return { freed, counted };
}

/** Returns the tokens behind the first change of an edit that were sent before and stay: they have to be written again. */
export function rewrittenTokens(before: readonly Message[], after: readonly Message[]): number {
  const first = after.findIndex((message, at) => message !== before[at]);
  const sent = after.findLastIndex(({ role }) => role === 'assistant');
  return messagesTokens(after.slice(first, sent));
}

/** Returns the place of the newest answer whose count still holds: behind what a compaction kept; -1: none. */
function countedAt(sent: readonly Message[]): number {
  const at = sent.findLastIndex(isCounted);
  return at > lastKept(sent) ? at : -1;
}

const isCounted = (message: Message): message is AssistantMessage =>
  message.role === 'assistant' && message.usage !== undefined && windowShare(message.usage) > 0;

/** Returns the place of the last message that a compaction kept; -1: none. */
function lastKept(sent: readonly Message[]): number {
  const [first] = sent;
  const kept = first?.role === 'boundary' ? first.keptUntil : undefined;
  return kept === undefined ? -1 : sent.findIndex((message) => message.id === kept);
}
