import { describe, expect, it, test } from 'vitest';
import {
  createFrameQueue,
  createPacedSchedule,
  mergeDeltas,
} from '../../../src/renderer/store/frame-queue';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import type { HookReport } from '../../../src/shared/hooks';

const at = (seq: number, event: AgentEvent, epoch = 'e'): Stamped => ({
  sessionId: 's',
  agentId: 'main',
  epoch,
  seq,
  at: 0,
  event,
});
const delta = (seq: number, text: string, messageId = 'm') =>
  at(seq, { type: 'block_delta', messageId, index: 0, text });
const urgent = (seq: number) => at(seq, { type: 'retry_ended' });

/** A queue with a frame that is painted by hand. */
function queueByHand(holding = () => false) {
  const batches: (readonly Stamped[])[] = [];
  let paint: (() => void) | null = null;
  const queue = createFrameQueue(
    (batch) => batches.push(batch),
    (callback) => {
      paint = callback;
      return () => {
        paint = null;
      };
    },
    holding,
  );
  return { queue, batches, frame: () => paint?.(), scheduled: () => paint !== null };
}

test('deltas wait for the frame and arrive as one', () => {
  const { queue, batches, frame } = queueByHand();
  queue.push(delta(1, 'a'));
  queue.push(delta(2, 'b'));
  expect(batches).toEqual([]);
  frame();
  expect(batches).toEqual([[delta(2, 'ab')]]);
});

test('an urgent event goes at once, behind what came before it', () => {
  const { queue, batches, scheduled } = queueByHand();
  queue.push(delta(1, 'a'));
  queue.push(urgent(2));
  expect(batches).toEqual([[delta(1, 'a'), urgent(2)]]);
  expect(scheduled()).toBe(false);
});

test('what hooks let be shown of an answer waits for the frame, and so do their runs, but for failures', () => {
  const { queue, batches } = queueByHand();
  const hook = { id: 'h', event: 'MessageDisplay', subject: '', run: 'x' } as const;
  const report: HookReport = {
    ...{ ...hook, file: 'f', outcome: 'done' as const, note: '', exitCode: 0, durationMs: 1 },
    ...{ stdout: '', stderr: '' },
  };
  queue.push(at(1, { type: 'hook_started', hook: { ...hook, startedAt: 0, awaited: false } }));
  queue.push(at(2, { type: 'hook_settled', report }));
  queue.push(at(3, { type: 'text_shown', messageId: 'm', index: 0, text: 'a\n', isFinal: false }));
  expect(batches).toEqual([]);
  queue.push(at(4, { type: 'hook_settled', report: { ...report, outcome: 'failed' } }));
  expect(batches.map((batch) => batch.length)).toEqual([4]);
  queue.push(at(5, { type: 'hook_settled', report: { ...report, event: 'Stop' } }));
  expect(batches).toHaveLength(2);
});

test('while history comes in, nothing is urgent', () => {
  const { queue, batches, frame } = queueByHand(() => true);
  queue.push(urgent(1));
  expect(batches).toEqual([]);
  frame();
  expect(batches.length).toBe(1);
});

test('a tab that paints no frames does not gather without end', () => {
  const { queue, batches } = queueByHand();
  for (let seq = 1; seq <= 2500; seq += 1) queue.push(delta(seq, 'x', `m${seq}`));
  expect(batches.map((b) => b.length)).toEqual([1000, 1000]);
});

test('clearing drops what has gathered and its frame', () => {
  const { queue, batches, frame } = queueByHand();
  queue.push(delta(1, 'a'));
  queue.clear();
  frame();
  expect(batches).toEqual([]);
});

test('deltas of different blocks or epochs stay apart', () => {
  expect(mergeDeltas(delta(1, 'a'), delta(2, 'b', 'other'))).toBeNull();
  const other = at(2, { type: 'block_delta', messageId: 'm', index: 0, text: 'b' }, 'e2');
  expect(mergeDeltas(delta(1, 'a'), other)).toBeNull();
  expect(mergeDeltas(urgent(1), delta(2, 'b'))).toBeNull();
});

describe('createPacedSchedule', () => {
  /** A page whose frames come every 16 ms; a frame's work takes as long as `cost` says. */
  function pagesOf(cost: number) {
    let now = 0;
    let frames = new Map<number, () => void>();
    const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
    let ids = 0;
    let asked = 0;
    const schedule = createPacedSchedule({
      requestFrame: (callback) => {
        ids += 1;
        asked += 1;
        frames.set(ids, callback);
        return ids;
      },
      cancelFrame: (frame) => frames.delete(frame),
      setTimer: (callback, ms) => {
        ids += 1;
        timers.set(ids, { at: now + ms, callback });
        return ids;
      },
      clearTimer: (timer) => timers.delete(timer),
      now: () => now,
    });
    const run = (ms: number) => {
      for (const end = now + ms; now < end; now += 16) {
        const due = frames;
        frames = new Map();
        const drawn = due.size > 0;
        for (const callback of due.values()) callback();
        if (drawn) now += cost;
        for (const [id, { at, callback }] of [...timers]) {
          if (at > now) continue;
          timers.delete(id);
          callback();
        }
      }
    };
    return { schedule, run, asked: () => asked };
  }
  /** Number of folds in a second in which there is always something to fold. */
  const folds = (cost: number) => {
    const { schedule, run, asked } = pagesOf(cost);
    let count = 0;
    const again = () => {
      count += 1;
      schedule(again);
    };
    schedule(again);
    run(1000);
    // A frame that is only waited in costs as well.
    expect(asked()).toBeLessThanOrEqual(2 * count + 1);
    return count;
  };

  it('uses every frame while they cost little, and most of the time rests when they cost much', () => {
    expect(folds(0)).toBeGreaterThan(60);
    for (const cost of [4, 8, 16, 30]) expect(folds(cost) * cost).toBeLessThan(300);
  });

  it('waits no longer than a moment, whatever a frame costs', () =>
    expect(folds(200)).toBeGreaterThanOrEqual(3));

  it('calls nothing that was cancelled', () => {
    const { schedule, run } = pagesOf(20);
    const cancel = schedule(() => expect.fail('it was cancelled'));
    cancel();
    let called = 0;
    schedule(() => {
      called += 1;
    });
    run(20);
    const late = schedule(() => expect.fail('it was cancelled while it rested'));
    run(20);
    late();
    run(300);
    expect(called).toBe(1);
  });
});
