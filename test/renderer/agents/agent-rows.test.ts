import { expect, it } from 'vitest';
import { agentRows } from '../../../src/renderer/agents/agent-rows';
import { NO_COSTS } from '../../../src/shared/facts';
import {
  EMPTY_AGENT,
  emptyTranscript,
  type SubAgent,
  type Transcript,
} from '../../../src/shared/transcript';

const agent = (id: string, more: Partial<SubAgent> = {}): SubAgent => ({
  ...{ id, parentId: 'main', callId: `call-${id}`, type: 'Explore', title: id },
  ...{ status: 'running', startedAt: 0, transcript: null },
  ...more,
});

const spend = (costUsd: number) => ({ model: { ...NO_COSTS.total, costUsd } });

const session = (more: Partial<Transcript>): Transcript => ({
  ...emptyTranscript('s', 'e'),
  ...more,
});

it('lists agents below the one that started them, with what all below them cost', () => {
  const rows = agentRows(
    session({
      agents: [agent('a'), agent('b', { status: 'failed' }), agent('c', { parentId: 'a' })],
      costs: {
        total: { ...NO_COSTS.total, costUsd: 10 },
        byModel: {},
        byAgent: { main: spend(3), a: spend(1), b: spend(2), c: spend(4) },
        byTool: {},
      },
    }),
  );
  expect(rows.map(({ agent: one, depth, costUsd }) => [one?.id ?? 'main', depth, costUsd])).toEqual(
    [
      ['main', 0, 10],
      ['a', 1, 5],
      ['c', 2, 4],
      ['b', 1, 2],
    ],
  );
  expect(rows.map(({ state }) => state)).toEqual(['done', 'running', 'running', 'failed']);
});

it('says what an agent did or said last, and which one waits for an answer', () => {
  const call = { kind: 'call', id: 'x', tool: 'Read', title: { verb: 'Read', target: 'a.ts' } };
  const said = { kind: 'text', id: 't', text: 'One.\nThe **last** `line`.\n' };
  const own = (items: readonly object[]) =>
    agent('a', { transcript: { ...EMPTY_AGENT, active: items as Transcript['active'] } });
  const lastOf = (items: readonly object[]) => agentRows(session({ agents: [own(items)] }))[1];
  expect(lastOf([said, call])?.lastLine).toBe('Read a.ts');
  expect(lastOf([call, said])?.lastLine).toBe('The last line.');
  const approvals = [{ agentId: 'a' }] as unknown as Transcript['approvals'];
  expect(agentRows(session({ agents: [own([call])], approvals }))[1]?.state).toBe('waits');
});

it('leaves out the oldest of very many that ended, and none that runs', () => {
  const ended = Array.from({ length: 150 }, (_, n) => agent(`e${n}`, { status: 'completed' }));
  const rows = agentRows(session({ agents: [agent('old'), ...ended] }));
  expect(rows).toHaveLength(102);
  expect(rows[1]?.agent?.id).toBe('old');
  expect(rows.at(-1)?.agent?.id).toBe('e149');
});

it('says which can be stopped by itself', () => {
  const rows = agentRows(
    session({
      agents: [
        agent('called'),
        agent('of a hook', { callId: '' }),
        agent('observer', { callId: '', background: true }),
        agent('ended', { status: 'completed' }),
      ],
    }),
  );
  expect(rows.map(({ agent: one, mayStop }) => [one?.id ?? 'main', mayStop])).toEqual([
    ...[
      ['main', false],
      ['called', true],
      ['of a hook', false],
    ],
    ...[
      ['observer', true],
      ['ended', false],
    ],
  ]);
});
