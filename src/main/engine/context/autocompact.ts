import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import type { EffectiveSettings } from '../settings/effective';
import { createSummariesAhead } from './ahead';
import { type CompactOptions, type CompactOutcome, compact } from './compact';
import { type ContextLayer, type LayerDeps, type LayerOutcome, UNTOUCHED } from './layer';
import type { ContextBudget } from './limits';

/** After this many failures in a row a session no longer summarises by itself. docs/spec.md F5. */
const MAX_AUTOCOMPACT_FAILURES = 3;

/** The choice of a user or their settings about summaries. */
export interface AutocompactChoice {
  readonly enabled: boolean;
  /** A smaller window to make summaries for. Tokens. */
  readonly windowTokens?: number;
  /** Summarise at so many messages since the last summary. Absent: the number does not matter. */
  readonly messages?: number;
  /** Summarise at so many dollars spent on answers since the last summary. Absent: the cost does not matter. */
  readonly usd?: number;
}

/**
 * Creates the layer that replaces the older part by a summary when the window is nearly full, and also when the API
 * found a request too long (docs/spec.md F5, F6). Three failures in a row switch the first off, not the second. Shortly before
 * it is due the summary is written beside the work.
 */
export function createAutocompact(choice: () => AutocompactChoice): ContextLayer {
  let failures = 0;
  const summaries = createSummariesAhead();
  const ahead =
    (budget: ContextBudget): NonNullable<CompactOptions['ahead']> =>
    (sent, signal) =>
      summaries.take(sent, budget, signal);
  const isOn = () => choice().enabled && failures < MAX_AUTOCOMPACT_FAILURES;
  async function* summarised(
    messages: readonly Message[],
    budget: ContextBudget,
    deps: LayerDeps,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, LayerOutcome> {
    const tokensBefore = budget.tokens;
    const options = { trigger: 'auto', tokensBefore, ahead: ahead(budget) } as const;
    const outcome = yield* compact(messages, options, deps, signal);
    if (outcome.kind === 'compacted') failures = 0;
    // A refusal is a line of its hook in the conversation already.
    if (outcome.kind === 'failed' && !outcome.refused) {
      failures += 1;
      yield failureNotice(outcome.why, failures >= MAX_AUTOCOMPACT_FAILURES);
    }
    return freedBy(outcome, tokensBefore);
  }

  return {
    name: 'autocompact',
    apply: (messages, budget, deps, signal) => {
      if (!isOn()) return UNTOUCHED;
      const { level } = budget;
      if (level === 'full' || level === 'blocked' || isWished(messages, choice()))
        return summarised(messages, budget, deps, signal);
      summaries.consider(messages, budget, deps);
      return UNTOUCHED;
    },
    overflow: {
      retry: 'reactive_compact_retry',
      apply: async function* (messages, budget, deps, signal) {
        const { tokens } = budget;
        const trigger = 'reactive';
        const options = { trigger, tokensBefore: tokens, ahead: ahead(budget) } as const;
        const outcome = yield* compact(messages, options, deps, signal);
        // The refusal itself ends the query and says what to do.
        if (outcome.kind === 'failed') yield overflowNotice(outcome.why);
        return freedBy(outcome, tokens);
      },
    },
    summarisesAt: ({ autocompact }) => (isOn() ? autocompact : null),
  };
}

/** Tells whether a summary is wished before the window is full: at a number of messages, or at what their answers cost. Pure. */
function isWished(
  sent: readonly Message[],
  {
    messages = Number.POSITIVE_INFINITY,
    usd = Number.POSITIVE_INFINITY,
  }: Pick<AutocompactChoice, 'messages' | 'usd'>,
): boolean {
  if (messages === Number.POSITIVE_INFINITY && usd === Number.POSITIVE_INFINITY) return false;
  const [first] = sent;
  const kept = first?.role === 'boundary' ? (first.keptUntil ?? first.id) : null;
  // The tail that the last summary kept was counted before it.
  const since = sent.slice(sent.findIndex(({ id }) => id === kept) + 1);
  const spent = since.map((one) =>
    one.role === 'assistant' && one.costUsd !== undefined ? one.costUsd : 0,
  );
  return since.length >= messages || spent.reduce((sum, one) => sum + one, 0) >= usd;
}

/** Returns what a summary freed. Its tokens are counted anew, so that it frees at least one. */
const freedBy = (outcome: CompactOutcome, tokensBefore: number): LayerOutcome =>
  outcome.kind === 'compacted'
    ? { edits: [], freed: Math.max(1, tokensBefore - outcome.tokensAfter) }
    : UNTOUCHED;

const failureNotice = (why: string, isLast: boolean): AgentEvent => ({
  type: 'notice',
  level: 'warning',
  code: isLast ? 'autocompact_off' : 'autocompact_failed',
  text: isLast
    ? `Summarising the conversation failed ${MAX_AUTOCOMPACT_FAILURES} times and is off for this session: ${why}`
    : `The conversation could not be summarised: ${why}`,
});

const overflowNotice = (why: string): AgentEvent => ({
  type: 'notice',
  level: 'info',
  code: 'compaction_failed',
  text: `The conversation is too long and could not be summarised: ${why}`,
});

/** Returns what settings choose about summaries; the window is at most `most`. Tokens. Pure. */
export function autocompactChoice(
  {
    autoCompactEnabled = true,
    autoCompactWindow,
    autoCompactMessages: messages,
    autoCompactUsd: usd,
  }: EffectiveSettings,
  most = Number.POSITIVE_INFINITY,
): AutocompactChoice {
  const windowTokens = Math.min(most, autoCompactWindow ?? Number.POSITIVE_INFINITY);
  return {
    enabled: autoCompactEnabled,
    ...(windowTokens === Number.POSITIVE_INFINITY ? {} : { windowTokens }),
    ...(messages === undefined ? {} : { messages }),
    ...(usd === undefined ? {} : { usd }),
  };
}
