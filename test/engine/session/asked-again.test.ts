import { afterEach, expect, it } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { ok } from '../../../src/shared/result';
import { allItems } from '../../../src/shared/transcript';
import { error, errorEvent, reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const lastOf = ({ session }: TestSession) => allItems(session.log.transcript()).at(-1);

it('a query that failed is asked again with the words it has, and says so', async () => {
  open = await openTestSession([error(401, 'bad key'), reply('Aye.'), reply('Nay.')]);
  const t = open;
  await t.run('count the ferries');
  expect(lastOf(t)).toMatchObject({ terminal: 'model_error', failure: 'authentication_failed' });
  const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  expect(await runtime.continueWork()).toEqual(ok(null));
  await expect.poll(() => lastOf(t)).toMatchObject({ terminal: 'completed', text: 'Aye.' });
  const [first, second] = t.api.requests.map(({ body }) => body.messages);
  expect(second).toEqual(first);
  const told = allItems(t.session.log.transcript()).filter(({ kind }) => kind === 'divider');
  expect(told).toMatchObject([{ code: 'asked_again' }]);
});

it('an answer that broke off is gone on with, and the model is told', async () => {
  const whole = reply('The ferries are three, and the tugs are four.');
  open = await openTestSession((_request, number) =>
    number === 0 ? errorEvent(whole, 4, 'invalid_request_error') : reply('All told.'),
  );
  const t = open;
  await t.run('count the ferries');
  expect(lastOf(t)).toMatchObject({ terminal: 'model_error' });
  const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  expect(await runtime.continueWork()).toEqual(ok(null));
  await expect.poll(() => lastOf(t)).toMatchObject({ terminal: 'completed', text: 'All told.' });
  expect(t.api.refusals).toEqual([]);
  const last = t.api.requests.at(-1)?.body.messages.at(-1);
  expect(last?.role).toBe('user');
  expect(JSON.stringify(last)).not.toContain('fresh limits');
});
