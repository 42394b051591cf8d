import { expect, it } from 'vitest';
import { createPause } from '../../../src/main/engine/model/retry';
import { memoryClock } from '../../support/memory-clock';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';

it('sends the next try at once when the user does not want to wait', async () => {
  const test = await openTestSession([error(529, 'busy', { 'retry-after': '60' }), reply('done')]);
  try {
    const { log, main } = test.session;
    const { engine } = main;
    expect(engine.retryNow()).toBe(false);
    log.listen(({ event }) => {
      // The pause begins after its event.
      if (event.type === 'retry_waiting') setImmediate(() => expect(engine.retryNow()).toBe(true));
    });
    const events = await test.run('go');
    expect(events.find((e) => e.type === 'retry_waiting')).toMatchObject({ delayMs: 60_000 });
    expect(events.at(-1)).toMatchObject({ type: 'query_finished', terminal: 'completed' });
    expect(test.api.requests).toHaveLength(2);
    expect(engine.retryNow()).toBe(false);
  } finally {
    await test.close();
  }
});

it('ends a pause by time, by hurry and by signal, and only the one that goes on', async () => {
  const clock = memoryClock();
  const pause = createPause(clock);
  const abort = new AbortController();
  const byTime = pause.wait(100, abort.signal);
  await clock.advance(100);
  await byTime;
  expect(pause.hurry()).toBe(false);
  const byHurry = pause.wait(100, abort.signal);
  expect(pause.hurry()).toBe(true);
  await byHurry;
  const bySignal = pause.wait(100, abort.signal);
  abort.abort();
  await bySignal;
  expect(pause.hurry()).toBe(false);
  expect(clock.sleepers()).toBe(0);
});
