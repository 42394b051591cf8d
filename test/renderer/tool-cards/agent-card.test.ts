import { expect, it } from 'vitest';
import { agentCounts, pauseText } from '../../../src/renderer/tool-cards/AgentCard';
import { EMPTY_AGENT } from '../../../src/shared/transcript';

const NOW = 1_000_000;
const running = { queryId: 'q', startedAt: NOW, turn: 1 };
const waiting = { reason: 'The API is overloaded (529)', attempt: 2, maxAttempts: 10 };
const compacting = { trigger: 'auto' as const, startedAt: NOW, tokensBefore: 900 };

it.each<[string, Parameters<typeof pauseText>[0], string | null]>([
  [
    'counts down to the next try',
    { running, waiting: { ...waiting, until: NOW + 4_200 }, compacting: null },
    'The API is overloaded (529). Trying again in 5 s (try 2 of 10)',
  ],
  [
    'tells of the try itself',
    { running, waiting: { ...waiting, until: NOW }, compacting: null },
    'The API is overloaded (529). Trying again (try 2 of 10)',
  ],
  ['tells of a summary', { running, waiting: null, compacting }, 'Summarising its conversation…'],
  ['says nothing of one at work', { running, waiting: null, compacting: null }, null],
  [
    'says nothing of one that has ended',
    { running: null, waiting: { ...waiting, until: NOW + 1 }, compacting },
    null,
  ],
])('the line of a sub-agent %s', (_, transcript, line) =>
  expect(pauseText(transcript, NOW)).toBe(line),
);

it('counts what a sub-agent did since its call went on without it', () => {
  const call = {
    kind: 'call',
    id: 'c',
    tool: 'Read',
    title: { verb: 'Read', target: 'a' },
  } as const;
  const transcript = {
    ...EMPTY_AGENT,
    committed: [{ ...call, status: 'done', view: null } as const],
  };
  const view = { calls: 0, costUsd: 0 };
  expect(agentCounts({ ...view, taskId: 'a1' }, transcript).calls).toBe(1);
  expect(agentCounts(view, transcript).calls).toBe(0);
  expect(agentCounts({ ...view, taskId: 'a1' }, null).calls).toBe(0);
});
