import type { ContextEdit } from '../../../shared/context-edit';
import type { Message, ToolResultBlock } from '../../../shared/message';
import { CLEARED } from '../messages/cache';
import { project } from '../messages/projection';
import { type ContextLayer, UNTOUCHED } from './layer';
import { isWorth } from './policy';
import { blockTokens, freedTokens, rewrittenTokens } from './tokens';

/** The newest answers whose results stay: what is being worked on. */
const KEPT_ANSWERS = 3;
/** A smaller result stays: its marker would save little. Tokens. */
const SMALL_TOKENS = 250;
/** The least that clearing must free: below it no session is long enough to care. Tokens. */
const LEAST_FREED = 10_000;

/** An old result that could go. */
interface Clearable {
  readonly callId: string;
  readonly tokens: number;
  /** The requests that carried it since it became old. */
  readonly heldTurns: number;
}

/**
 * Creates the layer that clears old results of tools whose calls can be made again (docs/spec.md F3): the call stays, with
 * a marker as its result. It acts as soon as that is worth the cache it breaks, however much room there is.
 */
export function createMicrocompact(isRepeatable: (tool: string) => boolean): ContextLayer {
  /** Tokens of results, by their blocks: those stay the same objects from turn to turn. */
  const counted = new WeakMap<ToolResultBlock, number>();
  const tokensOf = (block: ToolResultBlock): number => {
    const tokens = counted.get(block) ?? blockTokens(block);
    counted.set(block, tokens);
    return tokens;
  };
  return {
    name: 'microcompact',
    apply: (messages, { tokens, cache }) => {
      if (tokens < LEAST_FREED) return UNTOUCHED;
      const old = clearable(messages, isRepeatable, tokensOf);
      const sum = old.reduce((total, one) => total + one.tokens, 0);
      if (sum < LEAST_FREED) return UNTOUCHED;
      const held = old.reduce((total, one) => total + one.tokens * one.heldTurns, 0) / sum;
      // At first without what would have to be written again: most turns end here.
      if (!isWorth({ freed: sum, rewritten: 0, heldTurns: held }, cache)) return UNTOUCHED;
      const edits = old.map(marked);
      const after = project(messages, edits);
      const { freed } = freedTokens(messages, after);
      const offer = { freed, rewritten: rewrittenTokens(messages, after), heldTurns: held };
      return freed >= LEAST_FREED && isWorth(offer, cache) ? { edits, freed } : UNTOUCHED;
    },
  };
}

/** Returns the old results of repeatable tools that are worth a marker, oldest first. */
function clearable(
  messages: readonly Message[],
  isRepeatable: (tool: string) => boolean,
  tokensOf: (block: ToolResultBlock) => number,
): readonly Clearable[] {
  const answers = messages.reduce((sum, { role }) => sum + (role === 'assistant' ? 1 : 0), 0);
  const found: Clearable[] = [];
  const seen = new Set<string>();
  /** The answers so far: a look into all sources of tools for each result would cost more than everything else here. */
  const repeatable = new Map<string, boolean>();
  const mayRepeat = (tool: string): boolean => {
    const may = repeatable.get(tool) ?? isRepeatable(tool);
    repeatable.set(tool, may);
    return may;
  };
  let tools = new Map<string, string>();
  let answer = 0;
  for (const message of messages) {
    if (message.role === 'assistant') {
      answer += 1;
      if (answers - answer < KEPT_ANSWERS) break;
      tools = new Map(
        message.content.flatMap((b) => (b.type === 'tool_use' ? [[b.id, b.name]] : [])),
      );
    }
    if (message.role !== 'user' || tools.size === 0) continue;
    for (const block of message.content) {
      if (block.type !== 'tool_result') continue;
      const callId = block.tool_use_id;
      const tool = tools.get(callId);
      if (tool === undefined || !mayRepeat(tool) || seen.has(callId)) continue;
      seen.add(callId);
      const tokens = tokensOf(block);
      if (tokens < SMALL_TOKENS) continue;
      found.push({ callId, tokens, heldTurns: answers - answer - KEPT_ANSWERS + 1 });
    }
  }
  return found;
}

const marked = ({ callId, tokens }: Clearable): ContextEdit => ({
  kind: 'replace_result',
  callId,
  content: [{ type: 'text', text: `${CLEARED}, about ${tokens} tokens]` }],
});
