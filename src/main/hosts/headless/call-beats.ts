import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import type { Clock } from '../../engine/ports';
import type { Json } from './api-shape';
import { errorName } from './system-lines';

/** The pause between two signs of life of a call, as programs of the ecosystem know it. Milliseconds. */
const BEAT_MS = 30_000;
/** Calls that signs are given of at a time; of more, none are. */
const MAX_CALLS = 100;

/** Gives signs of life of calls that run for long, so that a program can tell a slow one from a dead run. */
export interface CallBeats {
  /** Hears of everything that happens; `agentId`: the agent it happens to. */
  see(event: AgentEvent, agentId?: string): void;
  /** Ends all signs. */
  stop(): void;
}

/** A call that runs. */
interface RunningCall {
  readonly tool: string;
  readonly began: number;
  readonly over: AbortController;
  task?: string;
  agentType?: string;
  /** The wait of its sub-agent for the API. */
  retry?: Json | undefined;
  beats: number;
}

/** Creates them. `send` takes the fields of a line; it never rejects. */
export function createCallBeats(clock: Clock, send: (fields: Json) => Promise<void>): CallBeats {
  const running = new Map<string, RunningCall>();
  const end = (callId: string): void => {
    running.get(callId)?.over.abort();
    running.delete(callId);
  };
  const beat = async (callId: string, call: RunningCall): Promise<void> => {
    for (;;) {
      await clock.sleep(BEAT_MS, call.over.signal);
      if (call.over.signal.aborted) return;
      await sign(callId, call);
    }
  };
  const sign = (callId: string, call: RunningCall): Promise<void> => {
    const line = beatLine(callId, call, clock.now());
    call.beats += 1;
    return send(line);
  };
  /** The calls that started the sub-agents which work. */
  const callOf = new Map<string, string>();
  const retries = (event: AgentEvent, agentId: string): void => {
    const callId = callOf.get(agentId) ?? '';
    const call = running.get(callId);
    if (call === undefined) return;
    if (event.type !== 'retry_waiting') call.retry = undefined;
    else {
      call.retry = retryOf(event, agentId);
      // Sending never rejects.
      void sign(callId, call);
    }
  };
  return {
    see: (event, agentId = MAIN_AGENT) => {
      if (RETRIES.has(event.type)) retries(event, agentId);
      else if (event.type === 'call_settled') end(event.callId);
      else if (event.type === 'call_changed') {
        const { callId, tool, status, startedAt } = event;
        if (status !== 'running') end(callId);
        else if (startedAt !== undefined && !running.has(callId) && running.size < MAX_CALLS) {
          const call = { tool, began: clock.now(), over: new AbortController(), beats: 0 };
          running.set(callId, call);
          // Neither a sleep nor a line rejects, and `end` ends it.
          void beat(callId, call);
        }
      } else if (event.type === 'task_started') {
        const call = running.get(event.task.callId ?? '');
        if (call !== undefined) call.task = event.task.id;
      } else if (event.type === 'agent_started') {
        const call = running.get(event.agent.callId);
        if (call === undefined) return;
        call.agentType = event.agent.type;
        callOf.set(event.agent.id, event.agent.callId);
      } else if (event.type === 'agent_settled') callOf.delete(event.agentId);
    },
    stop: () => {
      for (const callId of [...running.keys()]) end(callId);
    },
  };
}

/** Returns a sign of life. It has an id of its own, and names the call as its parent: so programs know it. */
const beatLine = (
  callId: string,
  { tool, began, task, agentType, retry, beats }: RunningCall,
  now: number,
): Json => ({
  type: 'tool_progress',
  tool_use_id: `${callId}-heartbeat-${beats}`,
  tool_name: tool,
  parent_tool_use_id: callId,
  elapsed_time_seconds: Math.round((now - began) / 1_000),
  heartbeat: true,
  ...(task === undefined ? {} : { task_id: task }),
  ...(agentType === undefined ? {} : { subagent_type: agentType }),
  ...(retry === undefined ? {} : { subagent_retry: retry }),
});

/** The events by which an agent's wait for the API begins and ends. */
const RETRIES: ReadonlySet<AgentEvent['type']> = new Set([
  'message_started',
  'retried',
  'retry_ended',
  'retry_waiting',
]);

/** Returns the wait of a sub-agent as programs know it. */
const retryOf = (
  { attempt, maxAttempts, delayMs, status, error }: Extract<AgentEvent, { type: 'retry_waiting' }>,
  agentId: string,
): Json => ({
  agent_id: agentId,
  // The first try is no retry.
  ...{ attempt: attempt - 1, max_retries: maxAttempts - 1, retry_delay_ms: delayMs },
  ...{ error_status: status ?? null, error_category: errorName(error) },
});
