import { afterEach, expect, it } from 'vitest';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { ok } from '../../../src/shared/result';
import { allItems } from '../../../src/shared/transcript';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const usage = { input_tokens: 20_000, output_tokens: 40 };

/** Gives a line to a session and returns what it says at the end. */
async function said({ session }: TestSession, line: string): Promise<string> {
  let last: AgentEvent | null = null;
  for await (const { event } of session.submit(line)) last = event;
  return last?.type === 'query_finished' ? last.text : '';
}

const categories = /^Context: (\d+) of \d+ tokens\nTools: \d+.*\nSystem prompt: [1-9]\d*.*\nMemory/;

it('/context counts by category before the first request, and again after a restart', async () => {
  open = await openTestSession([reply('Hello.', { usage })]);
  expect(await said(open, '/context')).toMatch(categories);
  await open.run('hello');
  const before = await said(open, '/context');
  expect(before).toMatch(categories);
  await open.reopen();
  const after = await said(open, '/context');
  expect(after).toMatch(categories);
  expect(categories.exec(after)?.[1]).toBe(categories.exec(before)?.[1]);
  expect(open.api.requests).toHaveLength(1);
});

it('a window has it counted in a resumed session, without a query, as the command does', async () => {
  open = await openTestSession([reply('Hello.', { usage })]);
  await open.run('hello');
  const told = () => open?.session.log.transcript().context;
  const before = told();
  expect(before?.parts).toBeDefined();
  await open.reopen();
  expect(told()?.parts).toBeUndefined();
  const rows = allItems(open.session.log.transcript()).length;
  const runtime = createSessionRuntime({ session: open.session, prepare: async () => ok(null) });
  expect(await runtime.changeContext({ kind: 'measure' })).toEqual(ok(null));
  expect(told()).toMatchObject({ usedTokens: before?.usedTokens, parts: before?.parts });
  expect(allItems(open.session.log.transcript())).toHaveLength(rows);
  expect(open.api.requests).toHaveLength(1);
});

it('/cost says what the session and the day cost, also after a restart, and asks no model', async () => {
  open = await openTestSession([reply('Hello.', { usage })]);
  expect(await said(open, '/cost')).toContain('This session: $0.00 (0 requests');
  await open.run('hello');
  for (let restarts = 0; restarts < 2; restarts += 1) {
    const lines = (await said(open, '/cost')).split('\n');
    expect(lines).toEqual([
      'This session: $0.0404 (1 request, 20000 tokens in, 40 out)',
      '  claude-sonnet-5-5: $0.0404 (1 request, 20000 tokens in, 40 out)',
      'Today, all sessions: $0.0404 (1 request, 20000 tokens in, 40 out); $0.0404 in the last hour; no limit for a day is set',
      '  by sessions: this session $0.0404',
      '  by models: claude-sonnet-5-5 $0.0404',
      '  by agents: main $0.0404',
      '  by uses: answers $0.0404',
      'Last thirty days: $0.0404',
    ]);
    await open.reopen();
  }
  expect(open.api.requests).toHaveLength(1);
});
