import { expect, it } from 'vitest';
import { createEventLog } from '../../../src/main/engine/event-log';
import { watchForUser } from '../../../src/main/engine/session/user-notifier';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Approval } from '../../../src/shared/permission';
import { memoryClock } from '../../support/memory-clock';

const started: AgentEvent = { type: 'query_started', queryId: 'q' };
const finished: AgentEvent = {
  ...{ type: 'query_finished', queryId: 'q', terminal: 'completed', text: '', turns: 1 },
  ...{ costUsd: 0, durationMs: 1, apiMs: 1, stopReason: null, denials: [] },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

it.each<[string, readonly (readonly [AgentEvent, string])[], readonly string[]]>([
  ['after the main agent has ended', [[finished, 'main']], ['idle_prompt']],
  [
    'not after a sub-agent has ended, while the main agent works',
    [
      [started, 'main'],
      [finished, 'agt_1'],
    ],
    [],
  ],
  [
    'also when a sub-agent began later',
    [
      [finished, 'main'],
      [started, 'agt_1'],
    ],
    ['idle_prompt'],
  ],
])('hooks are told that Lathe waits %s', async (_, events, told) => {
  const clock = memoryClock();
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock });
  const heard: string[] = [];
  const hooks = { has: () => true, notify: (kind: string) => void heard.push(kind) };
  const stop = watchForUser({ log, clock, hooks });
  for (const [event, agentId] of events) log.append(event, agentId);
  await clock.advance(60_000);
  expect(heard).toEqual(told);
  stop();
});

it.each<[Approval['subject'], string, string]>([
  [{ kind: 'tool', name: 'Edit', input: '' }, 'permission_prompt', 'permission to use Edit'],
  [{ kind: 'question', questions: [] }, 'permission_prompt', 'a question for you'],
  [
    { kind: 'form', server: 'geese', message: '', fields: [] },
    'elicitation_dialog',
    'server geese asks',
  ],
  [
    { kind: 'visit', server: 'geese', message: '', url: 'https://geese.example' },
    'elicitation_dialog',
    'server geese asks',
  ],
])('hooks are told of a question that stands: %j is %s', async (subject, type, words) => {
  const clock = memoryClock();
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock });
  const heard: string[][] = [];
  const hooks = { has: () => true, notify: (...said: string[]) => void heard.push(said) };
  const stop = watchForUser({ log, clock, hooks });
  const approval: Approval = {
    ...{ id: 'apr_1', callId: 'c', tool: 'Edit', title: '', digest: '', subject },
    decision: { behavior: 'ask', reason: '', why: [], suggestions: [] },
  };
  log.append({ type: 'approval_requested', approval });
  await clock.advance(5_999);
  expect(heard).toEqual([]);
  await clock.advance(1);
  expect(heard).toEqual([[type, expect.stringContaining(words), 'Lathe needs you']]);
  stop();
});
