import { afterEach, beforeEach, expect, it } from 'vitest';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';

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
