import type { DurableEvent } from '../../../shared/agent-event';
import { NO_USAGE, type Spends, totalSpend } from '../../../shared/facts';
import type { Usage } from '../../../shared/message';
import type { Fault } from '../../../shared/result';
import type { EndReason } from '../../../shared/turn';
import { sizesOf } from '../../app/headless-session';
import { apiUsage, type Json } from './api-shape';

type QueryFinished = Extract<DurableEvent, { type: 'query_finished' }>;

/** Tells whether the model ended an answer without the shape that was asked for. A command has none to give. */
export const owesStructure = (
  { terminal, turns }: Pick<QueryFinished, 'terminal' | 'turns'>,
  structured: unknown,
): boolean => structured === null && terminal === 'completed' && turns > 0;

/** Returns the result's `subtype` for the way a query ended. */
function resultSubtype(event: QueryFinished, structured: unknown): string {
  const { terminal, failure } = event;
  if (owesStructure(event, structured)) return 'error_max_structured_output_retries';
  // Programs of the ecosystem know a failure of the API as an answer that is an error.
  if (succeeded(terminal) || failure !== undefined) return 'success';
  if (terminal === 'max_turns') return 'error_max_turns';
  if (terminal === 'max_budget') return 'error_max_budget_usd';
  return 'error_during_execution';
}

/**
 * Tells whether a query did what it was asked, as far as it could: one that a hook deferred goes on when it is
 * resumed.
 */
const succeeded = (terminal: EndReason): boolean =>
  terminal === 'completed' || terminal === 'tool_deferred';

/** Tells whether a query failed: one that a user or a program stopped did not, one that was cut or that a hook stopped did. */
export const failed = ({ terminal, cut }: Pick<QueryFinished, 'terminal' | 'cut'>): boolean =>
  cut === true || (!succeeded(terminal) && !STOPPED.has(terminal));

const STOPPED: ReadonlySet<EndReason> = new Set<EndReason>(['aborted_streaming', 'aborted_tools']);

/**
 * Returns the `result` line of a finished query. Usage and cost are those of the whole run so far; `warnings` are what the
 * user should know besides, such as a log that could not be written. `structured`: the answer in the shape that was
 * asked for; null where the model owes it.
 */
export const resultLine = (
  event: QueryFinished,
  {
    spent,
    warnings,
    structured,
    ttftMs,
  }: {
    readonly spent: Spends;
    readonly warnings: readonly string[];
    readonly structured: unknown;
    /** Time to the first token. Milliseconds. */
    readonly ttftMs?: number | undefined;
  },
): Json => ({
  type: 'result',
  subtype: resultSubtype(event, structured),
  is_error: failed(event) || owesStructure(event, structured),
  duration_ms: event.durationMs,
  duration_api_ms: event.apiMs,
  ...(ttftMs === undefined ? {} : { ttft_ms: Math.round(ttftMs) }),
  num_turns: event.turns,
  result: event.text,
  stop_reason: event.stopReason,
  terminal_reason: TERMINAL_NAMES[event.terminal] ?? event.terminal,
  total_cost_usd: totalSpend(spent).costUsd,
  usage: resultUsage(totalSpend(spent).usage),
  modelUsage: modelUsage(spent),
  permission_denials: event.denials.map((denial) => ({
    tool_name: denial.tool,
    tool_use_id: denial.toolUseId,
    tool_input: denial.input,
  })),
  ...(structured == null ? {} : { structured_output: structured }),
  ...(event.deferred === undefined ? {} : { deferred_tool_use: event.deferred }),
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(event.failure === undefined ? {} : { api_error_status: event.failure.status ?? null }),
  ...(resultSubtype(event, structured) === 'success'
    ? {}
    : { errors: [owesStructure(event, structured) ? NO_STRUCTURE : event.text] }),
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
  usage: resultUsage(NO_USAGE),
  modelUsage: {},
  permission_denials: [],
  errors: [faultText(problem)],
});

/** Returns a fault in one or two sentences. */
export const faultText = (problem: Fault): string =>
  problem.fix === undefined ? problem.message : `${problem.message} ${problem.fix}`;

/** The warnings that no result has listed yet. */
export interface Warnings {
  add(text: string): void;
  /** Returns them, and begins anew; of very many the first, and how many more there are. */
  take(): readonly string[];
}

/** More warnings are only counted. */
const MAX_WARNINGS = 50;

/** Begins a list of warnings. */
export function createWarnings(): Warnings {
  let texts: string[] = [];
  let more = 0;
  return {
    add: (text) => {
      if (texts.length < MAX_WARNINGS) texts.push(text);
      else more += 1;
    },
    take: () => {
      const taken = more === 0 ? texts : [...texts, `There are ${more} more warnings.`];
      texts = [];
      more = 0;
      return taken;
    },
  };
}

const NO_STRUCTURE =
  'The model ended without its answer in the shape that was asked for, however often it was reminded.';

/** The ends that programs know under other names. */
const TERMINAL_NAMES: Partial<Readonly<Record<EndReason, string>>> = {
  max_budget: 'budget_exhausted',
  repeated_calls: 'malformed_tool_use_exhausted',
};

/** Returns token counts with the fields that programs count on in a result. */
const resultUsage = (usage: Usage): Json => ({
  ...apiUsage(usage),
  cache_creation: {
    ephemeral_1h_input_tokens: 0,
    ephemeral_5m_input_tokens: usage.cacheWriteTokens,
  },
  server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
  service_tier: 'standard',
  inference_geo: 'not_available',
  iterations: [],
  output_tokens_details: { thinking_tokens: 0 },
  speed: 'standard',
  fallback_credit: null,
});

/** Returns `modelUsage` of a result, with the field names of Claude Code. */
export const modelUsage = (spent: Spends): Json =>
  Object.fromEntries(
    Object.entries(spent).map(([model, { usage, costUsd }]) => [
      model,
      {
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadInputTokens: usage.cacheReadTokens,
        cacheCreationInputTokens: usage.cacheWriteTokens,
        webSearchRequests: 0,
        costUSD: costUsd,
        contextWindow: sizesOf(model).contextTokens,
        maxOutputTokens: sizesOf(model).maxOutputTokens,
      },
    ]),
  );
