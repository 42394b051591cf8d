import { describe, expect, it } from 'vitest';
import { createSummariesAhead, isTimeAhead } from '../../../src/main/engine/context/ahead';
import type { LayerDeps } from '../../../src/main/engine/context/layer';
import {
  budgetOf,
  type ContextBudget,
  contextLimits,
} from '../../../src/main/engine/context/limits';
import type { ModelEvent, ModelRequest } from '../../../src/main/engine/model/model-client';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Message } from '../../../src/shared/message';
import { noCompaction, WARM } from './support';

/** Summarised at 167 000 tokens; folded from 158 650 on. */
const limits = contextLimits(200_000, 20_000);
const now = { tokens: 160_000, limits, cache: WARM, answers: 40 };

describe('a summary that nobody waits for yet', () => {
  it.each([
    ['below the size at which work is folded', { tokens: 158_000 }, false],
    ['where folding did not help', { tokens: 159_000 }, true],
    ['just before it is due', { tokens: 166_999 }, true],
    ['when it is due', { tokens: 167_000 }, false],
    ['when the cache is cold', { cache: { ...WARM, isCold: true } }, false],
    // 4 000 tokens a turn so far: it will be due in less than two.
    ['when enough turns are left', { cache: { ...WARM, turnsLeft: 2 } }, true],
    ['when the last turn is left', { cache: { ...WARM, turnsLeft: 1 } }, false],
    ['when turns were small', { answers: 400, cache: { ...WARM, turnsLeft: 10 } }, false],
    ['before the first answer', { answers: 0, cache: { ...WARM, turnsLeft: 1 } }, true],
  ])('%s: %3$s', (_name, change, expected) => {
    expect(isTimeAhead({ ...now, ...change })).toBe(expected);
  });

  it.each([
    [180_000, 20_000],
    [1_000_000, 64_000],
    [30_000, 8_192],
  ])('begins before it is due in a window of %i tokens, if ever', (window, output) => {
    const own = contextLimits(window, output);
    const times = Array.from({ length: 101 }, (_, n) => Math.floor((own.autocompact * n) / 100));
    const begun = times.filter((tokens) => isTimeAhead({ ...now, limits: own, tokens }));
    expect(begun.every((tokens) => tokens >= 0.89 * own.autocompact)).toBe(true);
    expect(begun.length > 0).toBe(own.autocompact > 0);
  });
});

/** The tail of these is a quarter: the last two. */
const said = (id: string, role: 'user' | 'assistant' = 'user'): Message =>
  role === 'user'
    ? { role, id, content: [{ type: 'text', text: `words of ${id} ${'w'.repeat(4_000)}` }] }
    : { role, id, model: 'm', content: [{ type: 'text', text: `answer ${'w'.repeat(4_000)}` }] };
const TALK = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((id) => said(id));
/** Nearly due, so that hardly anything more comes behind the summary. */
const budget: ContextBudget = budgetOf(166_999, limits, WARM);

type Answer = 'summary' | 'failure' | 'retry' | 'hang';

/** Summaries over a model that answers as it is told, and what was asked and recorded. */
function summaries(answers: readonly Answer[], affords = true) {
  const recorded: AgentEvent[] = [];
  const beside: Promise<void>[] = [];
  const stop = new AbortController();
  let asked = 0;
  let aborted = 0;
  const stream = async function* (
    _request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const answer = answers[asked++] ?? 'failure';
    const usage = { inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const failed: ModelEvent = {
      type: 'failed',
      error: { kind: 'network', message: 'gone', retryable: true },
    };
    if (answer === 'failure') return yield failed;
    if (answer === 'retry') {
      const why = { reason: 'gone', error: 'unknown' } as const;
      yield { type: 'retry_waiting', attempt: 2, maxAttempts: 9, delayMs: 99, ...why };
      expect(signal.aborted).toBe(true);
      return yield failed;
    }
    if (answer === 'hang') {
      if (!signal.aborted) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      }
      aborted += 1;
      return yield failed;
    }
    yield { type: 'message_started', messageId: 'm', model: 'm' };
    yield { type: 'block_finished', index: 0, block: { type: 'text', text: 'All so far.' } };
    yield { type: 'message_finished', stopReason: 'end_turn', usage, costUsd: 1 };
  };
  const deps: LayerDeps = {
    ...noCompaction,
    model: { stream },
    buildRequest: async () => ({
      ...{ model: 'm', maxTokens: 9, system: [], tools: [], messages: [] },
    }),
    record: (event) => recorded.push(event),
    beside: (work) => void beside.push(work(stop.signal)),
    affords: () => affords,
  };
  const made = createSummariesAhead();
  const never = new AbortController().signal;
  return {
    stop,
    recorded,
    asked: () => asked,
    aborted: () => aborted,
    consider: (messages: readonly Message[], now = budget) => made.consider(messages, now, deps),
    settled: () => Promise.all(beside),
    take: (messages: readonly Message[], signal = never) => made.take(messages, budget, signal),
  };
}

describe('the summaries of an agent', () => {
  it('leave less behind them where more is to come until they are due', async () => {
    const t = summaries(['summary']);
    t.consider(TALK, budgetOf(166_000, limits, WARM));
    expect((await t.take(TALK))?.split.tail.map(({ id }) => id)).toEqual(['i']);
  });

  it('are written once, and leave what came after them as it is', async () => {
    const t = summaries(['summary']);
    t.consider(TALK);
    const more = [...TALK, said('j')];
    t.consider(more);
    const taken = await t.take(more);
    expect(t.asked()).toBe(1);
    expect(taken?.written.text).toBe('All so far.');
    expect(taken?.split.head.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(taken?.split.tail.map(({ id }) => id)).toEqual(['h', 'i', 'j']);
    expect(t.recorded).toMatchObject([{ type: 'side_call', purpose: 'summary ahead' }]);
    expect(await t.take(more)).toBeNull();
  });

  it.each<[string, readonly Message[]]>([
    ['was taken back', TALK.slice(0, 3)],
    ['was said otherwise', [said('other'), ...TALK.slice(1)]],
    ['was summarised', [{ role: 'boundary', id: 'cmp', summary: 'Less.' }, ...TALK.slice(4)]],
  ])('are dropped when what they are about %s', async (_name, changed) => {
    const written = summaries(['summary']);
    written.consider(TALK);
    await written.settled();
    expect(await written.take(changed)).toBeNull();
    const running = summaries(['hang', 'summary']);
    running.consider(TALK);
    running.consider(changed, budgetOf(1_000, limits, WARM));
    await running.settled();
    expect(running.aborted()).toBe(1);
    running.consider(TALK);
    expect(await running.take(TALK)).not.toBeNull();
  });

  it('are not used when too much came behind them', async () => {
    const t = summaries(['summary']);
    t.consider(TALK);
    const much: Message = {
      ...{ role: 'user', id: 'much' },
      content: [{ type: 'text', text: 'w'.repeat(400_000) }],
    };
    expect(await t.take([...TALK, much])).toBeNull();
  });

  it('are not begun where the money might not last', () => {
    const t = summaries(['summary'], false);
    t.consider(TALK);
    expect(t.asked()).toBe(0);
  });

  it.each<[Answer]>([['failure'], ['retry']])(
    'end with three failures in a row (%s), and nobody hears of them',
    async (answer) => {
      const t = summaries([answer, answer, 'summary', answer, answer, answer, 'summary']);
      for (let turn = 0; turn < 12; turn += 1) {
        t.consider(TALK);
        await t.settled();
        if (turn === 2) expect(await t.take(TALK)).not.toBeNull();
      }
      expect(t.asked()).toBe(6);
      expect(t.recorded.map(({ type }) => type)).toEqual(['side_call']);
    },
  );

  it('come down when the user stops the agent, which counts as no failure', async () => {
    const t = summaries(['hang', 'summary']);
    t.consider(TALK);
    t.stop.abort();
    await t.settled();
    expect(t.aborted()).toBe(1);
    expect(await t.take(TALK)).toBeNull();
  });

  it('let go whoever waits for them and is stopped', async () => {
    const t = summaries(['hang']);
    t.consider(TALK);
    const stop = new AbortController();
    const taking = t.take(TALK, stop.signal);
    stop.abort();
    expect(await taking).toBeNull();
    t.stop.abort();
    await t.settled();
  });
});
