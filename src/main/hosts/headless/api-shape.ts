import type { AssistantBlock, Usage } from '../../../shared/message';

/** An object of a printed line. */
export type Json = Readonly<Record<string, unknown>>;

/** Token counts under the API's names. */
export const apiUsage = (usage: Usage): Json => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWriteTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  output_tokens: usage.outputTokens,
});

/** Parts of an API answer that Lathe has nothing to say in, and that programs count on. */
const EMPTY_PARTS = {
  container: null,
  context_management: null,
  diagnostics: null,
  stop_details: null,
} as const;

/** Token counts with every field that an answer's have. */
const answerUsage = (usage: Usage): Json => ({
  ...apiUsage(usage),
  cache_creation: null,
  fallback_credit: null,
  inference_geo: null,
  iterations: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
});

/** Returns the end of a streamed answer as the API says it. */
export const messageDelta = (stopReason: string | null, usage: Usage): Json => ({
  type: 'message_delta',
  context_management: null,
  delta: { container: null, stop_details: null, stop_reason: stopReason, stop_sequence: null },
  usage: {
    ...apiUsage(usage),
    fallback_credit: null,
    iterations: null,
    output_tokens_details: null,
    server_tool_use: null,
  },
});

/** Returns a content block as the API sent it. */
export function apiBlock(block: AssistantBlock): Json {
  if (block.type === 'other') return block.raw;
  if (block.type === 'tool_use')
    return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  return block.type === 'text' ? { ...block, citations: null } : block;
}

/** A whole answer as the API would give it without streaming. */
export const apiMessage = (message: {
  readonly id: string;
  readonly model: string;
  readonly content: readonly AssistantBlock[];
  readonly stopReason: string | null;
  readonly usage: Usage;
}): Json => ({
  id: message.id,
  type: 'message',
  role: 'assistant',
  model: message.model,
  content: message.content.map(apiBlock),
  stop_reason: message.stopReason,
  stop_sequence: null,
  ...EMPTY_PARTS,
  usage: answerUsage(message.usage),
});
