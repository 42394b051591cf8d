import { afterEach, expect } from 'vitest';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Script, ScriptedApi } from '../../support/scripted-api';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

/** Opens sessions for one test file; each is closed after its test, which no refused history may survive. */
export function sessionsOfFile() {
  let open: TestSession | null = null;
  afterEach(async () => {
    expect(open?.api.refusals ?? []).toEqual([]);
    await open?.close();
    open = null;
  });
  return async (script: Script, options: TestSessionOptions = {}): Promise<TestSession> => {
    open = await openTestSession(script, {
      tools: [createReadTool(), createEditTool()],
      ...options,
    });
    return open;
  };
}

/** The end of a query. */
export function endOf(events: readonly AgentEvent[]) {
  const last = events.at(-1);
  if (last?.type !== 'query_finished') throw new Error('The query has no end.');
  return last;
}

/** Events of one type. */
export const ofType = <T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T) =>
  events.filter((e): e is Extract<AgentEvent, { type: T }> => e.type === type);

/** Returns why the loop went round, in order. */
export const reasonsOf = (events: readonly AgentEvent[]) =>
  ofType(events, 'continued').map((e) => e.reason);

/** The messages of a request as text. */
export const saidIn = (api: ScriptedApi, number: number): string =>
  JSON.stringify(api.requests.at(number)?.body.messages ?? null);

/** Returns what each request asked for at most. */
export const maxTokensOf = (api: ScriptedApi): readonly number[] =>
  api.requests.map((request) => request.body.max_tokens);
