import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCalls } from '../../../src/main/engine/messages/history';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { runs } from '../../support/runs';
import { refusal } from '../../support/scripted-api-check';
import { createEngine, type ScriptedTurn } from './engine-harness';

/** One answer of the scripted model, or a failure. */
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  fc.record({
    kind: fc.constant('answer' as const),
    texts: fc.array(fc.constantFrom('words', 'more words', ''), { maxLength: 2 }),
    thinks: fc.boolean(),
    calls: fc.nat(3),
    cutCall: fc.boolean(),
    stopReason: fc.constantFrom(
      'end_turn',
      'tool_use',
      'max_tokens',
      'refusal',
      'model_context_window_exceeded',
    ),
    inputTokens: fc.constantFrom(100, 190_000),
  }),
  fc.record({
    kind: fc.constant('failure' as const),
    error: fc.constantFrom('prompt_too_long' as const, 'image' as const, 'network' as const),
    afterText: fc.boolean(),
  }),
);

const act = fc.constantFrom('interrupt', 'steer', 'leave', 'none');

describe('a query that is stopped anywhere', () => {
  it('leaves a history the API accepts, every call with its result, and can go on', async () => {
    const case_ = fc.record({
      turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
      at: fc.nat(90),
      act,
      stopHook: fc.constantFrom('pass' as const, 'block' as const),
    });
    await fc.assert(
      fc.asyncProperty(case_, async ({ turns, at, act: action, stopHook }) => {
        const t = createEngine(turns, { stopHook });
        let left = false;
        t.atTick(at, () => {
          if (action === 'interrupt') t.engine.interrupt();
          if (action === 'steer') t.engine.enqueue('listen', 'now');
          if (action === 'leave') left = true;
        });
        const events: AgentEvent[] = [];
        for await (const { event } of t.engine.submit('use 5k tokens')) {
          events.push(event);
          if (left) break;
        }
        expect(t.engine.isRunning).toBe(false);
        expect(openCalls(t.history())).toEqual([]);
        expect(t.unsettled()).toBe(0);
        expect(problemWith(t)).toBeNull();
        expect(t.events().at(-1)?.type).toBe('query_finished');
        expect(t.twice()).toEqual([]);
        await drain(t.engine.submit('and now?'));
        expect(t.events().at(-1)?.type).toBe('query_finished');
        expect(problemWith(t)).toBeNull();
      }),
      { numRuns: runs(400) },
    );
  });
});

describe('a hook of a call', () => {
  it('ends the query once the calls of the turn are settled', async () => {
    const answer = {
      kind: 'answer',
      texts: ['words'],
      thinks: false,
      calls: 2,
      cutCall: false,
      stopReason: 'tool_use',
      inputTokens: 100,
    } as const;
    const t = createEngine([answer], { stopHook: 'pass', callHookStops: 'Not on a Friday.' });
    await drain(t.engine.submit('go'));
    expect(t.events().at(-1)).toMatchObject({
      type: 'query_finished',
      terminal: 'hook_stopped',
      text: 'Not on a Friday.',
    });
    expect(t.events().filter((e) => e.type === 'call_settled')).toHaveLength(2);
    expect(problemWith(t)).toBeNull();
  });
});

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) {
    // Only its end matters.
  }
}

/** Returns what the API would say to the next prompt behind this history. */
function problemWith(t: ReturnType<typeof createEngine>): string | null {
  const next = { role: 'user', id: 'next', content: [{ type: 'text', text: 'go on' }] } as const;
  const messages = normalizeMessages([...t.history(), next], { model: 'test-model' });
  const body = { model: 'test-model', max_tokens: 1, messages };
  return refusal(z.custom<Parameters<typeof refusal>[0]>().parse(body), []);
}
