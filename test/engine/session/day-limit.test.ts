import { afterEach, describe, expect, it } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { NO_USAGE } from '../../../src/shared/facts';
import { ok } from '../../../src/shared/result';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** An answer of a dollar, at the price of `claude-sonnet-5-5` for output. */
const usage = { input_tokens: 0, output_tokens: 100_000 };
const COST = 1;
const calls = (n: number) => reply([toolUse('Nothing', { n })], { usage });
const done = () => reply('Done.', { usage });

/** A session with a limit of a day; `turns` answers call tools before the last one. */
async function start(maxDailyBudgetUsd: number, turns: number, more: object = {}) {
  let asked = 0;
  const script = (): Reply => {
    asked += 1;
    return asked <= turns ? calls(asked) : done();
  };
  open = await openTestSession(script, { settings: { maxDailyBudgetUsd, ...more } });
  return open;
}

const endOf = (events: readonly AgentEvent[]) => {
  const end = events.find((event) => event.type === 'query_finished');
  if (end?.type !== 'query_finished') throw new Error('The query has no end.');
  return end;
};

async function goOn(t: TestSession, forSession: boolean) {
  const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  const ended = new Promise<AgentEvent>((resolve) => {
    const stop = t.session.log.listen(({ event }) => {
      if (event.type !== 'query_finished') return;
      stop();
      resolve(event);
    });
  });
  expect(await runtime.continueWork(forSession)).toEqual(ok(null));
  return endOf([await ended]);
}

/** Another session, in another process, spends. */
const elsewhere = (t: TestSession, usd: number) =>
  t.services.ledger.add({
    ...{ session: 'other', project: '/other', agent: 'main', use: 'answers' },
    ...{ model: 'claude-sonnet-5-5', usd, usage: NO_USAGE },
  });

describe('the limit of a day', () => {
  it('stops a query and says why; once it is raised by itself, for everybody', async () => {
    const t = await start(COST * 2, 3);
    const end = endOf(await t.run('go'));
    expect(end).toMatchObject({ terminal: 'max_budget', turns: 2 });
    expect(end.text).toContain('spent $2.00 today, and the limit of a day is $2.00');
    expect(end.text).toContain('Raised once, all sessions together may spend another $2.00 today');
    expect(endOf(await t.run('and?'))).toMatchObject({ terminal: 'max_budget', turns: 0 });
    expect(await goOn(t, false)).toMatchObject({ terminal: 'max_budget', turns: 2 });
    expect(t.services.ledger.raisedUsd()).toBe(2);
    expect((await t.services.ledger.today()).usd).toBeCloseTo(4);
  });

  it('holds no longer in a session that a user took it from, also after a restart', async () => {
    const t = await start(COST, 3);
    expect(endOf(await t.run('go')).terminal).toBe('max_budget');
    expect(await goOn(t, true)).toMatchObject({ terminal: 'completed', turns: 3 });
    expect(t.services.ledger.raisedUsd()).toBe(0);
    await t.reopen();
    expect(t.session.log.transcript().limits).toMatchObject({ overDay: true });
    expect(endOf(await t.run('more')).terminal).toBe('completed');
  });

  it('counts what other sessions spend, before and during a query', async () => {
    const t = await start(10, 5);
    elsewhere(t, 10);
    expect(endOf(await t.run('go'))).toMatchObject({ terminal: 'max_budget', turns: 0 });
    t.services.ledger.raise(10);
    t.session.log.listen(({ event }) => {
      if (event.type === 'message_started') elsewhere(t, 9);
    });
    expect(endOf(await t.run('go'))).toMatchObject({ terminal: 'max_budget', turns: 1 });
  });

  it('leaves the words to the limit of the session when that is reached', async () => {
    const t = await start(COST, 3, { maxBudgetUsd: COST });
    expect(endOf(await t.run('go')).text).toBe('The budget of this run is spent.');
    expect(await goOn(t, true)).toMatchObject({ terminal: 'max_budget' });
    expect(t.session.log.transcript().limits).toMatchObject({ maxBudgetUsd: null });
  });

  it('is not looked at where there is none, and what was spent is kept all the same', async () => {
    open = await openTestSession(done);
    await open.run('go');
    const text = 'Prompt cache broken by message #3: changed.';
    open.session.main.state.record({ type: 'notice', level: 'info', code: 'cache_missed', text });
    await open.services.ledger.refresh();
    const { bySession, byUse, misses } = await open.services.ledger.today();
    expect(misses).toEqual([{ reason: 'Prompt cache broken by message: changed.', count: 1 }]);
    expect(bySession).toMatchObject([{ project: open.project, requests: 1, usd: COST }]);
    expect(byUse).toMatchObject([{ name: 'answers' }]);
  });
});
