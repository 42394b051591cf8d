import { expect, it } from 'vitest';
import type { StandInOffer } from '../../../src/main/engine/model/model-client';
import { memoryClock } from '../../support/memory-clock';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';
import { endOf, ofType } from '../query/support';

const [FIRST, SECOND] = ['claude-sonnet-5-5', 'claude-haiku-5-5'];

/** Passes the waits between tries at once. */
function hastyClock() {
  const inner = memoryClock(Date.UTC(2026, 10, 21));
  const sleep: typeof inner.sleep = async (ms, signal) =>
    ms > 5_000 ? inner.sleep(ms, signal) : undefined;
  return { ...inner, sleep };
}

it('a fallback model is told who it is, and the next turn repeats its prompt byte for byte', async () => {
  const t = await openTestSession(
    (request) => (request.body.model === FIRST ? error(529) : reply('done')),
    { client: { fallbackModels: [SECOND] }, clock: hastyClock() },
  );
  try {
    await t.run('go');
    await t.run('and now?');
    const asked = t.api.requests.map(({ body }) => ({
      model: body.model,
      system: JSON.stringify(body.system),
    }));
    expect(asked.map(({ model }) => model)).toEqual([FIRST, FIRST, FIRST, SECOND, SECOND]);
    for (const { model, system } of asked)
      expect(system).toContain(`You run on the model ${model}.`);
    expect(asked[3]?.system).not.toContain(FIRST);
    expect(asked[4]?.system).toBe(asked[3]?.system);
  } finally {
    await t.close();
  }
});

it('a model that takes over from one that declined is asked once, and answers from there', async () => {
  const refusal = { category: 'bio', explanation: 'Not that.' };
  const declines = () =>
    reply('I will not.', {
      ...{ stopReason: 'refusal', stopDetails: { type: 'refusal', ...refusal } },
    });
  let isStrict = false;
  const t = await openTestSession(
    ({ body }) => (isStrict || body.model === FIRST ? declines() : reply('done')),
    { client: { fallbackModels: [SECOND, 'claude-opus-5-5'] } },
  );
  try {
    const first = await t.run('go');
    expect(ofType(first, 'model_changed')).toEqual([
      {
        ...{ type: 'model_changed', model: SECOND, standsIn: true },
        declined: { model: FIRST, ...refusal },
      },
    ]);
    expect(ofType(first, 'tombstone')).toMatchObject([{ reason: `${FIRST} declined to answer.` }]);
    // What was said in vain costs, too.
    expect(ofType(first, 'side_call')).toMatchObject([{ model: FIRST, purpose: 'broken_answer' }]);
    expect(endOf(first)).toMatchObject({ terminal: 'completed', text: 'done' });
    isStrict = true;
    const second = await t.run('and now?');
    expect(endOf(second)).toMatchObject({ terminal: 'model_error', stopReason: 'refusal' });
    const asked = t.api.requests.map(({ body }) => body.model);
    expect(asked).toEqual([FIRST, SECOND, SECOND, 'claude-opus-5-5']);
    expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).not.toContain('I will not');
  } finally {
    await t.close();
  }
});

it.each([
  ['retry', { terminal: 'completed', text: 'done' }, [FIRST, SECOND]],
  ['refused', { terminal: 'model_error', stopReason: 'refusal' }, [FIRST]],
  ['edit', { terminal: 'aborted_streaming' }, [FIRST]],
] as const)('who is asked about another model says "%s"', async (wish, end, models) => {
  const offers: unknown[] = [];
  const program = {
    runHook: () => Promise.reject(new Error('This program has no hooks.')),
    askStandIn: async (offer: StandInOffer) => {
      offers.push(offer);
      return wish;
    },
  };
  const declines = reply('I will not.', { stopReason: 'refusal' });
  const t = await openTestSession(({ body }) => (body.model === FIRST ? declines : reply('done')), {
    client: { fallbackModels: [SECOND] },
    host: (plain) => ({ ...plain, program }),
  });
  try {
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject(end);
    const refusal = { category: null, explanation: null };
    expect(offers).toEqual([{ from: FIRST, to: SECOND, refusal }]);
    expect(t.api.requests.map(({ body }) => body.model)).toEqual(models);
    expect(ofType(events, 'side_call')).toHaveLength(wish === 'refused' ? 0 : 1);
    await t.run('and now?');
    expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).not.toContain('I will not');
  } finally {
    await t.close();
  }
});
