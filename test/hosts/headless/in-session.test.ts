import { expect, it } from 'vitest';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import { answerOne, hearAgents, inSession } from '../../../src/main/hosts/headless/in-session';
import type { Printer } from '../../../src/main/hosts/headless/printer';
import type { Stamped } from '../../../src/shared/agent-event';
import { ok } from '../../../src/shared/result';
import { IDLE_SESSION } from '../../support/headless-session';

const SILENT: Printer = {
  opened: async () => {},
  event: async () => {},
  failed: async () => {},
  control: async () => {},
  replayed: async () => {},
  warn: () => {},
  finished: async () => {},
};

it('what happened meanwhile is told before the answer to the news of it', async () => {
  const order: string[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    agentsAtWork: () => !order.includes('answered'),
    hasNews: () => true,
    submit: (...given) => {
      order.push('answered');
      return IDLE_SESSION.submit(...given);
    },
  };
  const toldSoFar = async () => {
    await Promise.resolve();
    order.push('told');
  };
  await hearAgents(session, SILENT, new AbortController().signal, true, toldSoFar);
  expect(order).toEqual(['told', 'answered']);
});

it('an observer that has yet to begin when the answer ends is heard', async () => {
  const order: string[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    observersBegun: async () => {
      await Promise.resolve();
      order.push('begun');
    },
    agentsAtWork: () => order.at(-1) === 'begun' && !order.includes('answered'),
    hasNews: () => true,
    submit: (...given) => {
      order.push('answered');
      return IDLE_SESSION.submit(...given);
    },
  };
  await hearAgents(session, SILENT, new AbortController().signal, true, async () => {});
  expect(order).toEqual(['begun', 'answered']);
});

it('a query is not begun once the run is given up, and ends when that comes while it begins', async () => {
  const late = new AbortController();
  const interrupts: string[] = [];
  let submitted = 0;
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    interrupt: (why) => void interrupts.push(why),
    async *submit() {
      submitted += 1;
      // Nothing runs yet that somebody could interrupt.
      late.abort();
      yield { event: { type: 'turn_started', queryId: 'q', turn: 1 }, agentId: 'main' } as Stamped;
    },
  };
  await answerOne('go', session, SILENT, late.signal);
  expect(interrupts).toContain('ending');
  expect(await answerOne('go', session, SILENT, late.signal)).toBe(false);
  expect(submitted).toBe(1);
});

it.each([
  ['a full disk at the end', true, 'no_space', ['ENOSPC']],
  ['a quota', true, 'over_quota', ['EDQUOT']],
  ['any other fault', true, null, []],
  ['a full disk where the exit code says that something went wrong', false, 'no_space', []],
] as const)('the program is told of %s', async (_, good, cause, told) => {
  const lines: Record<string, unknown>[] = [];
  const printer = {
    ...SILENT,
    control: async (line: Record<string, unknown>) => void lines.push(line),
  };
  const complaints: string[] = [];
  const parts = {
    ending: new AbortController().signal,
    complain: (line: string) => void complaints.push(line),
    uuid: () => 'u',
  };
  const session = { ...IDLE_SESSION, close: async () => 'Full.', lostTo: () => cause };
  await inSession(ok(session), parts, printer, async () => good);
  expect(complaints).toEqual(['Error: Full.']);
  expect(lines.map(({ error_code }) => error_code)).toEqual(told);
  for (const line of lines)
    expect(line).toMatchObject({
      ...{ subtype: 'session_writes_lost', lost: ['transcript'] },
      transcript_session_ids: [IDLE_SESSION.sessionId],
    });
});
