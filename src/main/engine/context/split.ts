import type { Message } from '../../../shared/message';
import { messageTokens } from './tokens';

/** The most that is kept word for word behind a summary. Tokens. */
export const TAIL_TOKENS = 20_000;
/** The share of what there is that is kept: a summary must make things smaller. */
const TAIL_SHARE = 0.25;

/** The part that a summary replaces, and the part that stays as it is behind it. */
export interface Split {
  readonly head: readonly Message[];
  readonly tail: readonly Message[];
}

/**
 * Splits the messages since the last boundary for a compaction. The tail is as long as its share allows, but
 * holds at least the newest prompt or the newest calls with their results when they fit at all. It begins where
 * no call stands open, so that no call is parted from its result. Pure.
 */
export function splitForSummary(sent: readonly Message[]): Split {
  const sizes = sent.map(messageTokens);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const room = Math.min(TAIL_TOKENS, total * TAIL_SHARE);
  const clean = cleanCuts(sent);
  let cut = sent.length;
  let size = 0;
  for (let at = sent.length - 1; at > 0; at -= 1) {
    size += sizes[at] ?? 0;
    const hasTail = cut < sent.length;
    if (size > (hasTail ? room : TAIL_TOKENS)) break;
    if (clean.has(at)) cut = at;
  }
  return { head: sent.slice(0, cut), tail: sent.slice(cut) };
}

/**
 * Returns a head without its oldest half (by size), where it is itself too long to be summarised. Empty when it cannot
 * be shortened.
 */
export function withoutOldestHalf(head: readonly Message[]): readonly Message[] {
  const half = head.reduce((sum, message) => sum + messageTokens(message), 0) / 2;
  const clean = cleanCuts(head);
  let size = 0;
  for (const [at, message] of head.entries()) {
    if (at > 0 && size >= half && clean.has(at)) return head.slice(at);
    size += messageTokens(message);
  }
  return [];
}

/** Returns the places before which every call has its result, and at which no result stands. */
function cleanCuts(messages: readonly Message[]): ReadonlySet<number> {
  const cuts = new Set<number>();
  const open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (open.size === 0) cuts.add(at);
    if (message.role !== 'assistant' && message.role !== 'user') continue;
    for (const block of message.content) {
      if (block.type === 'tool_use') open.add(block.id);
      if (block.type === 'tool_result') open.delete(block.tool_use_id);
    }
  }
  return cuts;
}
