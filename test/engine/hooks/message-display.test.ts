import { describe, expect, it, test } from 'vitest';
import { createMessageDisplay, nextDelta } from '../../../src/main/engine/hooks/message-display';
import { type DisplayPart, decidesDisplay } from '../../../src/main/engine/hooks/told-facts';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import { applyEvents } from '../../../src/shared/apply-event';
import type { HookSetting } from '../../../src/shared/hooks';
import { allItems, emptyTranscript } from '../../../src/shared/transcript';
import { countingIds } from '../../support/memory-clock';
import { settle } from '../tasks/set-up';
import { hook } from './support';

test.each([
  ['a\nb', false, true, 'a\n'],
  ['a\n\nb\n', false, true, 'a\n\nb\n'],
  ['ab', false, true, ''],
  ['a\nb', true, true, 'a\nb'],
  ['', true, true, ''],
  ['a\nb', false, false, ''],
  ['a\nb', true, false, 'a\nb'],
])('of %j (ended: %s, held back: %s) hooks are asked about %j', (text, ended, held, delta) => {
  expect(nextDelta(text, ended, held)).toBe(delta);
});

type Answer = { display: string | null; failed: boolean };

/** A message display whose hooks answer by hand (a failure is one of the first hook), and the screen that comes of it. */
function setUp(
  asks: 'lines' | 'whole' | 'nothing' = 'lines',
  all: readonly HookSetting[] = [hook('MessageDisplay', 'shows')],
) {
  const asked: {
    readonly part: DisplayPart;
    readonly runs: string;
    readonly answer: (answer: Answer) => void;
    readonly breaks: () => void;
    readonly signal: AbortSignal;
  }[] = [];
  const told: (DisplayPart & { readonly runs: string; readonly knownToFail?: true })[] = [];
  const events: AgentEvent[] = [];
  const record = (event: AgentEvent) => void events.push(event);
  const display = createMessageDisplay({
    hooks: {
      has: () => true,
      holdsText: () => all.some(decidesDisplay),
      onDisplay: (part, { takes, onFailed }, signal) =>
        new Promise((resolve, reject) => {
          const to = all.filter(takes);
          const first = to[0];
          if (first === undefined) return resolve(null);
          const answer = ({ display, failed }: Answer) => {
            if (failed) onFailed?.(first);
            resolve(display);
          };
          const runs = to.map(({ run }) => run).join();
          asked.push({ part, runs, answer, breaks: () => reject(new Error('broken')), signal });
          signal.addEventListener('abort', () => answer({ display: null, failed: false }));
        }),
      tellDisplay: (part, { takes, knownToFail }) => {
        for (const { run: runs } of all.filter(takes))
          told.push({ ...part, runs, ...(knownToFail ? { knownToFail } : {}) });
      },
    },
    ...{ asks, turnId: () => 'turn', ids: countingIds(), record },
  });
  const see = (event: AgentEvent) => {
    record(event);
    display.see(event);
    return settle();
  };
  const at = (index: number, messageId = 'm') => ({ messageId, index });
  const held = display.holds() ? ({ held: true } as const) : {};
  return {
    ...{ asked, told, events, display, see },
    start: (index = 0) => see({ type: 'block_started', ...at(index), kind: 'text', ...held }),
    delta: (text: string, index = 0) => see({ type: 'block_delta', ...at(index), text }),
    finish: (text: string, index = 0) =>
      see({
        ...{ type: 'block_finished', ...at(index), model: 'x' },
        block: { type: 'text', text },
      }),
    answer: async (display: string | null, failed = false) => {
      asked.at(-1)?.answer({ display, failed });
      await settle();
    },
    parts: () => asked.map(({ part: { index, final, delta } }) => [index, final, delta]),
    screen: (only: (event: AgentEvent) => boolean = () => true) => {
      const stamped = events.filter(only).map(
        (event, i): Stamped => ({
          ...{ sessionId: 's', agentId: 'main', epoch: 'e', seq: i + 1, at: 0, event },
        }),
      );
      return allItems(applyEvents(emptyTranscript('s', 'e'), stamped)).map((item) =>
        item.kind === 'text' ? [item.text, item.done] : item.kind,
      );
    },
  };
}

describe('text that comes', () => {
  it('is asked about in whole lines, and shown when there is an answer', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one');
    expect([t.asked, t.screen()]).toEqual([[], [['', false]]]);
    await t.delta(' line\ntw');
    expect(t.parts()).toEqual([[0, false, 'one line\n']]);
    // What comes meanwhile goes into one run.
    await t.delta('o\n');
    await t.delta('three\nfo');
    expect([t.asked.length, t.screen()]).toEqual([1, [['', false]]]);
    await t.answer('ONE\n');
    expect(t.screen()).toEqual([['ONE\n', false]]);
    expect(t.parts().at(-1)).toEqual([1, false, 'two\nthree\n']);
    await t.finish('one line\ntwo\nthree\nfour');
    expect(t.screen()).toEqual([['ONE\n', false]]);
    await t.answer(null);
    expect(t.parts().at(-1)).toEqual([2, true, 'four']);
    await t.answer('');
    await t.display.settled(new AbortController().signal);
    const shown = 'ONE\ntwo\nthree\n';
    expect(t.screen()).toEqual([[shown, true]]);
    expect(t.events.at(-1)).toEqual({
      ...{ type: 'text_replaced', messageId: 'm', index: 0, text: shown },
    });
    const { turn_id, message_id } = t.asked[0]?.part ?? {};
    expect(turn_id).toBe('turn');
    expect(new Set(t.asked.map(({ part }) => part.message_id))).toEqual(new Set([message_id]));
    // A log has neither deltas nor what was shown bit by bit.
    const isKept = ({ type }: AgentEvent) => type === 'block_finished' || type === 'text_replaced';
    expect(t.screen(isKept)).toEqual([[shown, true]]);
  });

  it('ends once, with nothing where it ends on a line end, and is not written down where nothing changed', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one\n');
    await t.answer(null);
    await t.finish('one\n');
    await t.answer('');
    expect(t.parts()).toEqual([
      [0, false, 'one\n'],
      [1, true, ''],
    ]);
    expect(t.screen()).toEqual([['one\n', true]]);
    expect(t.events.map(({ type }) => type)).not.toContain('text_replaced');
  });

  it('of a second text waits for the first', async () => {
    const t = setUp();
    await t.start(0);
    await t.finish('a', 0);
    await t.start(2);
    await t.finish('b', 2);
    expect(t.parts()).toEqual([[0, true, 'a']]);
    await t.answer('A');
    await t.answer('B');
    await t.display.settled(new AbortController().signal);
    expect(t.screen()).toEqual([
      ['A', true],
      ['B', true],
    ]);
    expect(new Set(t.asked.map(({ part }) => part.message_id)).size).toBe(2);
  });

  it('is shown as it is from a failure on; hooks hear of the end', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one\n');
    await t.answer(null, true);
    await t.delta('two\n');
    expect(t.screen()).toEqual([['one\ntwo\n', false]]);
    await t.finish('one\ntwo\nthree');
    expect(t.screen()).toEqual([['one\ntwo\nthree', true]]);
    expect(t.asked).toHaveLength(1);
    expect(t.told).toMatchObject([{ index: 1, final: true, delta: 'two\nthree' }]);
  });

  it('is asked about further after a failure of one hook, which alone hears no more than its end', async () => {
    const t = setUp('lines', [hook('MessageDisplay', 'fails'), hook('MessageDisplay', 'hides')]);
    await t.start();
    await t.delta('a\n');
    // There was nothing to hide yet.
    await t.answer(null, true);
    await t.delta('secret\n');
    await t.answer('******\n');
    await t.finish('a\nsecret\nb');
    await t.answer(null);
    await t.display.settled(new AbortController().signal);
    expect(t.screen()).toEqual([['a\n******\nb', true]]);
    expect(t.asked.map(({ runs }) => runs)).toEqual(['fails,hides', 'hides', 'hides']);
    expect(t.told).toMatchObject([
      { runs: 'fails', index: 1, final: true, delta: 'secret\nb', knownToFail: true },
    ]);
  });

  it('is shown as it is where asking breaks, and so is none of the next one', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one\n');
    t.asked[0]?.breaks();
    await t.finish('one\ntwo');
    await t.start(2);
    await t.finish('three', 2);
    await t.answer('THREE');
    await t.display.settled(new AbortController().signal);
    expect(t.screen()).toEqual([
      ['one\ntwo', true],
      ['THREE', true],
    ]);
  });

  it('is shown as it is when the query is cut', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one\ntwo\nth');
    const over = new AbortController();
    const settled = t.display.settled(over.signal);
    over.abort();
    await settled;
    expect(t.asked[0]?.signal.aborted).toBe(true);
    expect(t.screen()).toEqual([['one\ntwo\nth', true]]);
    expect(t.told).toEqual([]);
  });

  it('is not shown at all once its answer is given up', async () => {
    const t = setUp();
    await t.start();
    await t.delta('one\n');
    await t.see({ type: 'tombstone', messageId: 'm', reason: 'cut' });
    await t.display.settled(new AbortController().signal);
    expect([t.asked[0]?.signal.aborted, t.screen()]).toEqual([true, []]);
    expect(t.events.map(({ type }) => type)).not.toContain('text_shown');
  });

  it('of blanks is nothing to ask about', async () => {
    const t = setUp();
    await t.start();
    await t.delta(' ');
    await t.finish(' ');
    expect([t.asked, t.screen()]).toEqual([[], [[' ', true]]]);
  });
});

it('where programs read, a message is asked about once, when it is whole, and held back from nobody', async () => {
  const t = setUp('whole');
  await t.start();
  await t.delta('one\ntwo\n');
  expect(t.screen()).toEqual([['one\ntwo\n', false]]);
  await t.finish('one\ntwo\nthree');
  expect(t.parts()).toEqual([[0, true, 'one\ntwo\nthree']]);
  await t.answer('X');
  expect(t.events.slice(-1)).toMatchObject([{ type: 'text_replaced', text: 'X' }]);
  expect(t.events.map(({ type }) => type)).not.toContain('text_shown');
});

describe('hooks that are not asked what is shown', () => {
  const aside = [
    hook('MessageDisplay', 'async', { async: true }),
    hook('MessageDisplay', 'prompt', { type: 'prompt' }),
    hook('MessageDisplay', 'agent', { type: 'agent' }),
  ];
  const whole = { index: 0, final: true, delta: 'one\ntwo' };

  it('hold no text back, and are told once', async () => {
    const t = setUp('lines', aside);
    await t.start();
    await t.delta('one\ntw');
    expect([t.parts(), t.screen()]).toEqual([[], [['one\ntw', false]]]);
    await t.finish('one\ntwo');
    const runs = ['async', 'prompt', 'agent'];
    expect([t.asked, t.told]).toMatchObject([[], runs.map((one) => ({ ...whole, runs: one }))]);
  });

  it('are told of the whole text at its end where others are asked about its lines', async () => {
    const t = setUp('lines', [hook('MessageDisplay', 'shows'), ...aside]);
    await t.start();
    await t.delta('one\n');
    await t.answer(null);
    await t.finish('one\ntwo');
    expect([t.asked.map(({ runs }) => runs), t.told]).toEqual([['shows', 'shows'], []]);
    await t.answer(null);
    expect(t.told).toHaveLength(3);
    expect(t.told[0]).toMatchObject({ ...whole, runs: 'async' });
  });

  it('are all of them where nobody reads what is shown, and nobody waits for them', async () => {
    const t = setUp('nothing');
    await t.start();
    await t.delta('one\n');
    await t.finish('one\ntwo');
    await t.display.settled(new AbortController().signal);
    expect([t.asked, t.told]).toMatchObject([[], [{ ...whole, runs: 'shows' }]]);
    expect(t.events.map(({ type }) => type)).not.toContain('text_replaced');
  });
});
