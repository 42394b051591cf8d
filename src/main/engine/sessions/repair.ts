import type { DurableEvent } from '../../../shared/agent-event';
import { NO_USAGE, type Spends } from '../../../shared/facts';
import type { DeferredCall } from '../../../shared/tool-call';
import { historyOf, openCalls } from '../messages/history';

/** What a call is told whose process died under it. */
const LOST_CALL =
  'Lathe stopped while this ran, so its result is unknown. It may have taken effect; check before repeating it.';

/**
 * The events that close what a crash left open: a result for every call without one, an end for a query
 * without one, an end for a sub-agent without one. `spentBy`: what such sub-agents spent, as their own logs tell.
 * Empty for a log that ended well. Pure.
 */
export function repairEvents(
  events: readonly DurableEvent[],
  spentBy: ReadonlyMap<string, Spends> = new Map(),
): readonly DurableEvent[] {
  const putOff = deferredIn(events);
  const lost = openCalls(historyOf(events).messages()).filter((call) => call.id !== putOff?.id);
  const repairs: DurableEvent[] = lost.map((call) => ({
    type: 'call_settled',
    callId: call.id,
    tool: call.name,
    title: { verb: call.name, target: '' },
    status: 'cancelled',
    content: [{ type: 'text', text: `<tool_use_error>${LOST_CALL}</tool_use_error>` }],
    isError: true,
    view: null,
    durationMs: 0,
  }));
  for (const agentId of openAgents(events)) {
    const spend = { ...spentBy.get(agentId) };
    repairs.push({ type: 'agent_settled', agentId, status: 'cancelled', spend });
  }
  const queryId = openQuery(events);
  if (queryId !== null) {
    repairs.push({
      type: 'query_finished',
      queryId,
      terminal: 'aborted_streaming',
      text: 'Lathe stopped while this was running. What was finished is kept; ask to go on.',
      turns: 0,
      usage: NO_USAGE,
      costUsd: 0,
      durationMs: 0,
      apiMs: 0,
      denials: [],
      stopReason: null,
    });
  }
  return repairs;
}

/** The call that a hook put off in the last query; null when it did not. Pure. */
export function deferredIn(events: readonly DurableEvent[]): DeferredCall | null {
  const last = events.findLast(
    ({ type }) => type === 'query_finished' || type === 'query_started' || type === 'user_message',
  );
  return last?.type === 'query_finished' ? (last.deferred ?? null) : null;
}

/** Returns the ids of the sub-agents that were started and did not end, in the order they were started. */
export function openAgents(events: readonly DurableEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'agent_started') open.add(event.agent.id);
    if (event.type === 'agent_settled') open.delete(event.agentId);
  }
  return [...open];
}

function openQuery(events: readonly DurableEvent[]): string | null {
  let open: string | null = null;
  for (const event of events) {
    if (event.type === 'query_started') open = event.queryId;
    if (event.type === 'query_finished') open = null;
  }
  return open;
}
