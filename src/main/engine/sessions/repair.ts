import type { DurableEvent, SubAgentInfo } from '../../../shared/agent-event';
import { NO_USAGE, type Spends, totalSpend } from '../../../shared/facts';
import { type QueuedPrompt, queueAfter } from '../../../shared/queued-prompt';
import type { DeferredCall, ToolView } from '../../../shared/tool-call';
import { historyOf, openCalls } from '../messages/history';
import { type LogLine, transcriptOf } from './load';

/** The result of a call whose process died under it. */
const LOST_CALL =
  'Lathe stopped while this ran, so its result is unknown. It may have taken effect; check before repeating it.';

/** Progress of a sub-agent, as its own log tells. */
export interface AgentTotals {
  readonly spend: Spends;
  /** Calls that have their result. */
  readonly calls: number;
}

/** Calls without a result, in the order in which they were made. */
export type OpenCalls = readonly { readonly id: string; readonly name: string }[];

const openCallsIn = (events: readonly DurableEvent[]): OpenCalls =>
  openCalls(historyOf(events).messages());

/**
 * Returns the events that close what a crash left open: a result for every call without one, an end for a query
 * without one, an end for a sub-agent without one. `totals`: by id of sub-agent. `open`: the calls without
 * one, where they are known already. Empty for a log that ended well. Pure.
 */
export function repairEvents(
  lines: readonly LogLine[],
  totals: ReadonlyMap<string, AgentTotals> = new Map(),
  open: OpenCalls = openCallsIn(lines.map(({ event }) => event)),
): readonly DurableEvent[] {
  const events = lines.map(({ event }) => event);
  const deferred = deferredIn(events);
  const lost = open.filter((call) => call.id !== deferred?.id);
  const started = new Map(startedAgents(events).map((agent) => [agent.callId, agent]));
  const repairs: DurableEvent[] = lost.map((call) => {
    const agent = started.get(call.id);
    return {
      type: 'call_settled',
      callId: call.id,
      tool: call.name,
      title: agent ? { verb: agent.type, target: agent.title } : { verb: call.name, target: '' },
      status: 'cancelled',
      content: [{ type: 'text', text: `<tool_use_error>${LOST_CALL}</tool_use_error>` }],
      isError: true,
      view: agent ? viewOf(agent, totals.get(agent.id)) : null,
      durationMs: 0,
    };
  });
  for (const agentId of openAgents(events)) {
    const spend = { ...totals.get(agentId)?.spend };
    repairs.push({ type: 'agent_settled', agentId, status: 'cancelled', spend });
  }
  const end = endOfOpenQuery(lines, repairs);
  return end === null ? repairs : [...repairs, end];
}

/** Returns the card of a sub-agent that was cut: through it its conversation can be opened. */
const viewOf = ({ id, type, title }: SubAgentInfo, totals: AgentTotals | undefined): ToolView => ({
  ...{ kind: 'agent', agentId: id, type, title, lastLine: '' },
  calls: totals?.calls ?? 0,
  costUsd: totals ? totalSpend(totals.spend).costUsd : 0,
});

/** Returns the end of the query that was cut, with all that it had used; null when none was. */
function endOfOpenQuery(
  lines: readonly LogLine[],
  repairs: readonly DurableEvent[],
): DurableEvent | null {
  const from = lines.findLastIndex(
    ({ event: { type } }) => type === 'query_started' || type === 'query_finished',
  );
  const begin = lines[from];
  if (begin?.event.type !== 'query_started') return null;
  const own = lines.slice(from);
  const lastAt = own.at(-1)?.at ?? begin.at;
  const { query } = transcriptOf('', [...own, ...repairs.map((event) => ({ at: lastAt, event }))]);
  return {
    type: 'query_finished',
    queryId: begin.event.queryId,
    terminal: 'aborted_streaming',
    text: 'Lathe ended while this was running. What was finished is kept.',
    cut: true,
    turns: own.filter(({ event }) => event.type === 'message_finished').length,
    usage: query?.spend.usage ?? NO_USAGE,
    costUsd: query?.spend.costUsd ?? 0,
    durationMs: Math.max(0, lastAt - begin.at),
    apiMs: 0,
    denials: [],
    stopReason: null,
  };
}

/** Returns the call that a hook deferred in the last query; null when none did. Pure. */
export function deferredIn(events: readonly DurableEvent[]): DeferredCall | null {
  const last = events.findLast(
    ({ type }) =>
      type === 'query_finished' ||
      type === 'query_started' ||
      type === 'user_message' ||
      type === 'conversation_cleared' ||
      type === 'rewound',
  );
  return last?.type === 'query_finished' ? (last.deferred ?? null) : null;
}

/**
 * Returns the prompts that wait when Lathe starts again: those of the queue, and first those that were on their way to the
 * model and never got into the conversation. Pure.
 */
export function waitingPrompts(events: readonly DurableEvent[]): readonly QueuedPrompt[] {
  let queue: readonly QueuedPrompt[] = [];
  let onTheWay: readonly QueuedPrompt[] = [];
  const leave = (id: string) => {
    if (queue.some((prompt) => prompt.id === id)) queue = queue.filter((one) => one.id !== id);
    onTheWay = onTheWay.filter((prompt) => prompt.id !== id);
  };
  for (const event of events) {
    if (event.type === 'queue_changed') {
      const sent = queue.filter(({ id }) => event.sent?.includes(id));
      queue = queueAfter(queue, event);
      onTheWay = [...onTheWay, ...sent].filter(({ id }) => !event.order.includes(id));
    }
    if (event.type === 'user_message') leave(event.id);
    // What a query that came to its end did not take in was refused, or was a command.
    if (event.type === 'query_finished' && event.cut !== true) onTheWay = [];
  }
  return [...onTheWay, ...queue];
}

/** Returns the sub-agents that were started, in order; one that was taken up again as it was then. */
export function startedAgents(events: readonly DurableEvent[]): readonly SubAgentInfo[] {
  // Logs are long and agents few: an array for each event would cost more than all the rest.
  const found = new Map<string, SubAgentInfo>();
  for (const event of events)
    if (event.type === 'agent_started') found.set(event.agent.id, event.agent);
  return [...found.values()];
}

/** Returns the ids of the sub-agents that were started and did not end, or whose call has no result; in order. */
export function cutAgents(events: readonly DurableEvent[], calls: OpenCalls): readonly string[] {
  const open = new Set(openAgents(events));
  const lost = new Set(calls.map(({ id }) => id));
  return startedAgents(events).flatMap(({ id, callId }) =>
    open.has(id) || lost.has(callId) ? [id] : [],
  );
}

/** Returns the ids of the sub-agents that did not end. */
function openAgents(events: readonly DurableEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'agent_started') open.add(event.agent.id);
    if (event.type === 'agent_settled') open.delete(event.agentId);
  }
  return [...open];
}
