import { expect, test } from 'vitest';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { NO_COSTS } from '../../../src/shared/facts';
import { addCosts } from '../../support/add-costs';

const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 };
const API_USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 2,
};

const map = (events: readonly AgentEvent[], partial: boolean) => {
  let costs = NO_COSTS;
  const context = {
    sessionId: 'ses',
    uuid: () => 'u',
    structuredOutput: () => undefined,
    shownInput: () => null,
    spent: () => costs.byModel,
  };
  const mapper = createLineMapper(context, partial);
  return events.flatMap((event) => {
    if (event.type === 'message_finished' || event.type === 'side_call') {
      const spend = { usage: event.usage, costUsd: event.costUsd, requests: 1 };
      costs = addCosts(costs, 'main', { [event.model]: spend });
    }
    return mapper.lines(event);
  });
};

const started: AgentEvent = { type: 'message_started', messageId: 'm1', model: 'opus' };
const toolUse: AgentEvent = {
  type: 'block_finished',
  messageId: 'm1',
  model: 'opus',
  index: 1,
  block: { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
};
const finished = (): AgentEvent => ({
  type: 'message_finished',
  messageId: 'm1',
  model: 'opus',
  stopReason: 'tool_use',
  usage: USAGE,
  costUsd: 0.01,
});

test('partial messages are the stream events of the API, in order', () => {
  const delta = (index: number, value: string): AgentEvent => ({
    type: 'block_delta',
    messageId: 'm1',
    index,
    text: value,
  });
  const opened = (index: number, kind: 'text' | 'thinking' | 'tool_use'): AgentEvent => ({
    type: 'block_started',
    messageId: 'm1',
    index,
    kind,
    ...(kind === 'tool_use' ? { callId: 'c1', tool: 'Bash' } : {}),
  });
  const thinking: AgentEvent = {
    type: 'block_finished',
    messageId: 'm1',
    model: 'opus',
    index: 0,
    block: { type: 'thinking', thinking: 'hm', signature: 'sig' },
  };
  const events = [
    started,
    opened(0, 'thinking'),
    delta(0, 'hm'),
    thinking,
    opened(1, 'tool_use'),
    delta(1, '{"command":'),
    toolUse,
    finished(),
  ];
  const streamed = map(events, true)
    .filter((line) => line['type'] === 'stream_event')
    .map((line) => line['event']);
  expect(streamed).toEqual([
    { type: 'message_start', message: expect.objectContaining({ id: 'm1', content: [] }) },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'hm', estimated_tokens: null },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'c1', name: 'Bash', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"command":' },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      context_management: null,
      delta: {
        ...{ container: null, stop_details: null },
        ...{ stop_reason: 'tool_use', stop_sequence: null },
      },
      usage: {
        ...{ ...API_USAGE, fallback_credit: null, iterations: null },
        ...{ output_tokens_details: null, server_tool_use: null },
      },
    },
    { type: 'message_stop' },
  ]);
});

test('without the flag no stream event is printed', () => {
  const types = map([started, toolUse, finished()], false).map((line) => line['type']);
  expect(types).toEqual(['assistant']);
});
