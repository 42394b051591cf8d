import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MemoryClock, memoryClock } from '../../support/memory-clock';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';
const HAIKU = 'claude-haiku-5-5';

const plain = memoryClock();
/** Waits between tries pass at once; what watches over a stream never wakes. */
const HASTY: MemoryClock = {
  ...plain,
  sleep: (ms, signal) => (ms < 10_000 ? plain.advance(ms) : plain.sleep(ms, signal)),
};

let open: TestSession;
beforeEach(async () => {
  open = await openTestSession([reply('1'), reply('2'), reply('3'), reply('4')], {
    unchosen: true,
  });
});
afterEach(() => open.close());

const asked = () => open.api.requests.map(({ body }) => body.model);

it('another model plans than works, also after a restart, until one is chosen', async () => {
  expect((await open.session.reconfigure({ model: 'opusplan' })).ok).toBe(true);
  await open.run('work');
  await open.session.reconfigure({ mode: 'plan' });
  expect(open.session.main.state.config().model).toBe(OPUS);
  await open.run('plan');
  await open.reopen();
  await open.session.reconfigure({ mode: 'acceptEdits' });
  await open.run('work on');
  await open.session.reconfigure({ model: 'claude-haiku-5-5' });
  await open.session.reconfigure({ mode: 'plan' });
  await open.run('plan again');
  expect(asked()).toEqual([SONNET, OPUS, SONNET, 'claude-haiku-5-5']);
});

it('hears of the other model when the mode changes', async () => {
  const heard: string[] = [];
  await open.session.reconfigure({ model: 'opusplan' });
  open.session.main.state.onModelChanged((from, to) => heard.push(`${from} ${to}`));
  await open.session.reconfigure({ mode: 'plan' });
  await open.session.reconfigure({ mode: 'default' });
  await open.session.reconfigure({ mode: 'acceptEdits' });
  expect(heard).toEqual([`${SONNET} ${OPUS}`, `${OPUS} ${SONNET}`]);
});

it('is chosen on where another model stands in for an overloaded one, until the mode changes', async () => {
  const busy = await openTestSession(
    ({ body }) => (body.model === OPUS ? error(529) : reply(`by ${body.model}`)),
    { unchosen: true, clock: HASTY, client: { fallbackModels: [HAIKU] } },
  );
  const { state } = busy.session.main;
  await busy.session.reconfigure({ model: 'opusplan' });
  await busy.session.reconfigure({ mode: 'plan' });
  await busy.run('plan');
  expect([state.config().model, state.chosenModel()]).toEqual([HAIKU, 'opusplan']);
  expect(state.transcript().model).toBe('opusplan');
  const before = busy.api.requests.length;
  await busy.run('plan on');
  await busy.session.reconfigure({ mode: 'default' });
  await busy.run('work');
  const later = busy.api.requests.slice(before).map(({ body }) => body.model);
  expect(later).toEqual([HAIKU, SONNET]);
  await busy.session.reconfigure({ mode: 'plan' });
  expect(state.config().model).toBe(OPUS);
  await busy.run('plan again');
  expect(state.config().model).toBe(HAIKU);
  // Choosing it anew tries the first one again, and so does a restart.
  await busy.session.reconfigure({ model: 'opusplan' });
  expect(state.config().model).toBe(OPUS);
  await busy.run('plan once more');
  await busy.reopen();
  expect(busy.session.main.state.config().model).toBe(OPUS);
  await busy.close();
});

it('another choice ends where another model stands in for it', async () => {
  const busy = await openTestSession(
    ({ body }) => (body.model === OPUS ? error(529) : reply('done')),
    { unchosen: true, clock: HASTY, client: { fallbackModels: [HAIKU] } },
  );
  await busy.session.reconfigure({ model: OPUS });
  await busy.run('go');
  expect(busy.session.main.state.chosenModel()).toBe(HAIKU);
  await busy.close();
});
