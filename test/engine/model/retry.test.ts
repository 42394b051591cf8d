import { describe, expect, it } from 'vitest';
import { retryAfterOf } from '../../../src/main/engine/model/errors';
import { withFallback } from '../../../src/main/engine/model/fallback';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
} from '../../../src/main/engine/model/model-client';
import { forModel, withThinkingRepair } from '../../../src/main/engine/model/rescue';
import { retryDelay, withRetry } from '../../../src/main/engine/model/retry';
import { NO_USAGE } from '../../../src/shared/facts';
import { ask, collect, fakeClock, typesOf } from './fakes';

const fails = (error: Partial<ModelError> = {}): ModelEvent => ({
  type: 'failed',
  error: { kind: 'server', status: 500, message: 'broken', retryable: true, ...error },
});
const busy = () => fails({ kind: 'overloaded', status: 529, message: 'busy' });
const started: ModelEvent = { type: 'message_started', messageId: 'msg', model: 'm' };
const textDone: ModelEvent = {
  type: 'block_finished',
  index: 0,
  block: { type: 'text', text: 'half' },
};
const toolDone: ModelEvent = {
  type: 'block_finished',
  index: 1,
  block: { type: 'tool_use', id: 't', name: 'Bash', input: {} },
};
const done: ModelEvent = {
  type: 'message_finished',
  stopReason: 'end_turn',
  usage: NO_USAGE,
  costUsd: 0,
};

/** Plays one list of events per request; the last list again when they run out. */
function scripted(...plays: ModelEvent[][]): ModelClient & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      requests.push(request);
      yield* plays[Math.min(requests.length, plays.length) - 1] ?? [];
    },
  };
}

const retrying = (inner: ModelClient, clock = fakeClock(), rest: object = {}) => ({
  clock,
  client: withRetry(inner, { clock, random: () => 0, ...rest }),
});

describe('delays', () => {
  it('double from 500 ms to 32 s, plus at most a quarter', () => {
    const at = (n: number, random: number) =>
      retryDelay(n, { kind: 'server', message: '', retryable: true }, () => random);
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => at(n, 0))).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000,
    ]);
    expect(at(1, 0.9999)).toBe(625);
    expect(at(9, 0.99999)).toBe(40_000);
  });

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '42', 'retry-after': '3' }, 42],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:20 GMT' }, 10_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, undefined],
    [
      { 'retry-after': 'Thu, 01 Jan 1970 00:00:08 GMT', date: 'Thu, 01 Jan 1970 00:00:02 GMT' },
      6000,
    ],
    [
      { 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT', date: 'Thu, 01 Jan 1970 00:01:01 GMT' },
      undefined,
    ],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1,5' }, undefined],
    [{ 'retry-after': '+2' }, undefined],
    [{ 'retry-after': 'abc -5' }, undefined],
    [{ 'retry-after': 'Thursday, 01-Jan-70 00:00:20 GMT' }, 10_000],
    [{ 'retry-after-ms': '-100' }, undefined],
    [{ 'retry-after-ms': '100abc', 'retry-after': '3' }, 3000],
    [{ 'retry-after-ms': 'Infinity', 'retry-after': '3' }, 3000],
    [{}, undefined],
  ])('read from %j', (headers, expected) => {
    expect(retryAfterOf(new Headers(headers as Record<string, string>), 10_000)).toBe(expected);
  });
});

describe('retry', () => {
  it('waits and tries again, ten tries in all', async () => {
    const inner = scripted([fails()]);
    const { client, clock } = retrying(inner);
    const events = await collect(client, ask('x'));
    expect(inner.requests).toHaveLength(10);
    expect(clock.slept).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { message: 'broken' } });
    expect(events[0]).toEqual({
      type: 'retry_waiting',
      attempt: 2,
      maxAttempts: 10,
      delayMs: 500,
      reason: 'broken',
      error: 'server_error',
      status: 500,
    });
  });

  it('does what the server asks', async () => {
    const { client, clock } = retrying(scripted([fails({ retryAfterMs: 7000 })], [started, done]));
    const events = await collect(client, ask('x'));
    expect(clock.slept).toEqual([7000]);
    expect(typesOf(events)).toEqual([
      'retry_waiting',
      'retry_ended',
      'message_started',
      'message_finished',
    ]);
  });

  it('leaves alone what cannot get better', async () => {
    const inner = scripted([fails({ retryable: false, status: 400 })]);
    expect(typesOf(await collect(retrying(inner).client, ask('x')))).toEqual(['failed']);
    expect(inner.requests).toHaveLength(1);
  });

  it('voids a half answer before it starts again', async () => {
    const inner = scripted([started, textDone, fails()], [started, textDone, done]);
    expect(typesOf(await collect(retrying(inner).client, ask('x')))).toEqual([
      'message_started',
      'block_finished',
      'message_voided',
      'retry_waiting',
      'retry_ended',
      'message_started',
      'block_finished',
      'message_finished',
    ]);
  });

  it('never tries again once a tool use was finished', async () => {
    const inner = scripted([started, toolDone, fails()], [started, done]);
    const events = await collect(retrying(inner).client, ask('x'));
    expect(typesOf(events)).toEqual(['message_started', 'block_finished', 'failed']);
    expect(inner.requests).toHaveLength(1);
  });

  it('stops waiting when aborted', async () => {
    const inner = scripted([fails()]);
    const { client, clock } = retrying(inner);
    const abort = new AbortController();
    clock.onSleep = () => abort.abort();
    const events = await collect(client, ask('x'), abort.signal);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'aborted' } });
    expect(inner.requests).toHaveLength(1);
  });

  it('gives a host that never answered three tries, one that did all ten', async () => {
    const gone = fails({ kind: 'network', unreachable: true });
    delete (gone as { error: { status?: number } }).error.status;
    const never = scripted([gone]);
    await collect(retrying(never).client, ask('x'));
    expect(never.requests).toHaveLength(3);
    const once = scripted([started, done], [gone]);
    const { client } = retrying(once);
    await collect(client, ask('x'));
    await collect(client, ask('y'));
    expect(once.requests).toHaveLength(11);
  });
});

describe('fallback', () => {
  const build = (inner: ModelClient, models: string[]) => {
    const clock = fakeClock();
    const common = { clock, random: () => 0 };
    return withFallback({
      impatient: withRetry(inner, { ...common, maxOverloaded: 3 }),
      patient: withRetry(inner, common),
      models,
      forModel,
    });
  };

  it('takes the next model after three overloads in a row', async () => {
    const inner = scripted([busy()], [busy()], [started, busy()], [started, done]);
    const events = await collect(build(inner, ['claude-sonnet-5-5']), ask('x'));
    expect(inner.requests.map((r) => r.model)).toEqual([
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ]);
    expect(typesOf(events).slice(-4)).toEqual([
      'message_voided',
      'model_fallback',
      'message_started',
      'message_finished',
    ]);
    expect(typesOf(events)).not.toContain('failed');
  });

  it('counts only overloads in a row, and keeps trying the last model', async () => {
    const inner = scripted([busy()], [busy()], [fails()], [busy()]);
    const events = await collect(build(inner, ['claude-haiku-5-5']), ask('x'));
    const models = inner.requests.map((r) => r.model);
    expect(models.filter((m) => m === 'claude-opus-5-5')).toHaveLength(6);
    expect(models.filter((m) => m === 'claude-haiku-5-5')).toHaveLength(10);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'overloaded' } });
  });

  it('does nothing once a tool use was finished', async () => {
    const inner = scripted([busy()], [busy()], [started, toolDone, busy()]);
    const events = await collect(build(inner, ['claude-haiku-5-5']), ask('x'));
    expect(events.at(-1)).toMatchObject({ type: 'failed' });
    expect(inner.requests).toHaveLength(3);
  });

  it('strips thinking, lowers limits and renews the prompt for the other model', async () => {
    const request = ask('x', {
      system: [{ type: 'text', text: 'for the first' }],
      systemFor: async (model) => [{ type: 'text', text: `for ${model}` }],
      maxTokens: 128_000,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'c' }] },
      ],
    });
    const { signal } = new AbortController();
    const other = await forModel(request, 'claude-haiku-4-5', signal);
    expect(other.maxTokens).toBe(64_000);
    expect(JSON.stringify(other.messages)).not.toContain('thinking');
    expect(other.messages).toHaveLength(3);
    expect(other.system).toEqual([{ type: 'text', text: 'for claude-haiku-4-5' }]);
  });
});

describe('thinking repair', () => {
  const history = ask('x', {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
    ],
  });
  const refused = fails({
    kind: 'invalid_request',
    status: 400,
    retryable: false,
    message: 'thinking block is bound to a different prefix',
  });

  it('sends the request once more without thinking, and tells', async () => {
    const inner = scripted([refused], [started, done]);
    const events = await collect(withThinkingRepair(inner), history);
    expect(typesOf(events)).toEqual(['thinking_refused', 'message_started', 'message_finished']);
    expect(JSON.stringify(inner.requests[1])).not.toContain('"thinking"');
  });

  it('only once, and only when there was thinking', async () => {
    const twice = scripted([refused]);
    expect(typesOf(await collect(withThinkingRepair(twice), history))).toEqual(['failed']);
    expect(twice.requests).toHaveLength(2);
    const none = scripted([refused]);
    expect(typesOf(await collect(withThinkingRepair(none), ask('x')))).toEqual(['failed']);
    expect(none.requests).toHaveLength(1);
  });
});
