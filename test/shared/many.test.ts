import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/shared/agent-event';
import { foldFrom } from '../../src/shared/apply-event';
import { NO_USAGE } from '../../src/shared/facts';
import { emptyTranscript, MAX_PINS, type Transcript } from '../../src/shared/transcript';

/** Methods that go through a list, and so cost as much as it is long. */
const WALKS = ['map', 'filter', 'find', 'findLast', 'findIndex', 'findLastIndex', 'some'] as const;

/** Runs `act` and counts the elements of all lists that methods were asked to walk over. */
function countingElements(act: () => void): number {
  let count = 0;
  const plain = WALKS.map((name) => [name, Array.prototype[name]] as const);
  const put = (name: string, value: unknown) =>
    Object.defineProperty(Array.prototype, name, { value, configurable: true, writable: true });
  for (const [name, walk] of plain)
    put(name, function (this: unknown[], ...args: unknown[]) {
      count += this.length;
      return Reflect.apply(walk, this, args);
    });
  try {
    act();
  } finally {
    for (const [name, walk] of plain) put(name, walk);
  }
  return count;
}

const fold = (events: readonly AgentEvent[]): Transcript => {
  const many = foldFrom(emptyTranscript('s', 'e'));
  let seq = 0;
  for (const event of events) {
    seq += 1;
    many.apply({ sessionId: 's', agentId: 'main', epoch: 'e', seq, at: seq, event });
  }
  return many.transcript();
};

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

const agent = (at: number) => ({
  id: `agt_${at}`,
  parentId: 'main',
  callId: `c${at}`,
  type: 'general-purpose',
  title: `agent ${at}`,
  depth: 1,
  background: false,
});
const spend = { opus: { usage: NO_USAGE, costUsd: 0.01, requests: 1 } };
const task = (at: number, status: 'running' | 'completed') => ({
  id: `t${at}`,
  type: 'local_bash' as const,
  status,
  title: 'sleep',
  isBackgrounded: true,
  startedAt: at,
});

/** What a long session may have many of, as the events that tell of `count` of it. */
const MANY: readonly (readonly [string, (count: number) => AgentEvent[]])[] = [
  [
    'sub-agents',
    (count) =>
      numbers(count).flatMap((at): AgentEvent[] => [
        { type: 'agent_started', agent: agent(at) } as never,
        { type: 'agent_settled', agentId: `agt_${at}`, status: 'completed', spend } as never,
      ]),
  ],
  [
    'tasks',
    (count) =>
      numbers(count).flatMap((at): AgentEvent[] => [
        { type: 'task_started', task: task(at, 'running') } as never,
        { type: 'task_settled', task: task(at, 'completed') } as never,
      ]),
  ],
  [
    'pins',
    (count) =>
      numbers(count).map((at) => ({ type: 'message_pinned', messageId: `m${at}`, pinned: true })),
  ],
  [
    'questions',
    (count) =>
      numbers(count).flatMap((at): AgentEvent[] => [
        { type: 'approval_requested', approval: { id: `a${at}` } } as never,
        { type: 'approval_answered', approvalId: `a${at - 5}` } as never,
      ]),
  ],
];

test.each(MANY)('folding %s costs as much as there are, not their square', (_, events) => {
  const work = (count: number) => {
    const told = events(count);
    return countingElements(() => fold(told));
  };
  const few = work(500);
  // The square would be sixteen times as much.
  expect(work(2_000)).toBeLessThan(6 * Math.max(few, 500));
});

test('all of them are there afterwards, in their order', () => {
  const t = fold(MANY.flatMap(([, events]) => events(120)));
  expect(t.agents.map(({ id }) => id)).toEqual(numbers(120).map((at) => `agt_${at}`));
  expect(t.agents.every(({ status }) => status === 'completed')).toBe(true);
  expect(t.agents.filter(({ transcript }) => transcript !== null)).toHaveLength(21);
  expect(t.tasks.map(({ id, status }) => `${id} ${status}`).at(-1)).toBe('t119 completed');
  expect(t.tasks).toHaveLength(120);
  expect(t.costs.total.requests).toBe(120);
  expect(Object.keys(t.costs.byAgent)).toHaveLength(120);
  expect(t.pins).toEqual(
    numbers(120)
      .slice(-MAX_PINS)
      .map((at) => `m${at}`),
  );
  expect(t.approvals.map(({ id }) => id)).toEqual(
    numbers(120)
      .slice(-5)
      .map((at) => `a${at}`),
  );
});

test('what was given out does not change with later events', () => {
  const many = foldFrom(emptyTranscript('s', 'e'));
  const apply = (seq: number, event: AgentEvent) =>
    many.apply({ sessionId: 's', agentId: 'main', epoch: 'e', seq, at: seq, event });
  apply(1, { type: 'task_started', task: task(1, 'running') } as never);
  apply(2, { type: 'agent_started', agent: agent(1) } as never);
  const before = many.transcript();
  apply(3, { type: 'task_settled', task: task(1, 'completed') } as never);
  apply(4, { type: 'agent_settled', agentId: 'agt_1', status: 'failed', spend } as never);
  expect([before.tasks[0]?.status, before.agents[0]?.status]).toEqual(['running', 'running']);
  expect(before.costs.total.requests).toBe(0);
  const { tasks, agents, costs } = many.transcript();
  expect([tasks[0]?.status, agents[0]?.status]).toEqual(['completed', 'failed']);
  expect(costs.total.requests).toBe(1);
});
