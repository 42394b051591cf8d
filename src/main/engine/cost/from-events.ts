import type { AgentEvent } from '../../../shared/agent-event';
import { type CostLedger, type CostRecord, createCostLedger } from './ledger';

/**
 * What an event adds to the costs: a finished answer, or a request beside the conversation (summaries, titles,
 * sub-agents, answers that broke off or were stopped). The end of a query only repeats sums and adds nothing.
 */
export function costRecordOf(event: AgentEvent, queryId?: string): CostRecord | null {
  if (event.type !== 'message_finished' && event.type !== 'side_call') return null;
  const { model, usage, costUsd } = event;
  return {
    model,
    usage,
    costUsd,
    ...(event.type === 'side_call' ? { apiMs: event.durationMs } : {}),
    ...(queryId === undefined ? {} : { queryId }),
  };
}

/** The costs of a session by its recorded events, each told once. */
export function ledgerOf(events: Iterable<AgentEvent>): CostLedger {
  const ledger = createCostLedger();
  let queryId: string | undefined;
  for (const event of events) {
    if (event.type === 'query_started') queryId = event.queryId;
    const record = costRecordOf(event, queryId);
    if (record !== null) ledger.record(record);
    if (event.type === 'query_finished') queryId = undefined;
  }
  return ledger;
}
