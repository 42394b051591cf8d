import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  admitData,
  attachedFlow,
  isReplayDue,
  STALE_BYTES,
  stepFlow,
  type ViewerFlow,
} from '../../src/main/terminal/host/viewer';
import { FLOW } from '../../src/shared/terminal-wire';

const flow = (part: Partial<ViewerFlow>): ViewerFlow => ({
  phase: 'live',
  unacked: 0,
  queued: 0,
  gap: false,
  ...part,
});

describe('a batch of output', () => {
  test.each([
    ['goes to a live viewer', flow({}), 1_000, 'send', flow({ unacked: 1_000 })],
    ['may fill it', flow({ unacked: FLOW.high - 10 }), 10, 'send', flow({ unacked: FLOW.high })],
    [
      'may fill it too far',
      flow({ unacked: FLOW.high }),
      1,
      'send',
      flow({ unacked: FLOW.high + 1, phase: 'blocked' }),
    ],
    [
      'waits when it is blocked',
      flow({ phase: 'blocked', unacked: 9 }),
      5,
      'queue',
      flow({ phase: 'blocked', unacked: 9, queued: 5 }),
    ],
    [
      'makes it stale when too much waits',
      flow({ phase: 'blocked', unacked: 9, queued: STALE_BYTES }),
      1,
      'drop',
      flow({ phase: 'stale', unacked: 9, gap: true }),
    ],
    [
      'is dropped when it is stale',
      flow({ phase: 'stale', gap: true }),
      5,
      'drop',
      flow({ phase: 'stale', gap: true }),
    ],
    ['waits for a picture', attachedFlow, 5, 'queue', { ...attachedFlow, queued: 5 }],
    [
      'leaves a gap after what waits for a picture',
      { ...attachedFlow, queued: STALE_BYTES },
      5,
      'drop',
      { ...attachedFlow, queued: STALE_BYTES, gap: true },
    ],
    [
      'never follows a gap',
      { ...attachedFlow, queued: 7, gap: true },
      5,
      'drop',
      { ...attachedFlow, queued: 7, gap: true },
    ],
  ] as const)('%s', (_what, before, bytes, act, after) => {
    expect(admitData(before, bytes)).toEqual({ flow: after, act });
  });
});

describe('a step', () => {
  test.each([
    [
      'acks count',
      flow({ unacked: 9_000 }),
      { type: 'acked', bytes: 5_000 },
      flow({ unacked: 4_000 }),
    ],
    ['acks never go below zero', flow({ unacked: 10 }), { type: 'acked', bytes: 99 }, flow({})],
    ['acks during a replay are ignored', attachedFlow, { type: 'acked', bytes: 99 }, attachedFlow],
    [
      'blocked until few are open',
      flow({ phase: 'blocked', unacked: 50_000 }),
      { type: 'acked', bytes: 10_000 },
      flow({ phase: 'blocked', unacked: 40_000 }),
    ],
    [
      'then live',
      flow({ phase: 'blocked', unacked: 50_000, queued: 7 }),
      { type: 'acked', bytes: 45_000 },
      flow({ unacked: 5_000, queued: 7 }),
    ],
    [
      'a picture without a gap: live',
      { ...attachedFlow, queued: 7 },
      { type: 'replay_sent' },
      flow({ queued: 7 }),
    ],
    [
      'a picture and a gap: what waits first',
      { ...attachedFlow, queued: 7, gap: true },
      { type: 'replay_sent' },
      flow({ queued: 7, gap: true }),
    ],
    [
      'then stale',
      flow({ queued: 7, gap: true }),
      { type: 'sent', bytes: 7 },
      flow({ phase: 'stale', unacked: 7, gap: true }),
    ],
    [
      'what waits is sent up to the limit',
      flow({ unacked: FLOW.high, queued: 9 }),
      { type: 'sent', bytes: 4 },
      flow({ phase: 'blocked', unacked: FLOW.high + 4, queued: 5 }),
    ],
    [
      'with a gap the rest is given up',
      flow({ unacked: FLOW.high, queued: 9, gap: true }),
      { type: 'sent', bytes: 4 },
      flow({ phase: 'stale', unacked: FLOW.high + 4, gap: true }),
    ],
    [
      'a new size makes it stale',
      flow({ unacked: 3, queued: 0 }),
      { type: 'outdated' },
      flow({ phase: 'stale', unacked: 3, gap: true }),
    ],
    [
      'a new size during a picture asks for another',
      attachedFlow,
      { type: 'outdated' },
      { ...attachedFlow, gap: true },
    ],
    [
      'a new picture starts afresh',
      flow({ phase: 'stale', unacked: 3, gap: true }),
      { type: 'replay_started' },
      attachedFlow,
    ],
  ] as const)('%s', (_what, before, input, after) => {
    expect(stepFlow(before, input)).toEqual(after);
  });

  test.each([
    [flow({ phase: 'stale', unacked: FLOW.low }), true],
    [flow({ phase: 'stale', unacked: FLOW.low + 1 }), false],
    [flow({ phase: 'blocked' }), false],
    [attachedFlow, false],
  ])('%o: a replay is due: %s', (state, due) => {
    expect(isReplayDue(state)).toBe(due);
  });
});

test('whatever happens, memory is bounded and a viewer that acknowledges is never stuck', () => {
  const input = fc.oneof(
    fc.record({ type: fc.constant('data' as const), bytes: fc.integer({ min: 1, max: 70_000 }) }),
    fc.record({ type: fc.constant('acked' as const), bytes: fc.integer({ min: 0, max: 400_000 }) }),
    fc.constant({ type: 'outdated' as const }),
    fc.constant({ type: 'picture' as const }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 200 }), (inputs) => {
      let state = attachedFlow;
      const drain = () => {
        while (state.phase === 'live' && state.queued > 0)
          state = stepFlow(state, { type: 'sent', bytes: Math.min(50_000, state.queued) });
        if (isReplayDue(state)) state = stepFlow(state, { type: 'replay_started' });
      };
      const apply = (one: (typeof inputs)[number]) => {
        if (one.type === 'data') state = admitData(state, one.bytes).flow;
        else if (one.type !== 'picture') state = stepFlow(state, one);
        else if (state.phase === 'replaying') state = stepFlow(state, { type: 'replay_sent' });
        drain();
        expect(state.queued).toBeLessThanOrEqual(STALE_BYTES);
        expect(state.unacked).toBeGreaterThanOrEqual(0);
        expect(state.unacked).toBeLessThanOrEqual(FLOW.high + 70_000);
      };
      for (const one of inputs) apply(one);
      for (let round = 0; round < 20; round += 1) {
        apply({ type: 'picture' });
        apply({ type: 'acked', bytes: 10_000_000 });
      }
      expect(state.phase).toBe('live');
    }),
  );
});
