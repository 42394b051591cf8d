import { expect, it } from 'vitest';
import { createLineMapper } from '../../../src/main/hosts/headless/stream-json';
import type { AgentEvent } from '../../../src/shared/agent-event';

const STAMP = { session_id: 'ses', uuid: 'u' };

const mapper = (hooks = true, structured?: unknown) =>
  createLineMapper(
    {
      ...{ sessionId: 'ses', uuid: () => 'u', spent: () => ({}), shownInput: () => null },
      structuredOutput: () => structured,
    },
    false,
    { hooks, agentText: true },
  );

const finished = (over: object): AgentEvent =>
  ({
    ...{ type: 'query_finished', queryId: 'q', terminal: 'completed', text: 'ok', turns: 1 },
    ...{ usage: USAGE, costUsd: 0, durationMs: 1, apiMs: 1, stopReason: null, denials: [] },
    ...over,
  }) as AgentEvent;
const USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

it.each(['SessionStart', 'Stop'] as const)(
  'output of a running %s hook is told where its runs are',
  (event) => {
    const hook = { id: 'h', event, subject: '', run: 'x', startedAt: 1, awaited: true };
    const progress: AgentEvent = { type: 'hook_progress', hook, stdout: 'a', stderr: 'b' };
    const line = {
      ...{
        type: 'system',
        subtype: 'hook_progress',
        hook_id: 'h',
        hook_event: event,
        hook_name: event,
      },
      ...{ stdout: 'a', stderr: 'b', output: 'ab', ...STAMP },
    };
    expect(mapper().lines(progress)).toEqual([line]);
    expect(mapper(false).lines(progress)).toEqual(event === 'Stop' ? [] : [line]);
  },
);

it('the end of a visit that a tool server asked for is told', () => {
  const event: AgentEvent = { type: 'elicitation_completed', server: 's', elicitationId: 'e' };
  expect(mapper().lines(event)).toEqual([
    {
      type: 'system',
      subtype: 'elicitation_complete',
      mcp_server_name: 's',
      elicitation_id: 'e',
      ...STAMP,
    },
  ]);
});

it('notes that go along with a request are named, and no other attachment is', () => {
  const attachment = (kind: string): AgentEvent => ({
    ...{ type: 'attachment', id: 'a', kind, text: 'x', about: '/m/a%20b.md /m/c.md' },
  });
  expect(mapper().lines(attachment('file'))).toEqual([]);
  expect(mapper().lines(attachment('relevant_notes'))).toEqual([
    {
      ...{ type: 'system', subtype: 'memory_recall', mode: 'select', ...STAMP },
      memories: [
        { path: '/m/a b.md', scope: 'personal' },
        { path: '/m/c.md', scope: 'personal' },
      ],
    },
  ]);
});

it('what a command said that no model carried out comes before the result', () => {
  const lines = mapper().lines(finished({ turns: 0, text: 'It cost nothing.' }));
  expect(lines.map(({ subtype }) => subtype)).toEqual(['local_command_output', 'success']);
  expect(lines[0]).toMatchObject({ content: 'It cost nothing.' });
  expect(mapper().lines(finished({}))).toHaveLength(1);
  expect(mapper().lines(finished({ turns: 0, terminal: 'hook_stopped' }))).toHaveLength(1);
});

it('a prompt that the model declined is told, with the model', () => {
  const { lines } = mapper();
  const answer = { type: 'message_finished', messageId: 'm', model: 'opus', stopReason: 'refusal' };
  lines({ ...answer, usage: USAGE, costUsd: 0 } as AgentEvent);
  const end = { terminal: 'model_error', stopReason: 'refusal', text: 'It declined.' };
  expect(lines(finished(end))[0]).toEqual({
    ...{ type: 'system', subtype: 'model_refusal_no_fallback', original_model: 'opus' },
    ...{ request_id: null, api_refusal_category: null, api_refusal_explanation: null },
    ...{ content: 'It declined.', ...STAMP },
  });
});

it('an answer that never took the shape that was asked for is an error; a command has none to take', () => {
  const owed = mapper(true, null);
  expect(owed.lines(finished({}))).toMatchObject([
    {
      ...{ subtype: 'error_max_structured_output_retries', is_error: true },
      errors: [expect.stringContaining('shape')],
    },
  ]);
  expect(owed.lines(finished({ turns: 0 })).at(-1)).toMatchObject({ subtype: 'success' });
  expect(owed.lines(finished({ terminal: 'max_turns' }))).toMatchObject([
    { subtype: 'error_max_turns' },
  ]);
});
