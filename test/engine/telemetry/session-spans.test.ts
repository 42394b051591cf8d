import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import type { ModelEvent, ModelRequest } from '../../../src/main/engine/model/model-client';
import { createSessionSpans } from '../../../src/main/engine/telemetry/session-spans';
import type { AgentEvent } from '../../../src/shared/agent-event';

/** The spans of a session that lives in memory, on a clock that goes on by one with each event. */
function session({ texts = false } = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  let now = 1_000;
  const spans = createSessionSpans(
    {
      tracer: provider.getTracer('test'),
      below: (span) => trace.setSpan(ROOT_CONTEXT, span),
      text: texts ? (text) => text.toUpperCase() : null,
      memory: () => 7,
    },
    { date: () => now },
    's1',
  );
  const see = (event: AgentEvent, agentId = 'main') => {
    now += 1;
    spans.see({ sessionId: 's1', agentId, epoch: 'e', seq: now, at: now, event });
  };
  const finished = () => exporter.getFinishedSpans();
  const named = (name: string) => finished().filter((span) => span.name === name);
  /** The name of the span above each one. */
  const parents = () =>
    Object.fromEntries(
      finished().map(({ name, parentSpanContext }) => [
        name,
        finished().find((one) => one.spanContext().spanId === parentSpanContext?.spanId)?.name,
      ]),
    );
  return { spans, see, finished, named, parents };
}

const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
const ended = (terminal: 'completed' | 'model_error' = 'completed'): AgentEvent => ({
  type: 'query_finished',
  queryId: 'q',
  terminal,
  text: 'the answer',
  turns: 1,
  usage: USAGE,
  costUsd: 0.5,
  durationMs: 1,
  apiMs: 1,
  denials: [],
  stopReason: null,
});
const QUERY: AgentEvent = { type: 'query_started', queryId: 'q' };
const TURN: AgentEvent = { type: 'turn_started', queryId: 'q', turn: 1 };
const prompt = (text: string): AgentEvent => ({
  type: 'user_message',
  id: 'm',
  content: [{ type: 'text', text }],
});
const request = (rest: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-test',
  maxTokens: 10,
  system: [],
  messages: [],
  tools: [],
  ...rest,
});

async function send(
  { spans }: ReturnType<typeof session>,
  events: readonly ModelEvent[],
  rest: Partial<ModelRequest> = {},
) {
  const client = spans.agent('main').requests({
    stream: async function* () {
      yield* events;
    },
  });
  for await (const _ of client.stream(request(rest), new AbortController().signal));
}
const neverNext = { next: () => new Promise<never>(() => {}) };
const ANSWER: ModelEvent = {
  type: 'message_finished',
  stopReason: 'end_turn',
  usage: USAGE,
  costUsd: 1,
};

test('a permission waits below its call, until it is answered', () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  const call = s.spans.agent('main').call({ id: 'c1', tool: 'mcp__files__read', input: {} });
  const approval = { id: 'a1', callId: 'c1' };
  s.see({ type: 'approval_requested', approval } as AgentEvent);
  s.see({ type: 'approval_answered', approvalId: 'a1', callId: 'c1', behavior: 'deny' });
  call.end('denied', 'not allowed');
  s.see(ended());
  expect(s.parents()).toMatchObject({
    permission: 'execute_tool mcp__files__read',
    'execute_tool mcp__files__read': 'turn',
    turn: 'invoke_agent main',
  });
  expect(s.named('permission')[0]?.attributes).toMatchObject({ 'lathe.permission.answer': 'deny' });
  expect(s.named('execute_tool mcp__files__read')[0]?.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'lathe.mcp.server': 'files',
    'lathe.call.status': 'denied',
  });
});

test('a summary is a compaction with its request, and layers that act are events', async () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  s.see({ type: 'context_edited', layer: 'snip', edits: [], freed: 9, counted: 0 });
  s.see({ type: 'compaction_started', trigger: 'auto', tokensBefore: 100 });
  await send(s, [ANSWER], { purpose: 'compaction' });
  s.see({
    type: 'compaction_ended',
    ...{ trigger: 'auto', outcome: 'compacted', tokensBefore: 100, tokensAfter: 10 },
  });
  await send(s, [ANSWER]);
  s.see(ended());
  const [summary, own] = s.named('chat claude-test');
  expect(summary?.attributes['lathe.request.source']).toBe('compaction');
  expect(own?.attributes['lathe.request.source']).toBe('conversation');
  const [compaction] = s.named('compaction');
  expect(summary?.parentSpanContext?.spanId).toBe(compaction?.spanContext().spanId);
  expect(compaction?.attributes['lathe.compaction.tokens_after']).toBe(10);
  expect(s.named('context')[0]?.events).toMatchObject([
    { name: 'context_edited', attributes: { 'lathe.context.layer': 'snip' } },
  ]);
  expect(s.parents()).toMatchObject({ compaction: 'context', context: 'turn' });
});

test('a request beside the conversation goes on when the next turn starts', async () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  const goOn = Promise.withResolvers<void>();
  const client = s.spans.agent('main').requests({
    stream: async function* () {
      await goOn.promise;
      yield ANSWER;
    },
  });
  const beside = (async () => {
    const asked = request({ purpose: 'summary ahead' });
    for await (const _ of client.stream(asked, new AbortController().signal));
  })();
  s.see(TURN);
  expect(s.named('chat claude-test')).toEqual([]);
  goOn.resolve();
  await beside;
  s.see(ended());
  expect(s.named('chat claude-test')[0]?.attributes).toMatchObject({
    'gen_ai.usage.output_tokens': 2,
    'lathe.request.source': 'summary ahead',
  });
});

test('requests that never end are closed with the session', () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  const { requests } = s.spans.agent('main');
  const client = requests({ stream: () => ({ [Symbol.asyncIterator]: () => neverNext }) });
  client.stream(request({ purpose: 'notes' }), new AbortController().signal);
  s.see(ended());
  expect(s.named('chat claude-test')).toEqual([]);
  s.spans.end();
  expect(s.named('chat claude-test')).toHaveLength(1);
});

test('a request that failed says why in one word, and a query that broke is an error', async () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  const error = { kind: 'overloaded', status: 529, message: 'the words', retryable: true } as const;
  await send(s, [{ type: 'failed', error }]);
  s.see(ended('model_error'));
  expect(s.named('chat claude-test')[0]).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'overloaded', 'http.response.status_code': 529 },
  });
  expect(s.named('invoke_agent main')[0]).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'model_error', 'process.memory.usage': 7 },
  });
  expect(JSON.stringify(s.finished().map(({ attributes }) => attributes))).not.toMatch(/words/);
});

test('a sub-agent that outlives its call stays below it; its tokens are its own', () => {
  const s = session();
  s.see(QUERY);
  const call = s.spans.agent('main').call({ id: 'c1', tool: 'Agent', input: {} });
  const agent = { id: 'sub', parentId: 'main', callId: 'c1', type: 'Explore', title: 'Look' };
  s.see({ type: 'agent_started', agent });
  call.end('done');
  s.see(ended());
  s.see(QUERY, 'sub');
  s.see(ended(), 'sub');
  s.see({ type: 'agent_settled', agentId: 'sub', status: 'completed', spend: {} });
  expect(s.parents()).toMatchObject({ 'invoke_agent Explore': 'execute_tool Agent' });
  expect(s.named('invoke_agent Explore')[0]?.attributes).toMatchObject({
    'gen_ai.agent.name': 'Explore',
    'lathe.query.source': 'agent',
    'gen_ai.usage.input_tokens': 8,
  });
});

test('prompts, calls and answers stay out, and go in cleaned where they are wanted', () => {
  for (const texts of [false, true]) {
    const s = session({ texts });
    s.see(QUERY);
    s.see(prompt('my words'));
    s.spans
      .agent('main')
      .call({ id: 'c1', tool: 'Bash', input: { command: 'ls my' } })
      .end('done', 'my files');
    s.see(ended());
    const told = JSON.stringify(s.finished().map(({ attributes }) => attributes));
    expect(told.includes('MY WORDS')).toBe(texts);
    expect(told.includes('LS MY')).toBe(texts);
    expect(told.includes('MY FILES')).toBe(texts);
    expect(told.includes('THE ANSWER')).toBe(texts);
    expect(told).not.toMatch(/my words|ls my|my files|the answer/);
  }
});

test('what is open when a session closes is ended', () => {
  const s = session();
  s.see(QUERY);
  s.see(TURN);
  s.spans.agent('main').call({ id: 'c1', tool: 'Bash', input: {} });
  s.spans.end();
  expect(
    s
      .finished()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['context', 'execute_tool Bash', 'invoke_agent main', 'turn']);
});

test('the collecting of attachments has a span, and so has each try to reach a tool server', async () => {
  const s = session();
  s.see(QUERY);
  const collect = s.spans.agent('main').around('attachments', async (what: string) => [what]);
  expect(await collect('a file')).toEqual(['a file']);
  s.spans.connect('docs', 'http')('refused');
  s.spans.connect('docs', 'http')(null);
  s.spans.connect('slow', 'stdio');
  s.see(ended());
  s.spans.end();
  expect(s.parents()).toMatchObject({
    attachments: 'invoke_agent main',
    'connect docs': 'invoke_agent main',
    'connect slow': 'invoke_agent main',
  });
  expect(s.named('connect docs').map(({ status }) => status.code)).toEqual([2, 0]);
  expect(s.named('connect docs')[0]?.attributes).toMatchObject({
    'lathe.mcp.server': 'docs',
    'lathe.mcp.transport': 'http',
    'error.type': 'not_connected',
  });
  expect(s.named('connect docs')[0]?.attributes).not.toHaveProperty('lathe.mcp.problem');
});
