import { expect, test } from 'vitest';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { NO_COSTS } from '../../../src/shared/facts';
import { lineId } from '../../../src/shared/line-id';
import type { Task } from '../../../src/shared/task';
import type { EndReason } from '../../../src/shared/turn';
import { addCosts } from '../../support/add-costs';

const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 };
const API_USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 2,
};
/** Parts of an answer that Lathe says nothing in. */
const EMPTY_USAGE = {
  ...{ cache_creation: null, fallback_credit: null, inference_geo: null, iterations: null },
  ...{ output_tokens_details: null, server_tool_use: null, service_tier: null, speed: null },
};
const EMPTY_PARTS = {
  ...{ container: null, context_management: null, diagnostics: null, stop_details: null },
};
const STAMP = { session_id: 'ses', uuid: 'u' };

const map = (events: readonly AgentEvent[], partial = false) => {
  let costs = NO_COSTS;
  const context = {
    sessionId: 'ses',
    uuid: () => 'u',
    spent: () => costs.byModel,
    structuredOutput: () => undefined,
    shownInput: () => null,
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
const text: AgentEvent = {
  type: 'block_finished',
  messageId: 'm1',
  model: 'opus',
  index: 0,
  block: { type: 'text', text: 'Let me look.' },
};
const toolUse: AgentEvent = {
  type: 'block_finished',
  messageId: 'm1',
  model: 'opus',
  index: 1,
  block: { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
};
const finished = (stopReason: string | null = 'tool_use', messageId = 'm1'): AgentEvent => ({
  type: 'message_finished',
  messageId,
  model: 'opus',
  stopReason,
  usage: USAGE,
  costUsd: 0.01,
});
const settled = (isError = false): AgentEvent => ({
  type: 'call_settled',
  callId: 'c1',
  tool: 'Bash',
  title: { verb: 'Bash', target: 'ls' },
  status: isError ? 'denied' : 'done',
  content: [{ type: 'text', text: 'a.txt' }],
  isError,
  view: null,
  durationMs: 4,
});
const ended = (terminal: EndReason, over: object = {}): AgentEvent => ({
  type: 'query_finished',
  queryId: 'q',
  terminal,
  text: 'Done.',
  turns: 2,
  usage: USAGE,
  costUsd: 0.01,
  durationMs: 100,
  apiMs: 80,
  denials: [],
  stopReason: 'end_turn',
  ...over,
});

const ASSISTANT = {
  type: 'assistant',
  message: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'opus',
    content: [
      { type: 'text', text: 'Let me look.', citations: null },
      { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    ...EMPTY_PARTS,
    usage: { ...API_USAGE, ...EMPTY_USAGE },
  },
  parent_tool_use_id: null,
  ...STAMP,
  uuid: lineId('m1'),
};
const USER = {
  type: 'user',
  message: {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [{ type: 'text', text: 'a.txt' }],
        is_error: false,
      },
    ],
  },
  parent_tool_use_id: null,
  tool_use_result: 'a.txt',
  ...STAMP,
  uuid: lineId('c1:result'),
};

test('an answer is one line with the whole API message, then its results', () => {
  expect(map([started, text, toolUse, finished(), settled()])).toEqual([ASSISTANT, USER]);
});

test('a call that settles while the answer still streams comes after the answer all the same', () => {
  expect(map([started, text, toolUse, settled(), finished()])).toEqual([ASSISTANT, USER]);
});

test('thinking keeps its signature, unknown blocks stay as they came, invalid input is not invented', () => {
  const block = (index: number, value: object) => ({ ...text, index, block: value }) as AgentEvent;
  const [line] = map([
    block(0, { type: 'thinking', thinking: 'hm', signature: 'sig' }),
    block(1, { type: 'other', raw: { type: 'server_tool_use', x: 1 } }),
    block(2, { type: 'tool_use', id: 'c', name: 'Bash', input: {}, invalid: 'cut short' }),
    finished(),
  ]);
  expect(line).toMatchObject({
    message: {
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'server_tool_use', x: 1 },
        { type: 'tool_use', id: 'c', name: 'Bash', input: {} },
      ],
    },
  });
});

test('an answer that was cut off by an abort is still shown', () => {
  const lines = map([started, text, ended('aborted_streaming', { stopReason: null })]);
  expect(lines.map((line) => line['type'])).toEqual(['assistant', 'result']);
  expect(lines[0]).toMatchObject({ message: { stop_reason: null } });
});

test('an answer that was voided is not shown', () => {
  const tombstone: AgentEvent = { type: 'tombstone', messageId: 'm1', reason: 'stream broke' };
  const lines = map([started, text, tombstone, ended('completed')]);
  expect(lines.map((line) => line['type'])).toEqual(['result']);
});

test('an answer cut at the output limit is shown once nobody asks for it again', () => {
  const tombstone: AgentEvent = { type: 'tombstone', messageId: 'm1', reason: 'asked again' };
  const voided = map([started, text, finished('max_tokens'), tombstone, ended('completed')]);
  expect(voided.map((line) => line['type'])).toEqual(['result']);
  const kept = map([started, text, toolUse, finished('max_tokens'), settled(), ended('completed')]);
  expect(kept.map((line) => line['type'])).toEqual(['assistant', 'user', 'result']);
  expect(kept[0]).toMatchObject({ message: { stop_reason: 'max_tokens' } });
});

test.each<[EndReason, string, boolean, string?]>([
  ['completed', 'success', false],
  ['max_turns', 'error_max_turns', true],
  ['max_budget', 'error_max_budget_usd', true, 'budget_exhausted'],
  ['model_error', 'error_during_execution', true],
  ['aborted_tools', 'error_during_execution', false],
  ['hook_stopped', 'error_during_execution', true],
  ['prompt_too_long', 'error_during_execution', true],
])(
  'a query that ends with %s has the subtype %s',
  (terminal, subtype, isError, reason = terminal) => {
    expect(map([ended(terminal)])[0]).toMatchObject({
      type: 'result',
      subtype,
      is_error: isError,
      terminal_reason: reason,
      result: 'Done.',
    });
  },
);

test('the result has the time to the first token of its own query', () => {
  const after = (ttftMs: number) => ({ ...finished(), ttftMs }) as AgentEvent;
  const begun: AgentEvent = { type: 'query_started', queryId: 'q' };
  const first = [begun, after(120.4), after(80), ended('completed')];
  const lines = map([...first, begun, ended('completed')]);
  const results = lines.filter(({ type }) => type === 'result');
  expect(results.map(({ ttft_ms }) => ttft_ms)).toEqual([120, undefined]);
});

test('the result sums usage and cost by model and lists refusals', () => {
  const denial = { tool: 'Bash', toolUseId: 'c1', input: { command: 'rm -rf /' } };
  const other = { ...finished('end_turn', 'm2'), model: 'haiku' } as AgentEvent;
  const lines = map([text, finished(), other, ended('completed', { denials: [denial] })]);
  expect(lines.at(-1)).toEqual({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 100,
    duration_api_ms: 80,
    num_turns: 2,
    result: 'Done.',
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    total_cost_usd: 0.02,
    usage: {
      input_tokens: 20,
      output_tokens: 10,
      cache_read_input_tokens: 6,
      cache_creation_input_tokens: 4,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 4 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      inference_geo: 'not_available',
      iterations: [],
      output_tokens_details: { thinking_tokens: 0 },
      speed: 'standard',
      fallback_credit: null,
    },
    modelUsage: {
      opus: {
        inputTokens: 10,
        outputTokens: 5,
        cacheReadInputTokens: 3,
        cacheCreationInputTokens: 2,
        webSearchRequests: 0,
        costUSD: 0.01,
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
      },
      haiku: {
        inputTokens: 10,
        outputTokens: 5,
        cacheReadInputTokens: 3,
        cacheCreationInputTokens: 2,
        webSearchRequests: 0,
        costUSD: 0.01,
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
      },
    },
    permission_denials: [
      { tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'rm -rf /' } },
    ],
    ...STAMP,
  });
});

const TASK: Task = {
  id: 'b_1',
  type: 'local_bash',
  kind: 'Background command',
  sessionId: 'ses',
  agentId: 'main',
  callId: 'c1',
  title: 'npm test',
  status: 'running',
  isBackgrounded: true,
  startedAt: 0,
  outputFile: '/o',
  outputBytes: 0,
  outputLines: 0,
  lastLine: 'ok 1',
  endTold: false,
};

test.each<[string, AgentEvent, object]>([
  [
    'a retry',
    {
      type: 'retry_waiting',
      attempt: 2,
      maxAttempts: 10,
      delayMs: 1500,
      reason: 'It is overloaded.',
      error: 'overloaded',
      status: 529,
    },
    {
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 9,
      retry_delay_ms: 1500,
      error_status: 529,
      error: 'overloaded',
      message: 'It is overloaded.',
    },
  ],
  [
    'a compaction',
    { type: 'compacted', id: 'k', summary: '', removed: [], tokensBefore: 9, tokensAfter: 1 },
    {
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 9, post_tokens: 1 },
    },
  ],
  [
    'a notice',
    { type: 'notice', level: 'warning', code: 'x', text: 'careful' },
    { subtype: 'informational', level: 'warning', code: 'x', content: 'careful' },
  ],
  [
    'a notice that passes',
    { type: 'notice', level: 'info', code: 'cache_missed', text: 'The prompt cost more.' },
    {
      ...{ subtype: 'notification', key: 'cache_missed', priority: 'low' },
      text: 'The prompt cost more.',
    },
  ],
  [
    'a warning of the same kind',
    { type: 'notice', level: 'warning', code: 'provider_failover', text: 'B answers.' },
    {
      ...{ subtype: 'informational', level: 'warning', code: 'provider_failover' },
      content: 'B answers.',
    },
  ],
])('%s is a system line', (_, event, expected) => {
  expect(map([event])).toEqual([{ type: 'system', ...expected, ...STAMP }]);
});

test('a task is announced once it works in the background, however often it changes', () => {
  const started: AgentEvent = { type: 'task_started', task: TASK };
  const changed: AgentEvent = { type: 'task_changed', task: TASK };
  const foreground: AgentEvent = { type: 'task_started', task: { ...TASK, isBackgrounded: false } };
  const ended: AgentEvent = { type: 'task_settled', task: TASK };
  const lines = map([foreground, started, changed, started, ended, changed]);
  expect(lines.map((line) => line['subtype'])).toEqual([
    'task_started',
    'task_updated',
    'task_notification',
  ]);
});

test('lines of a sub-agent name the call that started it, and its end is no result', () => {
  const mapper = createLineMapper(
    {
      sessionId: 'ses',
      uuid: () => 'u',
      structuredOutput: () => undefined,
      spent: () => ({}),
      shownInput: () => null,
    },
    false,
  );
  const agent = { id: 'agt_1', parentId: 'main', callId: 'c9', type: 'Explore', title: 'Look' };
  mapper.lines({ type: 'agent_started', agent });
  mapper.lines({ type: 'message_started', messageId: 'm1', model: 'opus' }, 'agt_1');
  mapper.lines(text, 'agt_1');
  expect(mapper.lines(finished('end_turn'), 'agt_1')).toMatchObject([
    {
      type: 'assistant',
      parent_tool_use_id: 'c9',
      message: { content: [{ text: 'Let me look.' }] },
    },
  ]);
  expect(mapper.lines(toolUse)).toEqual([]);
  expect(mapper.lines(finished())).toMatchObject([{ type: 'assistant', parent_tool_use_id: null }]);
});

test('a result lists the warnings since the one before', () => {
  const notice = (level: 'info' | 'error', text: string, fix?: string): AgentEvent => ({
    type: 'notice',
    level,
    code: 'x',
    text,
    ...(fix === undefined ? {} : { fix }),
  });
  const lines = map([
    notice('error', 'This cannot be saved.', 'Make room.'),
    notice('info', 'By the way.'),
    ended('completed'),
    ended('completed'),
  ]).filter((line) => line['type'] === 'result');
  expect(lines.map((line) => line['warnings'])).toEqual([
    ['This cannot be saved. Make room.'],
    undefined,
  ]);
});
