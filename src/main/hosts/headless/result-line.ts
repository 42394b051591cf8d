import type { DurableEvent } from '../../../shared/agent-event';
import { NO_USAGE, type Spends, totalSpend } from '../../../shared/facts';
import type { Fault } from '../../../shared/result';
import type { Terminal } from '../../../shared/turn';
import { apiUsage, type Json } from './api-shape';

type QueryFinished = Extract<DurableEvent, { type: 'query_finished' }>;

/** Returns the result's `subtype` for the way a query ended. */
function resultSubtype(terminal: Terminal): string {
  if (succeeded(terminal)) return 'success';
  if (terminal === 'max_turns') return 'error_max_turns';
  if (terminal === 'max_budget') return 'error_max_budget_usd';
  return 'error_during_execution';
}

/**
 * Tells whether a query did what it was asked, as far as it could: one that a hook deferred goes on when it is
 * resumed.
 */
export const succeeded = (terminal: Terminal): boolean =>
  terminal === 'completed' || terminal === 'tool_deferred';

/**
 * Returns the `result` line of a finished query. Usage and cost are those of the whole run so far; `warnings` are what the
 * user should know besides, such as a log that could not be written.
 */
export const resultLine = (
  event: QueryFinished,
  spent: Spends,
  warnings: readonly string[],
): Json => ({
  type: 'result',
  subtype: resultSubtype(event.terminal),
  is_error: !succeeded(event.terminal),
  duration_ms: event.durationMs,
  duration_api_ms: event.apiMs,
  num_turns: event.turns,
  result: event.text,
  stop_reason: event.stopReason,
  terminal_reason: event.terminal,
  total_cost_usd: totalSpend(spent).costUsd,
  usage: apiUsage(totalSpend(spent).usage),
  modelUsage: modelUsage(spent),
  permission_denials: event.denials.map((denial) => ({
    tool_name: denial.tool,
    tool_use_id: denial.toolUseId,
    tool_input: denial.input,
  })),
  ...(event.deferred === undefined ? {} : { deferred_tool_use: event.deferred }),
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(succeeded(event.terminal) ? {} : { errors: [event.text] }),
});

/**
 * Returns the `result` line when there was no query to finish: the session could not be opened, or the input is no
 * prompt.
 */
export const faultLine = (problem: Fault): Json => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  duration_ms: 0,
  duration_api_ms: 0,
  num_turns: 0,
  result: faultText(problem),
  stop_reason: null,
  total_cost_usd: 0,
  usage: apiUsage(NO_USAGE),
  modelUsage: {},
  permission_denials: [],
  errors: [faultText(problem)],
});

/** Returns a fault in one or two sentences. */
export const faultText = (problem: Fault): string =>
  problem.fix === undefined ? problem.message : `${problem.message} ${problem.fix}`;

/** Returns `modelUsage` of a result, with the field names of Claude Code. */
const modelUsage = (spent: Spends): Json =>
  Object.fromEntries(
    Object.entries(spent).map(([model, { usage, costUsd }]) => [
      model,
      {
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadInputTokens: usage.cacheReadTokens,
        cacheCreationInputTokens: usage.cacheWriteTokens,
        costUSD: costUsd,
      },
    ]),
  );
