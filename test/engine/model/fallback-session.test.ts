import { expect, it } from 'vitest';
import { memoryClock } from '../../support/memory-clock';
import { error, reply } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';

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
