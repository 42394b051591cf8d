import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/shared/agent-event';
import { applyEvent } from '../../src/shared/apply-event';
import { NO_USAGE } from '../../src/shared/facts';
import { modelName } from '../../src/shared/model-name';
import type { Approval } from '../../src/shared/permission';
import { allItems, emptyTranscript, type Transcript } from '../../src/shared/transcript';
import { ContinueReason } from '../../src/shared/turn';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';

/** The picture after these events, one each second from 1 s. */
const after = (events: readonly AgentEvent[], start = emptyTranscript('s', 'e')): Transcript =>
  events.reduce(
    (t, event) =>
      applyEvent(t, {
        sessionId: 's',
        agentId: 'main',
        epoch: 'e',
        seq: t.seq + 1,
        at: (t.seq + 1) * 1000,
        event,
      }),
    start,
  );

const model = (id: string): AgentEvent => ({ type: 'model_changed', model: id });
const began: AgentEvent = { type: 'query_started', queryId: 'q' };
const prompt = (id: string, synthetic = false): AgentEvent => ({
  type: 'user_message',
  id,
  content: [{ type: 'text', text: id }],
  ...(synthetic ? { synthetic } : {}),
});
const answering: AgentEvent = { type: 'message_started', messageId: 'm', model: OPUS };
const text: AgentEvent = { type: 'block_started', messageId: 'm', index: 0, kind: 'text' };
const delta: AgentEvent = { type: 'block_delta', messageId: 'm', index: 0, text: 'a' };
const retry = (attempt: number, delayMs = 500): AgentEvent => ({
  type: 'retry_waiting',
  attempt,
  maxAttempts: 10,
  delayMs,
  reason: 'The API is overloaded (529)',
});
const back = (attempt: number): AgentEvent => ({
  type: 'retried',
  attempt,
  reason: 'The API is overloaded (529)',
});
const ended: AgentEvent = { type: 'retry_ended' };
const compacted: AgentEvent = {
  type: 'compacted',
  id: 'k',
  summary: '',
  removed: ['a', 'b', 'c'],
  tokensBefore: 912_400,
  tokensAfter: 840,
};
const fellBack: AgentEvent = {
  type: 'notice',
  level: 'warning',
  code: 'model_fallback',
  text: 'overloaded',
};
const go = (reason: ContinueReason): AgentEvent => ({ type: 'continued', reason });

/** Kind and words of each row, shortly. */
const rows = (t: Transcript): readonly string[] =>
  [...t.committed, ...t.active].map((i) =>
    i.kind === 'divider' ? `${i.code}: ${i.text}` : i.kind,
  );

describe('what is told between messages', () => {
  it.each<[string, readonly AgentEvent[], readonly string[]]>([
    ['another turn is nothing to tell', [began, prompt('p'), go('next_turn')], ['prompt']],
    [
      'more room for the answer',
      [began, prompt('p'), go('max_output_tokens_escalate')],
      [
        'prompt',
        'max_output_tokens_escalate: The answer was cut at its length limit: asked again with more room',
      ],
    ],
    [
      'an answer that goes on',
      [began, prompt('p'), text, go('max_output_tokens_recovery'), prompt('say', true)],
      [
        'prompt',
        'text',
        'max_output_tokens_recovery: The answer was cut at the model’s length limit and goes on here',
      ],
    ],
    [
      'a summary, told once',
      [began, prompt('p'), compacted, go('reactive_compact_retry')],
      ['prompt', 'compacted: Conversation summarised: 3 messages became one, 912k → 840 tokens'],
    ],
    [
      'a recovered request, once an answer begins',
      [began, prompt('p'), retry(2), ended, retry(3), ended, back(3), answering, text],
      ['prompt', 'retried: The API is overloaded (529). The model answered on try 3', 'text'],
    ],
    [
      'an answer that broke and was asked for twice',
      [
        ...[began, prompt('p'), retry(2), ended, back(2), answering, text],
        { type: 'tombstone', messageId: 'm', reason: 'reset' },
        ...[retry(3), ended, back(3), answering, text],
      ],
      ['prompt', 'retried: The API is overloaded (529). The model answered on try 3', 'text'],
    ],
    [
      'news that woke the session',
      [
        began,
        { type: 'attachment', id: 'a', kind: 'date', text: 'Today is Sunday.' },
        {
          type: 'attachment',
          id: 'b',
          kind: 'task_notification',
          text: `<task-notification>\n<task-id>t1</task-id>\n<summary>Monitor "log" saw:</summary>\n<lines>\n3 &lt; 4 &amp;lt;\nmore\n</lines>\n</task-notification>`,
        },
        text,
      ],
      ['task_news: Monitor "log" saw: 3 < 4 &lt; (and 1 more)', 'text'],
    ],
    [
      'the end of a background command',
      [
        began,
        {
          type: 'attachment',
          id: 'b',
          kind: 'task_notification',
          text: `<task-notification>\n<summary>Background command "${'x'.repeat(200)}" failed.</summary>\n</task-notification>`,
        },
      ],
      [`task_news: Background command "${'x'.repeat(139)}…`],
    ],
    ['a wait that was stopped', [began, prompt('p'), retry(2), ended], ['prompt']],
    [
      'a prompt of the queue',
      [began, prompt('p'), go('queued_prompt'), prompt('q1'), prompt('q2')],
      ['prompt', 'queued_prompt: Taken from the queue', 'prompt', 'prompt'],
    ],
    ['a first prompt waited for nobody', [began, prompt('p')], ['prompt']],
    [
      'another model',
      [model(OPUS), began, prompt('p'), model(SONNET)],
      ['prompt', 'model_changed: Claude Sonnet 5.5 answers from here'],
    ],
    [
      'only the last of several models',
      [model(OPUS), began, prompt('p'), model(SONNET), model('claude-haiku-5')],
      ['prompt', 'model_changed: Claude Haiku 5 answers from here'],
    ],
    ['a model chosen before a word was said', [model(OPUS), model(SONNET)], []],
    [
      'a fallback, told once',
      [model(OPUS), began, prompt('p'), fellBack, model(SONNET)],
      ['prompt', 'model_fallback: overloaded'],
    ],
  ])('%s', (_, events, expected) => expect(rows(after(events))).toEqual(expected));

  it('has an answer for every reason to go on', () => {
    for (const reason of ContinueReason.options) {
      const told = rows(after([began, prompt('p'), go(reason)])).length - 1;
      const silent = ['next_turn', 'queued_prompt', 'reactive_compact_retry'].includes(reason);
      expect([reason, told]).toEqual([reason, silent ? 0 : 1]);
    }
  });

  it('gives every divider an id of its own', () => {
    const events = [prompt('p'), go('stop_hook_blocking'), text, go('stop_hook_blocking')];
    const items = allItems(after([began, ...events]));
    expect(items).toHaveLength(4);
    expect(new Set(items.map((item) => item.id)).size).toBe(4);
  });
});

describe('the turns of a running query', () => {
  const call = (status: 'running' | 'done', tail: string): AgentEvent => ({
    type: 'call_changed',
    callId: 'c',
    tool: 'Bash',
    title: { verb: 'Bash', target: 'x' },
    status,
    view: { kind: 'generic', title: '', detail: tail },
  });
  const twoTurns = after([began, prompt('p'), call('running', '1'), go('next_turn'), text]);

  it('are settled one by one, and keep their identity while the next one runs', () => {
    expect(twoTurns.committed.map((item) => item.kind)).toEqual(['prompt', 'call']);
    expect(twoTurns.active.map((item) => item.kind)).toEqual(['text']);
    expect(after([delta, delta], twoTurns).committed).toBe(twoTurns.committed);
  });
  it('still take what a call of an earlier turn reports', () => {
    const later = after([call('done', '2')], twoTurns);
    expect(later.committed.at(-1)).toMatchObject({ status: 'done', view: { detail: '2' } });
    expect(later.active).toBe(twoTurns.active);
  });
  it('do not take a call of an ended query for one of theirs', () => {
    const end: AgentEvent = {
      ...{ type: 'query_finished', queryId: 'q', terminal: 'completed', text: '', turns: 1 },
      ...{ costUsd: 0, durationMs: 1, apiMs: 1, stopReason: null, denials: [] },
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    const again = after([end, began, prompt('p2'), call('running', '3')], twoTurns);
    expect(again.active.map((item) => item.kind)).toEqual(['prompt', 'call']);
  });
  it('keep the question of a background command over the end of a query, until it is withdrawn', () => {
    const approval: Approval = {
      ...{ id: 'apr', callId: 'c', tool: 'Bash', title: 'Reach a host?', digest: 'd' },
      subject: { kind: 'connect', host: 'h', port: 443, commands: ['npm run dev'] },
      decision: { behavior: 'ask', reason: '', why: [], suggestions: [] },
    };
    const end: AgentEvent = {
      ...{ type: 'query_finished', queryId: 'q', terminal: 'completed', text: '', turns: 1 },
      ...{ costUsd: 0, durationMs: 1, apiMs: 1, stopReason: null, denials: [] },
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    const asked = after([began, { type: 'approval_requested', approval }, end]);
    expect(asked.approvals).toMatchObject([{ id: 'apr', agentId: 'main' }]);
    const gone = after([{ type: 'approval_withdrawn', approvalId: 'apr' }], asked);
    expect(gone.approvals).toEqual([]);
  });
  it('mark a prompt from the queue also when only earlier turns have a prompt', () =>
    expect(rows(after([go('queued_prompt'), prompt('q1'), prompt('q2')], twoTurns))).toEqual([
      ...['prompt', 'call', 'text', 'queued_prompt: Taken from the queue', 'prompt', 'prompt'],
    ]));
});

describe('waiting', () => {
  it('counts to the end of the pause, and goes on through the next try', () => {
    const pausing = after([began, retry(2, 30_000)]);
    expect(pausing.waiting).toMatchObject({ attempt: 2, maxAttempts: 10, until: 32_000 });
    expect(after([ended], pausing).waiting).toMatchObject({ attempt: 2, until: 3000 });
  });
  it.each<[string, AgentEvent]>([
    ['an answer', answering],
    ['another round', go('next_turn')],
    ['a summary', compacted],
    ['a fallback', fellBack],
  ])('is over with %s', (_, event) =>
    expect(after([began, retry(2), ended, event]).waiting).toBeNull(),
  );
  it('survives a notice about something else', () =>
    expect(after([began, retry(2, 30_000), fellBack]).waiting).not.toBeNull());
});

describe('silence', () => {
  const silent = after([began, answering, text, { type: 'stalled', silentMs: 1500 }]);
  it('is counted from its beginning', () => expect(silent.silentSince).toBe(2500));
  it.each<[string, AgentEvent]>([
    ['a word', delta],
    ['a retry', retry(2)],
    ['a notice', fellBack],
    ['a voided answer', { type: 'tombstone', messageId: 'm', reason: 'stalled' }],
  ])('ends with %s', (_, event) => expect(after([event], silent).silentSince).toBeNull());
  it.each<[string, AgentEvent]>([
    ['a word of the user', { type: 'queue_changed', order: [] }],
    ['news of a task', { type: 'task_evicted', taskId: 't' }],
  ])('goes on through %s', (_, event) => expect(after([event], silent).silentSince).toBe(2500));
});

describe('usage', () => {
  const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 };
  const finished: AgentEvent = {
    type: 'message_finished',
    messageId: 'm',
    model: OPUS,
    stopReason: 'end_turn',
    usage,
    costUsd: 0.5,
    ttftMs: 700,
    tokensPerSecond: 60,
  };
  const window: AgentEvent = { type: 'context_changed', usedTokens: 4330, windowTokens: 200_000 };

  it('adds up answers and side calls', () => {
    const side: AgentEvent = {
      ...{ type: 'side_call', purpose: 'title', model: OPUS, durationMs: 1 },
      ...{ usage, costUsd: 0.25 },
    };
    expect(after([finished, side])).toMatchObject({
      costs: {
        total: {
          usage: {
            inputTokens: 20,
            outputTokens: 40,
            cacheReadTokens: 600,
            cacheWriteTokens: 8000,
          },
          costUsd: 0.75,
          requests: 2,
        },
      },
      ttftMs: 700,
      tokensPerSecond: 60,
    });
  });
  it('knows from a log alone how full the context is, and the window once a request told', () => {
    expect(after([finished]).context).toEqual({ usedTokens: 4330, windowTokens: 0 });
    expect(after([finished, window, compacted]).context).toEqual({
      usedTokens: 840,
      windowTokens: 200_000,
    });
  });
  it('forgets the window of another model, and does not believe an answer nobody counted', () => {
    const t = after([model(OPUS), finished, window, model(SONNET)]);
    expect(t.context).toEqual({ usedTokens: 4330, windowTokens: 0 });
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(after([{ ...finished, usage: none }], t).context).toEqual(t.context);
  });
});

it.each([
  ['claude-opus-5-5', 'Claude Opus 5.5'],
  ['claude-opus-4-1-20250805', 'Claude Opus 4.1'],
  ['claude-haiku-5', 'Claude Haiku 5'],
  ['anthropic.claude-opus-5-5-v1:0', 'anthropic.claude-opus-5-5-v1:0'],
  ['my-model', 'my-model'],
])('calls %s %s', (id, name) => expect(modelName(id)).toBe(name));

describe('a call that is being received', () => {
  const start: AgentEvent = {
    ...{ type: 'block_started', messageId: 'm', index: 1, kind: 'tool_use' },
    ...{ callId: 'c', tool: 'Write' },
  };
  const piece = (text: string): AgentEvent => ({
    ...{ type: 'block_delta', messageId: 'm', index: 1 },
    text,
  });
  const finish: AgentEvent = {
    ...{ type: 'block_finished', messageId: 'm', model: 'x', index: 1 },
    block: { type: 'tool_use', id: 'c', name: 'Write', input: {} },
  };

  it('shows its target as soon as it is known, and how long it has grown', () => {
    const events = [start, piece('{"file_path":"/a/b.ts","content":"'), piece('x'.repeat(9_000))];
    expect(after(events).active).toMatchObject([
      {
        ...{ kind: 'call', status: 'receiving', title: { verb: 'Write', target: '/a/b.ts' } },
        received: { chars: 9_034 },
      },
    ]);
    const [row] = after(events).active;
    expect(row?.kind === 'call' && row.received?.json.length).toBe(4_096);
  });

  it('becomes the call when it is whole, and is the same as from a log', () => {
    expect(after([start, piece('{"file'), finish]).active).toEqual(after([finish]).active);
  });

  it('goes when the answer is taken back or stopped', () => {
    const voided: AgentEvent = { type: 'tombstone', messageId: 'm', reason: 'cut' };
    expect(after([start, piece('{'), voided]).active).toEqual([]);
    const query: AgentEvent = { type: 'query_started', queryId: 'q' };
    const end: AgentEvent = {
      ...{ type: 'query_finished', queryId: 'q', terminal: 'aborted_streaming', text: '' },
      ...{ turns: 1, costUsd: 0, durationMs: 1, apiMs: 1, denials: [], stopReason: null },
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    };
    const { committed } = after([query, start, piece('{'), end]);
    expect(committed.map(({ kind }) => kind)).toEqual(['end']);
  });
});

describe('a conversation that cannot be saved', () => {
  const notice = (code: string, fix?: string): AgentEvent => ({
    type: 'notice',
    level: 'error',
    code,
    text: 'No space left.',
    ...(fix === undefined ? {} : { fix }),
  });

  it('says so until it can be saved again, whatever else is said', () => {
    const failed = after([notice('log_write_failed', 'Make room.'), notice('other')]);
    expect(failed.unsaved).toBe('No space left. Make room.');
    expect(after([notice('log_write_recovered')], failed).unsaved).toBeNull();
    expect(after([notice('other')]).unsaved).toBeNull();
  });
});

it('says once what a summary by hand came to', () => {
  const end = (turns: number): AgentEvent => ({
    ...{ type: 'query_finished', queryId: 'q', terminal: 'completed', stopReason: null },
    ...{ text: 'The conversation was summarised.', turns, costUsd: 0, durationMs: 5 },
    ...{ usage: NO_USAGE, apiMs: 0, denials: [] },
  });
  const notice: AgentEvent = {
    ...{ type: 'notice', level: 'info', code: 'nothing_to_compact' },
    text: 'There is nothing left to summarise.',
  };
  const ends = (...events: AgentEvent[]) => allItems(after([began, ...events])).at(-1);
  expect(ends(notice, end(0))).toMatchObject({ kind: 'end', text: '' });
  expect(ends(end(0))).toMatchObject({ text: 'The conversation was summarised.' });
});
