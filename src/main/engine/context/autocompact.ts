import type { AgentEvent } from '../../../shared/agent-event';
import type { Message } from '../../../shared/message';
import { type ContextLevel, contextLevel, contextLimits } from './blocking';
import { compact } from './compact';
import type { CompactDeps } from './compact-deps';

/** SPEC F5: after this many failures in a row a session no longer summarises by itself. */
export const MAX_AUTOCOMPACT_FAILURES = 3;

/** Summarising by itself, for one session. */
export interface Autocompact {
  /** Whether it should be tried for a context this tight. */
  wanted(level: ContextLevel): boolean;
  /**
   * Tries it. Yields what is to be recorded; a failure becomes a notice, and the third one in a row says that
   * it is off from now on. Returns whether the history is shorter now.
   */
  run(
    history: readonly Message[],
    tokensBefore: number,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, boolean>;
}

export interface AutocompactOptions extends CompactDeps {
  readonly enabled: () => boolean;
}

/** Creates it with its circuit breaker closed. */
export function createAutocompact(options: AutocompactOptions): Autocompact {
  let failures = 0;
  return {
    wanted: (level) =>
      (level === 'full' || level === 'blocked') &&
      options.enabled() &&
      failures < MAX_AUTOCOMPACT_FAILURES,
    run: async function* (history, tokensBefore, signal) {
      const outcome = yield* compact(history, { trigger: 'auto', tokensBefore }, options, signal);
      if (outcome.kind === 'compacted') failures = 0;
      // A refusal is a line of its hook in the conversation already.
      if (outcome.kind === 'failed' && !outcome.refused) {
        failures += 1;
        yield failureNotice(outcome.why, failures >= MAX_AUTOCOMPACT_FAILURES);
      }
      return outcome.kind === 'compacted';
    },
  };
}

const failureNotice = (why: string, last: boolean): AgentEvent => ({
  type: 'notice',
  level: 'warning',
  code: last ? 'autocompact_off' : 'autocompact_failed',
  text: last
    ? `Summarising the conversation failed ${MAX_AUTOCOMPACT_FAILURES} times and is off for this session: ${why}`
    : `The conversation could not be summarised: ${why}`,
});

/** How tight a context of so many tokens is. `autoWindow` lets a person summarise earlier than the model must. */
export function levelOf(
  tokens: number,
  windowTokens: number,
  maxOutputTokens: number,
  autoWindow?: number,
): ContextLevel {
  const level = contextLevel(tokens, contextLimits(windowTokens, maxOutputTokens));
  if (autoWindow === undefined || autoWindow >= windowTokens || level === 'blocked') return level;
  const early = contextLevel(tokens, contextLimits(autoWindow, maxOutputTokens));
  return early === 'blocked' ? 'full' : early;
}
