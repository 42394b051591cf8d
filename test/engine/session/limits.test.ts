import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { defineTool } from '../../../src/main/engine/tools/tool';
import type { ThinkingMode } from '../../../src/shared/agent-event';
import { ok } from '../../../src/shared/result';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const look = defineTool<{ at: number }, string>({
  name: 'Look',
  description: 'Looks.',
  input: z.strictObject({ at: z.number() }),
  needs: async () => ok([{ kind: 'tool' as const, tool: 'Look', readOnly: true }]),
  title: () => ({ verb: 'Look', target: '' }),
  // biome-ignore lint/correctness/useYield: one step
  execute: async function* () {
    return { ok: true, output: 'seen' };
  },
  toModel: (text) => [{ type: 'text', text }],
  view: () => ({ kind: 'generic', title: 'Look', detail: '' }),
});

const nextEnd = (t: TestSession): Promise<string> =>
  new Promise((resolve) => {
    const stop = t.session.log.listen(({ event }) => {
      if (event.type !== 'query_finished') return;
      stop();
      resolve(event.terminal);
    });
  });

it('limits that the user sets stop the work, survive a restart, and can be gone on from', async () => {
  let asked = 0;
  open = await openTestSession(
    () => {
      asked += 1;
      return asked % 3 === 0 ? reply('done') : reply([toolUse('Look', { at: asked })]);
    },
    { tools: [look] },
  );
  const t = open;
  expect(t.session.configure({ limits: { maxTurns: 2, maxBudgetUsd: null } })).toEqual(ok(null));
  await t.run('look around');
  expect(t.session.log.transcript().committed.at(-1)).toMatchObject({ terminal: 'max_turns' });
  await t.reopen();
  expect(t.session.log.transcript().limits).toEqual({ maxTurns: 2, maxBudgetUsd: null });
  const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
  const end = nextEnd(t);
  expect(await runtime.continueWork()).toEqual(ok(null));
  expect(await end).toBe('completed');
  expect(asked).toBe(3);
  expect(t.api.refusals).toEqual([]);
});

it('limits of settings hold for a new session, until the user sets others', async () => {
  let asked = 0;
  open = await openTestSession(
    () => {
      asked += 1;
      return asked < 5 ? reply([toolUse('Look', { at: asked })]) : reply('done');
    },
    { tools: [look], settings: { maxTurns: 2, maxBudgetUsd: 9 } },
  );
  const t = open;
  expect(t.session.log.transcript().limits).toEqual({ maxTurns: 2, maxBudgetUsd: 9 });
  await t.run('look around');
  expect(t.session.log.transcript().committed.at(-1)).toMatchObject({ terminal: 'max_turns' });
  t.session.configure({ limits: { maxTurns: null } });
  expect(t.session.log.transcript().limits).toEqual({ maxTurns: null, maxBudgetUsd: 9 });
  t.session.configure({ limits: { maxBudgetUsd: null } });
  await t.reopen();
  expect(t.session.log.transcript().limits).toEqual({ maxTurns: null, maxBudgetUsd: null });
  await t.run('go on');
  expect(t.session.log.transcript().committed.at(-1)).toMatchObject({ terminal: 'completed' });
  expect(asked).toBe(5);
});

it('limits of the command line go first, for that run alone', async () => {
  open = await openTestSession(() => reply([toolUse('Look', { at: 1 })]), {
    tools: [look],
    settings: { maxTurns: 9 },
    limits: { maxTurns: 1, maxBudgetUsd: null },
  });
  await open.run('look around');
  expect(open.api.requests).toHaveLength(1);
  expect(open.session.log.transcript().limits).toEqual({ maxTurns: 9, maxBudgetUsd: null });
});

it('thinking of settings, then of the user, goes on the wire and survives a restart', async () => {
  const model = 'claude-haiku-4-5';
  open = await openTestSession(() => reply('Yes.'), {
    settings: { thinking: { budgetTokens: 2000 } },
  });
  const t = open;
  t.session.configure({ model });
  await t.run('one');
  t.session.configure({ thinking: { budgetTokens: 4000 } });
  t.session.configure({ thinking: { budgetTokens: 4000 } });
  await t.run('two');
  t.session.configure({ thinking: 'disabled' });
  await t.reopen();
  t.session.configure({ model });
  expect(t.session.log.transcript().thinking).toBe('disabled');
  await t.run('three');
  expect(t.api.requests.map(({ body }) => body['thinking'])).toEqual([
    { type: 'enabled', budget_tokens: 2000 },
    { type: 'enabled', budget_tokens: 4000 },
    undefined,
  ]);
  expect(t.api.refusals).toEqual([]);
});

it('a session in which nobody chose thinking takes it from the settings of its next start', async () => {
  let thinking: ThinkingMode | undefined;
  open = await openTestSession(() => reply('Yes.'), {
    host: (plain) => ({
      ...plain,
      settings: () => ({ ...plain.settings(), ...(thinking ? { thinking } : {}) }),
    }),
  });
  await open.run('one');
  expect(open.session.log.transcript().thinking).toBeNull();
  thinking = 'disabled';
  await open.reopen();
  expect(open.session.log.transcript().thinking).toBe('disabled');
});
