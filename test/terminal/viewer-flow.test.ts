import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  admitData,
  attachedFlow,
  BURST_BYTES,
  LINE_RATE,
  nextPicture,
  PICTURE_MS,
  type PictureKind,
  STALE_BYTES,
  stepFlow,
  Viewer,
  type ViewerFlow,
  WHOLE_MS,
} from '../../src/main/terminal/host/viewer';
import { FLOW, FrameKind } from '../../src/shared/terminal-wire';

/** The time at which all happens in the tables. Milliseconds. */
const NOW = 100_000;
const attached = attachedFlow(NOW);

const flow = (part: Partial<ViewerFlow>): ViewerFlow => ({
  ...attached,
  phase: 'live',
  ...{ pictureAt: 0, wholeAt: 0 },
  ...part,
});

describe('a batch of output', () => {
  const left = (bytes: number) => ({ budget: BURST_BYTES - bytes });
  test.each([
    ['goes to a live viewer', flow({}), 1_000, 'send', flow({ unacked: 1_000, ...left(1_000) })],
    [
      'may fill it',
      flow({ unacked: FLOW.high - 10 }),
      10,
      'send',
      flow({ unacked: FLOW.high, ...left(10) }),
    ],
    [
      'may fill it too far',
      flow({ unacked: FLOW.high }),
      1,
      'send',
      flow({ unacked: FLOW.high + 1, phase: 'blocked', ...left(1) }),
    ],
    [
      'waits when it is blocked',
      flow({ phase: 'blocked', unacked: 9 }),
      5,
      'queue',
      flow({ phase: 'blocked', unacked: 9, queued: 5, ...left(5) }),
    ],
    [
      'makes it stale when too much waits',
      flow({ phase: 'blocked', unacked: 9, queued: STALE_BYTES }),
      1,
      'drop',
      flow({ phase: 'stale', unacked: 9, missed: 1, pictureAt: NOW }),
    ],
    [
      'makes it stale when there was more than a terminal keeps',
      flow({ budget: 4, countedAt: NOW }),
      5,
      'drop',
      flow({ phase: 'stale', budget: 4, missed: 5, pictureAt: NOW }),
    ],
    [
      'is sent again after a while',
      flow({ budget: 4, countedAt: NOW - 10 }),
      5,
      'send',
      flow({ unacked: 5, budget: 10 * LINE_RATE - 1 }),
    ],
    [
      'is left out when it is stale',
      flow({ phase: 'stale', missed: 2 }),
      5,
      'drop',
      flow({ phase: 'stale', missed: 7 }),
    ],
    ['waits for a picture', attached, 5, 'queue', { ...attached, queued: 5, ...left(5) }],
    [
      'asks for another picture when too much waits for one',
      { ...attached, queued: STALE_BYTES },
      5,
      'drop',
      { ...attached, gap: true, missed: 5, pictureAt: NOW },
    ],
    [
      'never follows a gap',
      { ...attached, gap: true },
      5,
      'drop',
      { ...attached, gap: true, missed: 5 },
    ],
  ] as const)('%s', (_what, before, bytes, act, after) => {
    expect(admitData(before, bytes, NOW)).toEqual({ flow: after, act });
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
      'pieces of pictures count too',
      attached,
      { type: 'piece_sent', bytes: 64_000 },
      { ...attached, unacked: 64_000 },
    ],
    [
      'a picture, and all is sent as it comes',
      { ...attached, queued: 7 },
      { type: 'replay_sent' },
      { ...attached, phase: 'live', queued: 7 },
    ],
    [
      'a long picture: what comes waits until it is parsed',
      { ...attached, unacked: FLOW.high + 1 },
      { type: 'replay_sent' },
      { ...attached, unacked: FLOW.high + 1, phase: 'blocked' },
    ],
    [
      'a picture that is not enough',
      { ...attached, gap: true },
      { type: 'replay_sent' },
      { ...attached, phase: 'stale' },
    ],
    [
      'what waits is sent up to the limit',
      flow({ unacked: FLOW.high, queued: 9 }),
      { type: 'sent', bytes: 4 },
      flow({ phase: 'blocked', unacked: FLOW.high + 4, queued: 5 }),
    ],
    [
      'a new size makes it stale',
      flow({ unacked: 3, queued: 8 }),
      { type: 'outdated' },
      flow({ phase: 'stale', unacked: 3 }),
    ],
    [
      'a new size during a picture asks for another',
      { ...attached, queued: 8 },
      { type: 'outdated' },
      { ...attached, gap: true },
    ],
    [
      'a picture with all lines starts afresh',
      flow({ phase: 'stale', unacked: 3, missed: 9 }),
      { type: 'replay_started', kind: 'whole', now: NOW },
      flow({ phase: 'replaying', unacked: 3, pictureAt: NOW, wholeAt: NOW }),
    ],
    [
      'a picture of the screen is never enough',
      flow({ phase: 'stale', unacked: 3, missed: 9 }),
      { type: 'replay_started', kind: 'screen', now: NOW },
      flow({ phase: 'replaying', unacked: 3, gap: true, pictureAt: NOW }),
    ],
  ] as const)('%s', (_what, before, input, after) => {
    expect(stepFlow(before, input)).toEqual(after);
  });
});

describe('the next picture', () => {
  const stale = (part: Partial<ViewerFlow>) => flow({ phase: 'stale', ...part });
  const flood = PICTURE_MS * LINE_RATE + 1;
  const pictureAt = NOW - PICTURE_MS;
  test.each([
    ['none while bytes go line by line', flow({}), null],
    ['none while the last one is under way', flow({ phase: 'replaying' }), null],
    ['none before the viewer has parsed what it has', stale({ unacked: FLOW.low + 1 }), null],
    ['all lines, when a size changed', stale({ unacked: FLOW.low }), 'whole'],
    ['not so soon', stale({ pictureAt: NOW - 100 }), PICTURE_MS - 100],
    ['the screen, in a flood', stale({ pictureAt, missed: flood }), 'screen'],
    ['all lines, when it is over', stale({ pictureAt, missed: flood - 1 }), 'whole'],
    [
      'the screen, when all lines came a moment ago',
      stale({ pictureAt, wholeAt: NOW - 400, missed: 1 }),
      'screen',
    ],
    [
      'all lines later, when nothing came meanwhile',
      stale({ pictureAt, wholeAt: NOW - 400 }),
      WHOLE_MS - 400,
    ],
  ] as const)('%s', (_what, state, next) => {
    expect(nextPicture(state, NOW)).toBe(next);
  });
});

test('whatever happens, memory is bounded and a viewer that acknowledges is never stuck', () => {
  const input = fc.oneof(
    fc.record({ type: fc.constant('data' as const), bytes: fc.integer({ min: 1, max: 70_000 }) }),
    fc.record({ type: fc.constant('acked' as const), bytes: fc.integer({ min: 0, max: 400_000 }) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2_000 }) }),
    fc.constant({ type: 'outdated' as const }),
    fc.constant({ type: 'picture' as const }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 200 }), (inputs) => {
      let now = 0;
      let state = attachedFlow(now);
      const drain = () => {
        while (state.phase === 'live' && state.queued > 0)
          state = stepFlow(state, { type: 'sent', bytes: Math.min(50_000, state.queued) });
        const kind = nextPicture(state, now);
        if (typeof kind === 'string')
          state = stepFlow(state, { type: 'replay_started', kind, now });
      };
      const apply = (one: (typeof inputs)[number]) => {
        if (one.type === 'data') state = admitData(state, one.bytes, now).flow;
        else if (one.type === 'wait') now += one.ms;
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
        apply({ type: 'wait', ms: WHOLE_MS });
      }
      expect(state.phase).toBe('live');
    }),
  );
});

describe('a flood', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const SCREEN_BYTES = 5_000;
  const WHOLE_BYTES = 210_000;

  /** A viewer whose pane parses `speed` bytes a millisecond, and what it was sent. */
  function startPane(speed: number) {
    const sent = { data: 0, pieces: 0, exits: 0, pictures: [] as PictureKind[] };
    let unparsed = 0;
    const receive = (kind: FrameKind, payload: Uint8Array) => {
      if (kind === FrameKind.data) sent.data += payload.byteLength;
      if (kind === FrameKind.replayPart) sent.pieces += payload.byteLength;
      if (kind === FrameKind.data || kind === FrameKind.replayPart) unparsed += payload.byteLength;
      if (kind === FrameKind.exit) sent.exits += 1;
    };
    const viewer = new Viewer(
      {
        send: receive,
        sendLarge: async (kind, payload) => receive(kind, payload),
        failed: (error) => expect.unreachable(String(error)),
      },
      async (kind) => {
        sent.pictures.push(kind);
        const piece = Buffer.alloc(kind === 'whole' ? WHOLE_BYTES : SCREEN_BYTES);
        return { cols: 80, rows: 24, pieces: [piece], offset: 0 };
      },
    );
    const run = async (ms: number, batch: Buffer | null) => {
      for (let at = 0; at < ms; at += 5) {
        if (batch !== null) viewer.data(batch);
        await vi.advanceTimersByTimeAsync(5);
        const parsed = Math.min(unparsed, speed * 5);
        unparsed -= parsed;
        await viewer.acked(parsed);
      }
    };
    return { viewer, sent, run };
  }

  const flood = Buffer.alloc(64 * 1024);

  test('reaches a fast pane as what a screen can show, and all lines come when it is over', async () => {
    const { viewer, sent, run } = startPane(20_000);
    await viewer.replay('whole');
    await run(10_000, flood);
    expect(sent.pictures.filter((kind) => kind === 'whole')).toHaveLength(1);
    expect(sent.pictures.length).toBeGreaterThan(10_000 / PICTURE_MS / 2);
    expect(sent.pictures.length).toBeLessThanOrEqual(10_000 / PICTURE_MS + 1);
    expect(sent.data).toBeLessThanOrEqual(BURST_BYTES + LINE_RATE * 1_000);
    expect(sent.pieces).toBeLessThanOrEqual(WHOLE_BYTES + SCREEN_BYTES * sent.pictures.length);
    viewer.ended({ exitCode: 0 });
    await run(2 * WHOLE_MS, null);
    expect(sent.pictures.at(-1)).toBe('whole');
    expect(sent.exits).toBe(1);
  });

  test('reaches a slow pane no faster than it parses', async () => {
    const speed = 30;
    const { viewer, sent, run } = startPane(speed);
    await viewer.replay('whole');
    await run(10_000, flood);
    expect(sent.data + sent.pieces).toBeLessThanOrEqual(
      speed * 10_000 + WHOLE_BYTES + FLOW.high + flood.byteLength,
    );
    expect(sent.pictures).toContain('screen');
  });

  test('that a pane can follow reaches it whole', async () => {
    const { viewer, sent, run } = startPane(2_000);
    await viewer.replay('whole');
    const batch = Buffer.alloc(LINE_RATE * 5);
    await run(10_000, batch);
    expect(sent.pictures).toEqual(['whole']);
    expect(sent.data).toBe(batch.byteLength * 2_000);
  });

  test('of sizes sends all lines once a second at most', async () => {
    const { viewer, sent, run } = startPane(20_000);
    await viewer.replay('whole');
    for (let at = 0; at < 200; at += 1) {
      await viewer.outdated();
      await run(25, null);
    }
    await run(2 * WHOLE_MS, null);
    expect(sent.pictures.length).toBeLessThanOrEqual(1 + 5_000 / WHOLE_MS + 1);
    expect(sent.pictures.every((kind) => kind === 'whole')).toBe(true);
    viewer.close();
  });
});
