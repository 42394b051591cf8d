import type { QueryLimits, Stamped } from '../../../shared/agent-event';
import type { Message, ToolUseBlock, UserBlock } from '../../../shared/message';
import { typedWords } from '../../../shared/paste';
import type { DeferredCall } from '../../../shared/tool-call';
import { openCalls, settledCalls } from '../messages/history';
import { sinceBoundary } from '../messages/normalize';
import { finishTurn } from './finish-turn';
import { prepareTurn } from './prepare-turn';
import { admitPrompt } from './prompt-queue';
import { type LongWait, type QueryDeps, tell } from './query-deps';
import {
  type Ending,
  escalatedOutput,
  type FinishedTurn,
  firstState,
  noTotals,
  type QueryContext,
  type State,
  type Step,
  type Totals,
} from './state';
import { longWait, streamTurn, type TurnOutcome } from './stream-turn';
import {
  ASKED_AGAIN_TEXT,
  CUT,
  deferredText,
  LIMIT_LIFTED_TEXT,
  RESTARTED_TEXT,
  refusedText,
  STOPPED,
  unavailableText,
} from './texts';
import { budgetText, parseTokenBudget } from './token-budget';
import { abortReason, afterTurn, countRepeats, isRepeating, type Transition } from './transitions';

/** The words of a user that begin a query. */
export interface Prompt {
  /** Absent when the host gave none. */
  readonly id: string | undefined;
  readonly content: readonly UserBlock[];
  /** Calls that the user asks for with these words: they are made before the model is asked. */
  readonly calls?: readonly (Pick<ToolUseBlock, 'name' | 'input'> & { readonly model: string })[];
}

/** The work a query goes on with: stopped by a limit or a failure, or cut by the end of Lathe, perhaps while it waited for its next try. */
export type Resumed =
  | { readonly reason: 'limit_lifted' | 'asked_again' }
  | { readonly reason: 'restarted'; readonly wait: LongWait | null };

/** One query. Null prompt: go on from the history and the attachments alone. */
interface Query {
  readonly queryId: string;
  readonly prompt: Prompt | null;
  /** A call that a hook deferred in an earlier query: it comes first. */
  readonly pending: ToolUseBlock | null;
  /** It goes on with what was stopped before. */
  readonly resumed?: Resumed | null;
  readonly limits: QueryLimits;
}

/** Runs one query from the user's words to the final answer. Each step of it is recorded. Never throws. */
export async function runQuery(query: Query, deps: QueryDeps, signal: AbortSignal): Promise<void> {
  const { queryId, limits } = query;
  const startedAt = deps.clock.now();
  const totals = noTotals();
  deps.record({ type: 'query_started', queryId });
  const context: QueryContext = { queryId, limits, deps, totals, signal };
  const ending = await guarded(answered(query, context), signal);
  const cut = signal.aborted && signal.reason === 'ending';
  recordEnd(
    { queryId, ending: cut ? { ...ending, text: CUT } : ending, totals, startedAt, cut },
    deps,
  );
}

/** Records the end of a query and what it used. `startedAt`: a time of `clock.now()`. */
export const recordEnd = (
  query: {
    readonly queryId: string;
    readonly ending: Ending;
    readonly totals: Totals;
    readonly startedAt: number;
    /** Lathe ends. */
    readonly cut?: boolean;
  },
  deps: QueryDeps,
): Stamped =>
  deps.record({
    type: 'query_finished',
    queryId: query.queryId,
    ...query.ending,
    turns: query.totals.turns,
    usage: deps.facts().spend.usage,
    costUsd: deps.facts().spend.costUsd,
    apiMs: query.totals.apiMs + deps.facts().sideMs,
    durationMs: deps.clock.now() - query.startedAt,
    denials: [...deps.denials()],
    ...(query.cut === true ? { cut: true as const } : {}),
    ...deferredOf(deps),
  });

const deferredOf = (deps: QueryDeps) => {
  const deferred = deps.deferred();
  return deferred === null ? {} : { deferred };
};

/** Records the user's words and answers them, unless a hook refuses them. */
async function answered(
  { prompt, pending, resumed = null }: Query,
  context: QueryContext,
): Promise<Ending> {
  const { deps, signal } = context;
  if (pending !== null) {
    const ending = await resumeDeferred(pending, deps, signal);
    if (ending !== null) return ending;
  }
  const refusal = prompt
    ? await admitPrompt(prompt.id ?? deps.ids.next('msg'), prompt.content, deps, signal)
    : null;
  if (refusal !== null) {
    return { terminal: 'hook_stopped', text: refusedText(refusal), stopReason: null };
  }
  if (prompt?.calls !== undefined) {
    const ending = await makeCalls(prompt.calls, deps, signal);
    if (ending !== null) return ending;
  }
  if (!prompt && pending === null && deps.admit) await deps.admit(null, signal);
  if (resumed !== null) {
    const ending =
      resumed.reason === 'restarted' ? await waitOut(resumed.wait, deps, signal) : null;
    if (ending !== null) return ending;
    deps.record({ type: 'continued', reason: resumed.reason });
    // A prompt or results that were never answered say it all.
    const isHeard = resumed.reason !== 'asked_again' || deps.history().at(-1)?.role === 'assistant';
    if (isHeard) tell(deps, resumed.reason, RESUMED_TEXTS[resumed.reason]);
  }
  // Only what they typed may spend: a paste is words of whoever wrote it.
  const budget = parseTokenBudget(typedWords(prompt?.content ?? []));
  if (budget !== null) tell(deps, 'token_budget', budgetText(budget));
  return queryLoop(context, budget);
}

const RESUMED_TEXTS = {
  limit_lifted: LIMIT_LIFTED_TEXT,
  restarted: RESTARTED_TEXT,
  asked_again: ASKED_AGAIN_TEXT,
} as const;

/** Waits for the rest of what was waited for when Lathe ended. Returns how the query ends with it; null: it goes on. */
async function waitOut(
  wait: LongWait | null,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<Ending | null> {
  const now = deps.clock.date();
  if (wait === null || wait.until <= now) return null;
  const { reason } = wait;
  const delayMs = wait.until - now;
  deps.record({
    type: 'retry_waiting',
    attempt: 2,
    maxAttempts: 2,
    delayMs,
    reason,
    error: 'unknown',
  });
  for (const event of longWait({ delayMs, reason }, now)) deps.record(event);
  await deps.pause(delayMs, signal);
  deps.record({ type: 'retry_ended' });
  return signal.aborted ? { terminal: abortReason(false), text: STOPPED, stopReason: null } : null;
}

/** Makes the calls that a user asked for, as if the model had. Returns how the query ends with them; null: it goes on. */
async function makeCalls(
  calls: NonNullable<Prompt['calls']>,
  deps: QueryDeps,
  query: AbortSignal,
): Promise<Ending | null> {
  const signal = deps.startTurn(query);
  const executor = deps.createExecutor(deps.record, signal);
  const messageId = deps.ids.next('msg');
  for (const [index, { name, input, model }] of calls.entries()) {
    const block: ToolUseBlock = { type: 'tool_use', id: deps.ids.next('toolu'), name, input };
    deps.record({ type: 'block_finished', messageId, model, index, block });
    executor.add(block);
  }
  await executor.done();
  return signal.aborted ? { terminal: abortReason(true), text: STOPPED, stopReason: null } : null;
}

/** Goes round until the end: each pass is context → request → stream and tools → decide (docs/spec.md A2). */
async function queryLoop(context: QueryContext, tokenBudget: number | null): Promise<Ending> {
  let state = firstState(context.deps.history(), tokenBudget);
  const { maxBudgetUsd } = context.limits;
  if (maxBudgetUsd !== null && maxBudgetUsd <= 0) {
    return { terminal: 'max_budget', text: context.deps.outOfMoney(), stopReason: null };
  }
  while (true) {
    const step = await oneTurn(state, context);
    if (step.kind === 'end') return step.ending;
    state = step.state;
  }
}

async function oneTurn(state: State, context: QueryContext): Promise<Step> {
  const { deps, totals } = context;
  const signal = deps.startTurn(context.signal);
  const prepared = await prepareTurn(state, context);
  if (prepared.kind === 'end') return prepared;
  const { request } = prepared;
  const turn = await streamTurn(request, deps, signal);
  totals.turns = state.turnCount;
  totals.apiMs += turn.apiMs;
  const repeats = countRepeats(state.repeats, askedFor(turn));
  const hookStop = await afterCalls(turn, deps, signal);
  const finished = { state: { ...state, repeats }, turn, request, context, hookStop };
  return finishTurn(decide(finished, signal), finished);
}

/** Tells hooks about the calls of a turn that is over. Returns why the query is to end, or null. */
async function afterCalls(
  { calls, error }: Pick<TurnOutcome, 'calls' | 'error'>,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const settled = error === null && !signal.aborted ? settledCalls(calls, deps.history()) : [];
  const stop =
    settled.length > 0 && deps.batchHooks ? await deps.batchHooks(settled, signal) : null;
  return deps.takeHookStop() ?? stop;
}

/** Returns the calls the model meant: those that the output limit cut say nothing of what it would repeat. */
const askedFor = ({ calls, stopReason }: TurnOutcome) =>
  stopReason === 'max_tokens' ? calls.filter((call) => call.invalid === undefined) : calls;

function decide(
  { state, turn, request, context, hookStop }: FinishedTurn,
  signal: AbortSignal,
): Transition {
  const { deps, limits } = context;
  const aborted = context.signal.aborted;
  return afterTurn({
    ...turn,
    aborted,
    cut: signal.aborted && !aborted,
    calls: turn.calls.length,
    wholeCalls: turn.calls.filter((call) => call.invalid === undefined).length,
    deferred: deps.deferred() !== null,
    hookStopped: hookStop !== null,
    repeating: isRepeating(state.repeats),
    turnCount: state.turnCount,
    spentUsd: deps.spentUsd(),
    ...limits,
    canEscalate:
      state.outputRecoveries === 0 &&
      state.maxTokens === null &&
      request.maxTokens < escalatedOutput(deps.maxOutput(request.model)),
    outputRecoveries: state.outputRecoveries,
    pauses: state.pauses,
    queuedPrompts: deps.queuedCount(),
  });
}

/** Ends the query at a defect of ours with words a user can use; the conversation goes on. */
async function guarded(answer: Promise<Ending>, signal: AbortSignal): Promise<Ending> {
  try {
    return await answer;
  } catch (thrown) {
    if (signal.aborted) {
      return { terminal: abortReason(false), text: STOPPED, stopReason: null };
    }
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const text = `Something in Lathe broke: ${why}. The conversation is kept; send your message again.`;
    return { terminal: 'model_error', text, stopReason: null };
  }
}

/** Returns the deferred call as the model made it; null when the history no longer asks for it. */
export function pendingCall(
  deferred: DeferredCall | null,
  history: readonly Message[],
): ToolUseBlock | null {
  const sent = sinceBoundary(history);
  if (deferred === null || !openCalls(sent).some(({ id }) => id === deferred.id)) return null;
  return { ...deferred, type: 'tool_use' };
}

/**
 * Resumes a call that a hook deferred: it goes the whole way again, hooks first. Returns how the query ends with it;
 * null when it has its result and the query goes on.
 */
async function resumeDeferred(
  call: ToolUseBlock,
  deps: QueryDeps,
  query: AbortSignal,
): Promise<Ending | null> {
  await deps.admit?.(null, query);
  const signal = deps.startTurn(query);
  if (!deps.offers(call.name)) {
    const { id, name, input } = call;
    deps.defer({ id, name, input });
    const terminal = 'tool_deferred_unavailable';
    return { terminal, text: unavailableText(call.name), stopReason: terminal };
  }
  const executor = deps.createExecutor(deps.record, signal);
  executor.add(call);
  await executor.done();
  if (signal.aborted) {
    return { terminal: abortReason(true), text: STOPPED, stopReason: null };
  }
  if (deps.deferred() !== null) {
    const terminal = 'tool_deferred';
    return { terminal, text: deferredText(call.name), stopReason: terminal };
  }
  const batch = settledCalls([call], deps.history());
  const stop = (await deps.batchHooks?.(batch, signal)) ?? null;
  const reason = deps.takeHookStop() ?? stop;
  return reason === null ? null : { terminal: 'hook_stopped', text: reason, stopReason: null };
}
