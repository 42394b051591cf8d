import type { ContextEdit } from '../../../shared/context-edit';
import type {
  AssistantMessage,
  Message,
  ResultContent,
  ToolResultBlock,
} from '../../../shared/message';
import { project } from '../messages/projection';
import { type ContextLayer, UNTOUCHED } from './layer';
import { blockTokens, freedTokens } from './tokens';

/**
 * The share of the point of summarising from which on old results go. An edit costs the prompt cache of all behind it,
 * so it waits until a summary, which costs everything, is near.
 */
const ACT_AT = 0.8;
/** The share down to which they go: far enough that the next edit is many turns away. */
const DOWN_TO = 0.5;
/** The least share that an edit must free: less is not worth the cache. */
const WORTH = 0.1;
/** Answers whose results and thinking stay: what is being worked on. */
const RECENT_ANSWERS = 10;
/** A result smaller than this stays: its marker would save little. Tokens. */
const SMALL_TOKENS = 500;

/**
 * Drops old tool results and thinking from the middle of the conversation, the oldest first (docs/spec.md F2). The calls
 * stay, each with a marker as its result, and so do the words; the model can call again.
 */
export const snip: ContextLayer = {
  name: 'snip',
  apply: (messages, { tokens, limits }) => {
    const point = limits.autocompact;
    if (point === 0 || tokens < point * ACT_AT) return UNTOUCHED;
    const old = messages.slice(0, recentFrom(messages));
    const edits = oldestFirst(old, tokens - point * DOWN_TO, messages);
    if (edits.length === 0) return UNTOUCHED;
    const { freed } = freedTokens(messages, project(messages, edits));
    return freed >= point * WORTH ? { edits, freed } : UNTOUCHED;
  },
};

/** Returns the edits of the oldest messages that together free about `wanted` tokens, or as many as there are. */
function oldestFirst(
  old: readonly Message[],
  wanted: number,
  all: readonly Message[],
): readonly ContextEdit[] {
  const edits: ContextEdit[] = [];
  let repeated: ReadonlySet<string> | null = null;
  let freed = 0;
  for (const message of old) {
    if (freed >= wanted) break;
    for (const { edit, tokens } of cutsOf(message)) {
      repeated ??= repeatedIds(all);
      if (repeated.has(message.id)) continue;
      edits.push(edit);
      freed += tokens;
    }
  }
  return edits;
}

/** Returns the place of the first recent message; 0 when all are recent. */
function recentFrom(messages: readonly Message[]): number {
  let answers = 0;
  const first = messages.findLastIndex((message) => {
    if (message.role === 'assistant') answers += 1;
    return answers === RECENT_ANSWERS;
  });
  return Math.max(0, first);
}

/** Returns ids that several messages have, as in logs of servers that gave all calls one: an edit would mean them all. */
function repeatedIds(messages: readonly Message[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { id } of messages) (seen.has(id) ? repeated : seen).add(id);
  return repeated;
}

interface Cut {
  readonly edit: ContextEdit;
  /** Tokens that it frees. */
  readonly tokens: number;
}

/** Returns what can go of one message. */
function cutsOf(message: Message): readonly Cut[] {
  if (message.role === 'assistant') return thinkingOf(message);
  if (message.role !== 'user') return [];
  return message.content.flatMap((block) => (block.type === 'tool_result' ? resultOf(block) : []));
}

/** Tells at little cost that a block is small: no character of a string takes more than three bytes. */
const isShort = (block: ResultContent): boolean =>
  block.type === 'text' && block.text.length * 1.5 < SMALL_TOKENS;

function thinkingOf({ id, content }: AssistantMessage): readonly Cut[] {
  const tokens = content
    .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
    .reduce((sum, block) => sum + blockTokens(block), 0);
  return tokens === 0 ? [] : [{ edit: { kind: 'drop_thinking', messageId: id }, tokens }];
}

function resultOf(result: ToolResultBlock): readonly Cut[] {
  const [only] = result.content;
  if (result.content.length === 1 && only && isShort(only)) return [];
  const tokens = blockTokens(result);
  if (tokens < SMALL_TOKENS) return [];
  const text = `[This result (about ${tokens} tokens) was left out to save space. Call the tool again if you still need it.]`;
  const content = [{ type: 'text' as const, text }];
  return [{ edit: { kind: 'replace_result', callId: result.tool_use_id, content }, tokens }];
}
