import type { QueryLimits } from '../../../shared/agent-event';
import type { Result } from '../../../shared/result';
import { canCompact, compact } from '../context/compact';
import { recordAll } from '../context/layer';
import { contextChanged } from '../context/limits';
import { contextBudget } from './prepare-turn';
import type { QueryDeps } from './query-deps';
import { recordEnd } from './run-query';
import { type Ending, noTotals } from './state';
import { NOTHING_TO_COMPACT, STOPPED } from './texts';
import { abortReason } from './transitions';

/** Something a user does in the conversation without asking the model. Returns a text for them. */
export type Act = (deps: QueryDeps, signal: AbortSignal) => Promise<Result<string>>;

/** Carries out an act as a query without turns, so that it is shown, stopped and reported like any other. Never throws. */
export async function actNow(
  queryId: string,
  act: Act,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now();
  deps.record({ type: 'query_started', queryId });
  const ending = await endingOf(act, deps, signal);
  recordEnd({ queryId, ending, totals: noTotals(), startedAt }, deps);
}

async function endingOf(act: Act, deps: QueryDeps, signal: AbortSignal): Promise<Ending> {
  try {
    const done = await act(deps, signal);
    if (signal.aborted) return { terminal: abortReason(true), text: STOPPED, stopReason: null };
    if (done.ok) return { terminal: 'completed', text: done.value, stopReason: null };
    const { message, fix } = done.error;
    const text = fix === undefined ? message : `${message} ${fix}`;
    return { terminal: 'model_error', text, stopReason: null };
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return { terminal: 'model_error', text: `Something in Lathe broke: ${text}`, stopReason: null };
  }
}

/**
 * Runs a shell line of the user: their words, the call and its result stand in the conversation, so that the model
 * knows them at its next turn. The call runs outside the sandbox and asks nobody, since the user typed it.
 */
export const runShellLine =
  (command: string, model: string, promptId?: string): Act =>
  async (deps, query) => {
    const signal = deps.startTurn(query);
    const text = `!${command}`;
    deps.record({
      type: 'user_message',
      id: promptId ?? deps.ids.next('msg'),
      content: [{ type: 'text', text }],
    });
    const call = {
      type: 'tool_use' as const,
      id: deps.ids.next('toolu'),
      name: 'Bash',
      input: { command, dangerouslyDisableSandbox: true },
    };
    deps.record({
      type: 'block_finished',
      messageId: deps.ids.next('msg'),
      model,
      index: 0,
      block: call,
    });
    const executor = deps.createExecutor(deps.record, signal, { byUser: true });
    executor.add(call);
    await executor.done();
    return { ok: true, value: '' };
  };

/** A summary that a user asks for. */
interface CompactQuery {
  readonly queryId: string;
  /** The things they want kept above all. */
  readonly focus: string | undefined;
  readonly limits: QueryLimits;
}

/**
 * Summarises the conversation because a user asked for it (docs/spec.md F7): a query without turns, so that it is shown,
 * stopped, paid for and reported like any other. When it fails, its end says why and nothing changes. Never throws.
 */
export async function compactNow(
  { queryId, focus, limits }: CompactQuery,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now();
  const totals = noTotals();
  deps.record({ type: 'query_started', queryId });
  const ending = await attempt(focus, limits, deps, signal);
  recordEnd({ queryId, ending, totals, startedAt }, deps);
}

async function attempt(
  focus: string | undefined,
  { maxBudgetUsd }: QueryLimits,
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<Ending> {
  const history = deps.history();
  if (maxBudgetUsd !== null && maxBudgetUsd <= 0) return ended('max_budget', deps.outOfMoney());
  if (!canCompact(history)) {
    deps.record({
      type: 'notice',
      level: 'info',
      code: 'nothing_to_compact',
      text: NOTHING_TO_COMPACT,
    });
    return ended('completed', NOTHING_TO_COMPACT);
  }
  try {
    const request = await deps.buildRequest(history, signal);
    const tokensBefore = contextBudget(request, deps).tokens;
    const options = { trigger: 'manual', tokensBefore, focus } as const;
    const outcome = await recordAll(compact(history, options, deps, signal), deps.record);
    if (outcome.kind === 'aborted') return ended(abortReason(false), STOPPED);
    if (outcome.kind === 'failed') return ended('model_error', failure(outcome.why));
    const { tokensAfter } = outcome;
    const next = await deps.buildRequest(deps.history(), signal);
    deps.record(contextChanged(tokensAfter, next, deps));
    return ended('completed', done(tokensBefore, tokensAfter));
  } catch (thrown) {
    if (signal.aborted) return ended(abortReason(false), STOPPED);
    return ended('model_error', failure(thrown instanceof Error ? thrown.message : String(thrown)));
  }
}

const ended = (terminal: Ending['terminal'], text: string): Ending => ({
  terminal,
  text,
  stopReason: null,
});

const failure = (why: string): string =>
  `The conversation could not be summarised and is as it was: ${why}`;

const done = (before: number, after: number): string =>
  `The conversation was summarised: ${grouped(before)} tokens became ${grouped(after)}.`;

const grouped = (count: number): string => count.toLocaleString('en-US');
