import { describe, expect, it } from 'vitest';
import type { ModelClient, ModelEvent } from '../../../src/main/engine/model/model-client';
import { createAsk } from '../../../src/main/engine/model/side-call';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { memoryClock } from '../../support/memory-clock';

const usage = { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
const answer = (text: string): ModelEvent[] => [
  { type: 'block_finished', index: 0, block: { type: 'text', text } },
  { type: 'message_finished', stopReason: 'end_turn', usage, costUsd: 0.5 },
];
const failure = (kind: 'not_found' | 'server'): ModelEvent[] => [
  { type: 'failed', error: { kind, message: `no luck: ${kind}`, retryable: false } },
];

function world(answers: Readonly<Record<string, readonly ModelEvent[]>>) {
  const asked: string[] = [];
  const recorded: AgentEvent[] = [];
  const model: ModelClient = {
    stream: async function* (request) {
      asked.push(request.model);
      yield* answers[request.model] ?? [];
    },
  };
  const ask = createAsk({
    model,
    clock: memoryClock(),
    smallModel: () => 'small',
    sessionModel: () => 'large',
    record: (event) => recorded.push(event),
  });
  const question = { purpose: 'p', system: 's', text: 't', maxTokens: 10 };
  return { asked, recorded, ask, question };
}

const never = new AbortController().signal;

describe('a question beside the conversation', () => {
  it('is answered by the small model, and its cost is recorded', async () => {
    const { ask, question, asked, recorded } = world({ small: answer('yes') });
    expect(await ask({ ...question, size: 'small' }, never)).toEqual({
      ok: true,
      value: [{ type: 'text', text: 'yes' }],
    });
    expect(asked).toEqual(['small']);
    expect(recorded).toEqual([
      { type: 'side_call', purpose: 'p', model: 'small', usage, costUsd: 0.5, durationMs: 0 },
    ]);
  });

  it('goes to the session model where the small one is not known', async () => {
    const { ask, question, asked } = world({ small: failure('not_found'), large: answer('yes') });
    expect((await ask({ ...question, size: 'small' }, never)).ok).toBe(true);
    expect(asked).toEqual(['small', 'large']);
  });

  it('is tried once, by one model, and only its cost is told where nobody asked for it', async () => {
    const retried: ModelEvent[] = [
      { type: 'notice', level: 'warning', code: 'n', text: 'n' },
      { type: 'spent', model: 'small', usage, costUsd: 0.5 },
      { type: 'retry_waiting', attempt: 2, maxAttempts: 9, delayMs: 9, reason: 'r', error: 'e' },
      ...answer('late'),
    ];
    const { ask, question, asked, recorded } = world({ small: retried, large: answer('yes') });
    const unasked = { ...question, size: 'small', unasked: true } as const;
    expect(await ask(unasked, never)).toEqual({ ok: false, error: 'it was stopped' });
    expect(recorded.slice(0, 1).map(({ type }) => type)).toEqual(['side_call']);
    expect(recorded.every(({ type }) => type === 'side_call')).toBe(true);
    const other = world({ small: failure('not_found'), large: answer('yes') });
    expect((await other.ask(unasked, never)).ok).toBe(false);
    expect([asked, other.asked]).toEqual([['small'], ['small']]);
  });

  it('gives the reason when it fails otherwise, and never rejects', async () => {
    const { ask, question, asked } = world({ small: failure('server') });
    expect(await ask({ ...question, size: 'small' }, never)).toEqual({
      ok: false,
      error: 'no luck: server',
    });
    expect(asked).toEqual(['small']);
    const stopped = AbortSignal.abort();
    expect(await ask({ ...question, size: 'session' }, stopped)).toEqual({
      ok: false,
      error: 'it was stopped',
    });
  });
});
