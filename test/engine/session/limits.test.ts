import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { defineTool } from '../../../src/main/engine/tools/tool';
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

it('limits that the person sets stop the work, survive a restart, and can be gone on from', async () => {
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
  expect(await runtime.continueAfterLimit()).toEqual(ok(null));
  expect(await end).toBe('completed');
  expect(asked).toBe(3);
  expect(t.api.refusals).toEqual([]);
});
