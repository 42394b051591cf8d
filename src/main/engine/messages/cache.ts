import type { ApiMessage, CacheControl, SystemText, ToolDefinition } from '../model/model-client';

/** The parts of a request that the API may cache, in the order it reads them: tools, system, messages. */
export interface CacheableParts {
  /** As `buildSystemPrompt` made it: one text for the static part, one for the rest. */
  readonly system: readonly SystemText[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly ApiMessage[];
}

const MARK: CacheControl = { type: 'ephemeral' };

/** The number of blocks before a breakpoint in which the API looks for what it has cached. */
const LOOKBACK_BLOCKS = 20;

/** The beginning of the text in the place of a result that was cleared. */
export const CLEARED = '[Old result cleared';

/** The most breakpoints of one request. */
const MAX_MARKS = 4;

/**
 * Places the cache breakpoints: newest message, end of the static system part, end of the system prompt, tools. Two more
 * take the places of the last ones, because what stands behind covers them: the end of the request before, when one turn added more
 * blocks than the API looks back over (many parallel calls); and the newest result that was cleared, since what stands before it is
 * the same when more is cleared behind it: `clearedAt` where the API clears it. Marks that were there before are removed first, so
 * that placing twice changes nothing.
 */
export function placeCacheBreakpoints(
  parts: CacheableParts,
  clearedAt = parts.messages.findLastIndex(({ content }) => content.some(isCleared)),
): CacheableParts {
  const lastText = parts.system.length - 1;
  const lastMessage = parts.messages.length - 1;
  const bridge = bridgeAt(parts.messages);
  const marked = new Set([lastMessage, bridge ?? -1, clearedAt]);
  marked.delete(-1);
  // The static part of the system prompt covers the tools, and any message covers both.
  const room = MAX_MARKS - marked.size;
  const lastTool = lastText > 0 && room < 3 ? null : parts.tools.length - 1;
  const lastSystem = room < 2 ? 0 : lastText;
  return {
    tools: parts.tools.map((tool, i) => mark(tool, i === lastTool)),
    system: parts.system.map((text, i) => mark(text, i === 0 || i === lastSystem)),
    messages: parts.messages.map((message, i) => markMessage(message, marked.has(i))),
  };
}

/** Tells whether a block is a result that was cleared. */
function isCleared(block: ApiMessage['content'][number]): boolean {
  const content = block['type'] === 'tool_result' ? block['content'] : null;
  const text = Array.isArray(content) ? content[0]?.text : content;
  return typeof text === 'string' && text.startsWith(CLEARED);
}

/** Returns the message that ended the request before, when the newest breakpoint is too far from it; else null. */
function bridgeAt(messages: readonly ApiMessage[]): number | null {
  const answer = messages.findLastIndex((message) => message.role === 'assistant');
  const added = messages.slice(answer).reduce((n, message) => n + message.content.length, 0);
  return answer > 0 && added >= LOOKBACK_BLOCKS ? answer - 1 : null;
}

function mark<T extends { readonly cache_control?: CacheControl }>(part: T, on: boolean): T {
  if (!on && part.cache_control === undefined) return part;
  const { cache_control: _, ...bare } = part;
  return (on ? { ...bare, cache_control: MARK } : bare) as T;
}

/** Marks the last block that may carry a mark (thinking may not). */
function markMessage(message: ApiMessage, on: boolean): ApiMessage {
  const at = on ? message.content.findLastIndex((b) => !/thinking/.test(String(b['type']))) : -1;
  const clean = message.content.some((b) => 'cache_control' in b);
  if (at < 0 && !clean) return message;
  return {
    ...message,
    content: message.content.map(({ cache_control: _, ...block }, i) =>
      i === at ? { ...block, cache_control: MARK } : block,
    ),
  };
}
