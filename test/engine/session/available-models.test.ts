import { afterEach, expect, it } from 'vitest';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const only = (...entries: string[]) => ({ availableModels: [{ file: 's.json', entries }] });
const HAIKU = 'claude-haiku-4-5';

it('refuses a model that settings do not make available, and keeps the one it has', async () => {
  open = await openTestSession([reply('ok')], { settings: only('opus') });
  const before = open.session.main.state.config().model;
  expect(open.session.configure({ model: HAIKU })).toMatchObject({
    error: { code: 'model_not_available' },
  });
  await open.run('go');
  expect(open.api.requests[0]?.body.model).toBe(before);
});

it('does not take up again a model that settings no longer make available', async () => {
  open = await openTestSession([reply('one'), reply('two')], { unchosen: true });
  const standard = open.session.main.state.config().model;
  expect(open.session.configure({ model: HAIKU }).ok).toBe(true);
  await open.run('go');
  await open.reopen(only('haiku'));
  expect(open.session.main.state.config().model).toBe(HAIKU);
  await open.reopen(only('opus'));
  expect(open.session.main.state.config().model).toBe(standard);
});
