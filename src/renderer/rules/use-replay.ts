import { useEffect, useState } from 'react';
import type { Result } from '../../shared/result';
import type { RuleReplay } from '../../shared/rule-replay';
import type { RuleDraft } from '../../shared/rules-overview';

/** Tries a draft rule on the last calls of the project on screen. */
export type Replay = (draft: RuleDraft, signal: AbortSignal) => Promise<Result<RuleReplay>>;

/** What is known of a draft. The last answer stays while another is on its way, so that nothing jumps. */
export interface ReplayState {
  readonly busy: boolean;
  readonly answer: Result<RuleReplay> | null;
}

/** How long a draft must stand still before it is tried, milliseconds. */
const DEBOUNCE_MS = 250;

/** Tries a draft whenever it changed and stands still. `ready`: false for a text that is no rule yet. */
export function useReplay(
  replay: Replay,
  { behavior, rule, destination }: RuleDraft,
  ready: boolean,
): ReplayState {
  const [state, setState] = useState<ReplayState>({ busy: ready, answer: null });
  useEffect(() => {
    if (!ready) return setState({ busy: false, answer: null });
    const stop = new AbortController();
    setState((last) => ({ ...last, busy: true }));
    const timer = setTimeout(async () => {
      const answer = await replay({ behavior, rule, destination }, stop.signal);
      if (!stop.signal.aborted) setState({ busy: false, answer });
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [replay, behavior, rule, destination, ready]);
  return state;
}
