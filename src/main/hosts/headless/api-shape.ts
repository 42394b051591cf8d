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

/** Returns a content block as the API sent it. */
export function apiBlock(block: AssistantBlock): Json {
  if (block.type === 'other') return block.raw;
  if (block.type === 'tool_use')
    return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  return block;
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
  usage: apiUsage(message.usage),
});
