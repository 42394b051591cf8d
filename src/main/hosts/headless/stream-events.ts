import type { AgentEvent } from '../../../shared/agent-event';
import { NO_USAGE } from '../../../shared/facts';
import type { AssistantBlock } from '../../../shared/message';
import { apiBlock, apiMessage, type Json, messageDelta } from './api-shape';

/**
 * Rebuilds the API's own stream events from ours, for `--include-partial-messages`. `kinds` remembers what
 * each open block is; the caller keeps it for the length of one answer.
 */
export function streamEvents(event: AgentEvent, kinds: Map<number, string>): readonly Json[] {
  switch (event.type) {
    case 'message_started':
      kinds.clear();
      return [
        {
          type: 'message_start',
          message: apiMessage({
            id: event.messageId,
            model: event.model,
            content: [],
            stopReason: null,
            usage: NO_USAGE,
          }),
        },
      ];
    case 'block_started':
      kinds.set(event.index, event.kind);
      return [
        { type: 'content_block_start', index: event.index, content_block: emptyBlock(event) },
      ];
    case 'block_delta': {
      const delta = deltaOf(kinds.get(event.index), event.text);
      return delta === null ? [] : [{ type: 'content_block_delta', index: event.index, delta }];
    }
    case 'block_finished':
      return [
        ...signatureOf(event.index, event.block),
        { type: 'content_block_stop', index: event.index },
      ];
    case 'message_finished':
      return [messageDelta(event.stopReason, event.usage), { type: 'message_stop' }];
    default:
      return [];
  }
}

function emptyBlock(event: Extract<AgentEvent, { type: 'block_started' }>): Json {
  if (event.kind === 'text') return { type: 'text', text: '', citations: null };
  if (event.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (event.kind === 'tool_use')
    return apiBlock({
      type: 'tool_use',
      id: event.callId ?? '',
      name: event.tool ?? '',
      input: {},
    });
  return { type: 'other' };
}

function deltaOf(kind: string | undefined, text: string): Json | null {
  if (kind === 'text') return { type: 'text_delta', text };
  if (kind === 'thinking')
    return { type: 'thinking_delta', thinking: text, estimated_tokens: null };
  if (kind === 'tool_use') return { type: 'input_json_delta', partial_json: text };
  return null;
}

const signatureOf = (index: number, block: AssistantBlock): readonly Json[] =>
  block.type === 'thinking' && block.signature !== ''
    ? [
        {
          type: 'content_block_delta',
          index,
          delta: { type: 'signature_delta', signature: block.signature },
        },
      ]
    : [];
