import { expect, it } from 'vitest';
import { createCallBeats } from '../../../src/main/hosts/headless/call-beats';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { CallStatus } from '../../../src/shared/tool-call';
import { memoryClock } from '../../support/memory-clock';

const changed = (callId: string, status: CallStatus, startedAt?: number): AgentEvent => ({
  ...{ type: 'call_changed', callId, tool: 'Bash', title: { verb: 'Bash', target: 'ls' }, status },
  ...{ view: null, ...(startedAt === undefined ? {} : { startedAt }) },
});
const settled = (callId: string): AgentEvent =>
  ({ type: 'call_settled', callId, tool: 'Bash' }) as AgentEvent;

/** Signs of life under a clock that the test moves. */
function beats() {
  const clock = memoryClock();
  const lines: object[] = [];
  const made = createCallBeats(clock, async (line) => void lines.push(line));
  return { clock, lines, ...made };
}

it('a call that runs gives a sign of life every 30 s, under an id of its own, and none after its end', async () => {
  const { clock, lines, see } = beats();
  see(changed('c1', 'running', clock.now()));
  see({ type: 'task_started', task: { id: 'b1', callId: 'c1' } } as AgentEvent);
  await clock.advance(29_999);
  expect(lines).toEqual([]);
  await clock.advance(1);
  await clock.advance(30_000);
  const line = { type: 'tool_progress', tool_name: 'Bash', parent_tool_use_id: 'c1' };
  expect(lines).toEqual([
    {
      ...line,
      tool_use_id: 'c1-heartbeat-0',
      elapsed_time_seconds: 30,
      heartbeat: true,
      task_id: 'b1',
    },
    {
      ...line,
      tool_use_id: 'c1-heartbeat-1',
      elapsed_time_seconds: 60,
      heartbeat: true,
      task_id: 'b1',
    },
  ]);
  see(settled('c1'));
  await clock.advance(60_000);
  expect(lines).toHaveLength(2);
  expect(clock.sleepers()).toBe(0);
});

it('a call that waits for an answer gives none, and one of a sub-agent says whose', async () => {
  const { clock, lines, see } = beats();
  see(changed('c1', 'approval'));
  see(changed('c2', 'running', clock.now()));
  see({ type: 'agent_started', agent: { id: 'a', callId: 'c2', type: 'Explore' } } as AgentEvent);
  await clock.advance(30_000);
  expect(lines).toMatchObject([{ parent_tool_use_id: 'c2', subagent_type: 'Explore' }]);
});

it('many calls at a time are bounded, and the end of the run ends all', async () => {
  const { clock, lines, see, stop } = beats();
  for (let at = 0; at < 500; at += 1) see(changed(`c${at}`, 'running', clock.now()));
  expect(clock.sleepers()).toBe(100);
  stop();
  expect(clock.sleepers()).toBe(0);
  await clock.advance(60_000);
  expect(lines).toEqual([]);
});

it('a wait of a sub-agent for the API is told with its call, until it is over', async () => {
  const { clock, lines, see } = beats();
  see(changed('c2', 'running', clock.now()));
  see({ type: 'agent_started', agent: { id: 'a', callId: 'c2', type: 'Explore' } } as AgentEvent);
  const waiting: AgentEvent = {
    ...{ type: 'retry_waiting', attempt: 2, maxAttempts: 10, delayMs: 40_000, reason: 'busy' },
    ...{ error: 'overloaded', status: 529 },
  };
  see(waiting);
  expect(lines).toEqual([]);
  see(waiting, 'a');
  const retry = {
    ...{ agent_id: 'a', attempt: 1, max_retries: 9, retry_delay_ms: 40_000 },
    ...{ error_status: 529, error_category: 'overloaded' },
  };
  expect(lines).toMatchObject([{ tool_use_id: 'c2-heartbeat-0', subagent_retry: retry }]);
  await clock.advance(30_000);
  expect(lines[1]).toMatchObject({ tool_use_id: 'c2-heartbeat-1', subagent_retry: retry });
  see({ type: 'message_started', messageId: 'm', model: 'opus' }, 'a');
  await clock.advance(30_000);
  expect(lines[2]).toMatchObject({ tool_use_id: 'c2-heartbeat-2', subagent_type: 'Explore' });
  expect(lines[2]).not.toHaveProperty('subagent_retry');
});
