import type { AgentEvent } from '../../../shared/agent-event';
import type { Clock } from '../../engine/ports';
import type { Json } from './api-shape';

/** The pause between two signs of life of a call, as programs of the ecosystem know it. Milliseconds. */
const BEAT_MS = 30_000;
/** Calls that signs are given of at a time; of more, none are. */
const MAX_CALLS = 100;

/** Gives signs of life of calls that run for long, so that a program can tell a slow one from a dead run. */
export interface CallBeats {
  /** Hears of everything that happens. */
  see(event: AgentEvent): void;
  /** Ends all signs. */
  stop(): void;
}

/** A call that runs. */
interface RunningCall {
  readonly tool: string;
  readonly startedAt: number;
  readonly over: AbortController;
  task?: string;
  agentType?: string;
}

/** Creates them. `send` takes the fields of a line; it never rejects. */
export function createCallBeats(clock: Clock, send: (fields: Json) => Promise<void>): CallBeats {
  const running = new Map<string, RunningCall>();
  const end = (callId: string): void => {
    running.get(callId)?.over.abort();
    running.delete(callId);
  };
  const beat = async (callId: string, call: RunningCall): Promise<void> => {
    for (let count = 0; ; count += 1) {
      await clock.sleep(BEAT_MS, call.over.signal);
      if (call.over.signal.aborted) return;
      await send(beatLine(callId, count, call, clock.now()));
    }
  };
  return {
    see: (event) => {
      if (event.type === 'call_settled') end(event.callId);
      else if (event.type === 'call_changed') {
        const { callId, tool, status, startedAt } = event;
        if (status !== 'running') end(callId);
        else if (startedAt !== undefined && !running.has(callId) && running.size < MAX_CALLS) {
          const call = { tool, startedAt, over: new AbortController() };
          running.set(callId, call);
          // Neither a sleep nor a line rejects, and `end` ends it.
          void beat(callId, call);
        }
      } else if (event.type === 'task_started') {
        const call = running.get(event.task.callId ?? '');
        if (call !== undefined) call.task = event.task.id;
      } else if (event.type === 'agent_started') {
        const call = running.get(event.agent.callId);
        if (call !== undefined) call.agentType = event.agent.type;
      }
    },
    stop: () => {
      for (const callId of [...running.keys()]) end(callId);
    },
  };
}

/** Returns a sign of life. It has an id of its own, and names the call as its parent: so programs know it. */
const beatLine = (
  callId: string,
  count: number,
  { tool, startedAt, task, agentType }: RunningCall,
  now: number,
): Json => ({
  type: 'tool_progress',
  tool_use_id: `${callId}-heartbeat-${count}`,
  tool_name: tool,
  parent_tool_use_id: callId,
  elapsed_time_seconds: Math.round((now - startedAt) / 1_000),
  heartbeat: true,
  ...(task === undefined ? {} : { task_id: task }),
  ...(agentType === undefined ? {} : { subagent_type: agentType }),
});
