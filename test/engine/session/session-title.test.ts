import { afterEach, describe, expect, it } from 'vitest';
import type { HostPolicy } from '../../../src/main/engine/session/session-scope';
import { NO_USAGE } from '../../../src/shared/facts';
import { DEMO_MODEL } from '../../../src/shared/settings';
import type { Script } from '../../support/scripted-api';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const MONEY = { input_tokens: 0, output_tokens: 100_000 };
const NAMED = [reply('Fix the harbour lights', { usage: { input_tokens: 9, output_tokens: 4 } })];

async function start(
  titles: Script,
  more: TestSessionOptions & { readonly wanted?: HostPolicy['titles'] | undefined } = {},
  script: Script = () => reply('Mended.', { usage: MONEY }),
): Promise<TestSession> {
  const { wanted, ...options } = { wanted: () => true, ...more };
  open = await openTestSession(script, {
    ...options,
    api: { titles },
    host: (plain) => (wanted === undefined ? plain : { ...plain, titles: wanted }),
  });
  return open;
}

async function say(t: TestSession, prompt: string): Promise<void> {
  for await (const _ of t.session.submit(prompt));
}

const title = (t: TestSession): string => t.session.log.transcript().title;

/** Resolves when a request would have come that began before. */
async function passed(t: TestSession): Promise<void> {
  await t.services.ledger.refresh();
  for (let trip = 0; trip < 5; trip++) await (await fetch(`${t.api.url}/v1/models`)).text();
}

/** Resolves when the session has that title. */
const titled = (t: TestSession, wanted: string): Promise<void> =>
  new Promise((resolve) => {
    const look = () => title(t) === wanted && resolve();
    t.session.log.listen(look);
    look();
  });

describe('the title of a session', () => {
  it('is the first words, then what the small model says after the first answer, once', async () => {
    const t = await start(NAMED);
    const seen: string[] = [];
    t.session.log.listen(({ event }) => {
      if (/title_changed|query_|side_call/.test(event.type)) seen.push(event.type);
    });
    const done = titled(t, 'Fix the harbour lights');
    await say(t, 'the lights are out\nall of them');
    await done;
    expect(seen).toEqual([
      ...['title_changed', 'query_started', 'query_finished', 'side_call', 'title_changed'],
    ]);
    const [asked] = t.api.titleRequests;
    expect(asked?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: '<message>\nthe lights are out\nall of them\n</message>\n\n<answer>\nMended.\n</answer>',
          },
        ],
      },
    ]);
    expect(asked?.body).toMatchObject({ max_tokens: 40 });
    expect(asked?.body.tools ?? []).toEqual([]);
    await say(t, 'and the buoys');
    expect(t.api.titleRequests).toHaveLength(1);
    expect(title(t)).toBe('Fix the harbour lights');
  });

  it('counts as a cost of its own', async () => {
    const t = await start(NAMED);
    const done = titled(t, 'Fix the harbour lights');
    await say(t, 'the lights are out');
    await done;
    const { byUse } = await t.services.ledger.today();
    expect(byUse.map(({ name, requests }) => [name, requests])).toEqual([
      ['answers', 1],
      ['title', 1],
    ]);
    expect(t.session.log.transcript().costs.total.requests).toBe(2);
  });

  it.each<[string, Script]>([
    ['it fails', [error(400, 'no')]],
    ['it is refused for now', [error(529, 'overloaded'), ...NAMED]],
    ['it says nothing', [reply('')]],
    ['it answers the prompt', [reply('First I look.\nThen I mend.')]],
  ])('stays the first words where %s, and nothing is told of it', async (_, titles) => {
    const t = await start(titles);
    const told: string[] = [];
    t.session.log.listen(({ event }) => told.push(event.type));
    await say(t, 'the lights are out');
    await passed(t);
    await t.session.close({ keepTasks: false });
    expect(title(t)).toBe('the lights are out');
    expect(t.api.titleRequests).toHaveLength(1);
    expect(told.filter((type) => /notice|retry|title/.test(type))).toEqual(['title_changed']);
  });

  it('is what a user calls it, also while the model is asked', async () => {
    const asked = Promise.withResolvers<void>();
    const renamed = Promise.withResolvers<void>();
    const t = await start(async () => {
      asked.resolve();
      await renamed.promise;
      return reply('Fix the harbour lights');
    });
    await say(t, 'the lights are out');
    await asked.promise;
    t.session.main.state.record({ type: 'title_changed', title: 'the lights are out' });
    renamed.resolve();
    await say(t, 'and the buoys');
    await t.session.close({ keepTasks: false });
    expect(title(t)).toBe('the lights are out');
  });

  it('is what a user calls it while the first answer comes', async () => {
    const t: TestSession = await start(NAMED, {}, () => {
      t.session.main.state.record({ type: 'title_changed', title: 'Lights' });
      return reply('Mended.');
    });
    await say(t, 'the lights are out');
    await passed(t);
    expect(t.api.titleRequests).toEqual([]);
    expect(title(t)).toBe('Lights');
  });

  it('is not asked for where somebody gave one before, or again after a restart or in a copy', async () => {
    const t = await start([error(400, 'no')]);
    t.session.main.state.record({ type: 'title_changed', title: 'Lights' });
    await say(t, 'the lights are out');
    await say(t, 'and the buoys');
    expect(t.api.titleRequests).toEqual([]);
    await t.reopen();
    await say(t, 'and the bells');
    const said = t.session.main.state.history().filter(({ role }) => role === 'user');
    const copy = await t.fork({ kind: 'prompt', promptId: said.at(-1)?.id ?? '' });
    for await (const _ of copy.submit('and the horns'));
    await passed(t);
    await copy.close({ keepTasks: false });
    expect(t.api.titleRequests).toEqual([]);
  });

  it('waits for an answer that is complete', async () => {
    let fails = true;
    const t = await start(NAMED, {}, () => (fails ? error(400, 'bad') : reply('Mended.')));
    await say(t, 'the lights are out');
    fails = false;
    const done = titled(t, 'Fix the harbour lights');
    await say(t, 'try again');
    await done;
    const asked = JSON.stringify(t.api.titleRequests[0]?.body.messages);
    expect(asked).toContain('the lights are out');
    expect(asked).toContain('Mended.');
  });

  it.each<[string, Parameters<typeof start>[1]]>([
    ['nobody wants it: a run without a window', { wanted: undefined }],
    ['the user switched it off', { wanted: () => false }],
    ['the money of the session is spent', { limits: { maxTurns: null, maxBudgetUsd: 0.5 } }],
    ['the money of the day is spent', { settings: { maxDailyBudgetUsd: 0.5 } }],
  ])('is not asked for where %s', async (_, more) => {
    const t = await start(NAMED, more);
    await say(t, 'the lights are out');
    await passed(t);
    expect(t.api.titleRequests).toEqual([]);
    expect(title(t)).toBe('the lights are out');
  });

  it('is not asked for where other sessions have spent the money of the day meanwhile', async () => {
    const t: TestSession = await start(NAMED, { settings: { maxDailyBudgetUsd: 2 } });
    t.session.log.listen(({ event }) => {
      if (event.type !== 'query_finished') return;
      const elsewhere = { session: 'other', project: '/other', agent: 'main', use: 'answers' };
      t.services.ledger.add({ ...elsewhere, model: 'm', usd: 5, usage: NO_USAGE });
    });
    await say(t, 'the lights are out');
    await passed(t);
    expect(t.api.titleRequests).toEqual([]);
  });

  it('is not asked for in the demo', async () => {
    const t = await start(NAMED);
    t.session.main.state.configure({ model: DEMO_MODEL });
    await say(t, 'the lights are out');
    await passed(t);
    expect(t.api.titleRequests).toEqual([]);
  });

  it('is given up when the session ends', async () => {
    const asked = Promise.withResolvers<void>();
    const t = await start(() => {
      asked.resolve();
      return { kind: 'hang' };
    });
    await say(t, 'the lights are out');
    await asked.promise;
    expect(await t.session.close({ keepTasks: false })).toBeNull();
    expect(title(t)).toBe('the lights are out');
  });
});
