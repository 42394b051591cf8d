import { afterEach, expect, test } from 'vitest';
import { dayOf } from '../../../src/main/engine/cost/day-sums';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const YEAR = 365 * 24 * 3_600_000;

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('a session whose clock ran ahead has the right date as soon as that is set back', async () => {
  open = await openTestSession(
    [reply('Before.'), reply([toolUse('Read', { file_path: 'tide.txt' })]), reply('After.')],
    { tools: [createReadTool()], files: { 'tide.txt': 'high' } },
  );
  const { clock, session, services } = open;
  const ahead = clock.date();
  await open.run('one');
  expect(session.updatedAt()).toBe(ahead);
  clock.setBack(YEAR);
  await clock.advance(1);
  const date = ahead - YEAR + 1;
  const events = await open.run('two');

  expect(session.updatedAt()).toBe(date);
  const call = events.find((event) => event.type === 'call_changed' && event.status === 'running');
  expect(call).toMatchObject({ startedAt: date });
  expect(events.at(-1)).toMatchObject({ type: 'query_finished', durationMs: 0 });
  expect((await services.ledger.today()).day).toBe(dayOf(date));
});

test('the date that the model is told is the one of the system', async () => {
  open = await openTestSession([reply('Noted.')]);
  const { clock, api } = open;
  const year = new Date(clock.date()).getFullYear();
  clock.setBack(YEAR);
  await open.run('what is the date?');
  expect(JSON.stringify(api.requests[0]?.body)).toContain(`Today's date: ${year - 1}-`);
});

test('what was measured while the date was set back takes no less than no time', async () => {
  open = await openTestSession([reply('Slow.')], {
    wrap: (client) => ({
      stream: async function* (request, signal) {
        open?.clock.setBack(YEAR);
        await open?.clock.advance(2_000);
        yield* client.stream(request, signal);
      },
    }),
  });
  const events = await open.run('one');
  expect(events.at(-1)).toMatchObject({ type: 'query_finished', durationMs: 2_000, apiMs: 2_000 });
});
