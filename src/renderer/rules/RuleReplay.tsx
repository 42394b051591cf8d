import { ChevronRight, History, TriangleAlert } from 'lucide-react';
import { useCallback, useEffect, useId, useState } from 'react';
import { err, fault, type Result } from '../../shared/result';
import type { RuleReplay as ReplayAnswer, ReplayedCall } from '../../shared/rule-replay';
import type { RuleDraft } from '../../shared/rules-overview';
import { replayRule, ruleScope } from '../store/settings';
import { useLathe } from '../store/use-lathe';
import { cx } from '../ui/css';
import { plural } from '../ui/format';
import { Badge, Spinner } from '../ui/Marks';
import { VisibleText } from '../ui/VisibleText';
import { changeWords, replayWords, shownCalls } from './replay-words';

/** Shows live what a draft rule would have changed in the last calls of the project. Keeps its height while loading. */
export function RuleReplay({
  replay,
  draft,
  ready,
  callId,
}: {
  readonly replay: Replay;
  readonly draft: RuleDraft;
  /** False while the draft is no rule. */
  readonly ready: boolean;
  /** The call the rule is written for. */
  readonly callId?: string | undefined;
}) {
  const state = useReplay(replay, draft, ready);
  const [open, setOpen] = useState(false);
  const listId = useId();
  const answer = state.answer?.ok ? state.answer.value : null;
  const changed = answer?.changed ?? [];
  const words = wordsOf(state, ready, callId);
  return (
    <section aria-label="What this rule would have changed" className="text-code">
      <div className="flex min-h-10 items-start gap-2">
        <span className="mt-[3px] flex w-[15px] shrink-0 text-ink-3">
          {state.busy ? (
            <Spinner size={14} />
          ) : words.warns ? (
            <TriangleAlert size={15} aria-hidden className="text-waits" />
          ) : (
            <History size={15} aria-hidden />
          )}
        </span>
        <div
          role="status"
          aria-busy={state.busy}
          className={cx('min-w-0 flex-1', state.busy && answer !== null && 'opacity-60')}
        >
          <p className="text-ink">{words.summary}</p>
          <p className={cx('text-meta', words.warns ? 'font-medium text-waits' : 'text-ink-3')}>
            {words.note ?? '\u00a0'}
          </p>
        </div>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={listId}
          disabled={changed.length === 0}
          onClick={() => setOpen(!open)}
          className="inline-flex h-6 shrink-0 items-center gap-1 rounded-sm px-1.5 text-meta font-medium text-accent hover:bg-hover disabled:invisible"
        >
          <ChevronRight size={13} aria-hidden className={cx(open && 'rotate-90')} />
          {open ? 'Hide calls' : 'Show calls'}
        </button>
      </div>
      <div id={listId}>{open && changed.length > 0 ? <Calls changed={changed} /> : null}</div>
    </section>
  );
}

function wordsOf({ answer }: ReplayState, ready: boolean, callId: string | undefined) {
  if (!ready)
    return {
      summary: 'Once it is a rule, it is tried on the last calls.',
      note: null,
      warns: false,
    };
  if (answer === null)
    return { summary: 'Trying it on the last calls in this project…', note: null, warns: false };
  if (answer.ok) return replayWords(answer.value, callId);
  return { summary: answer.error.message, note: answer.error.fix ?? null, warns: true };
}

/** The keyboard must be able to scroll it. */
const REACHABLE = { tabIndex: 0, role: 'group', 'aria-label': 'Calls that would change' } as const;

function Calls({ changed }: { readonly changed: readonly ReplayedCall[] }) {
  const { shown, left } = shownCalls(changed);
  return (
    <div
      {...REACHABLE}
      className="mt-1 max-h-40 overflow-y-auto rounded-md border border-line bg-canvas"
    >
      <ul>
        {shown.map((call) => (
          <li
            key={`${call.callId} ${call.at}`}
            className="flex flex-wrap items-baseline gap-x-2 border-line px-2 py-1 not-first:border-t"
          >
            <span className="shrink-0 text-meta text-ink-2">{call.tool}</span>
            <code className="min-w-0 flex-1 basis-48 truncate text-[12px]" title={call.target}>
              <VisibleText text={call.target} />
            </code>
            {call.risks.length === 0 ? null : <Badge tone="waits">{call.risks.join(', ')}</Badge>}
            <span className="shrink-0 text-meta text-ink-3">{changeWords(call)}</span>
          </li>
        ))}
      </ul>
      {left === 0 ? null : (
        <p className="border-t border-line px-2 py-1 text-meta text-ink-3">
          and {plural(left, 'more call')}
        </p>
      )}
    </div>
  );
}

/** Tries a draft rule on the last calls of the project on screen. */
export type Replay = (draft: RuleDraft, signal: AbortSignal) => Promise<Result<ReplayAnswer>>;

/** The result for a draft. The last answer stays while another is loading, so that nothing jumps. */
interface ReplayState {
  readonly busy: boolean;
  readonly answer: Result<ReplayAnswer> | null;
}

/** Time a draft must stay unchanged before it is tried, in milliseconds. */
const DEBOUNCE_MS = 250;

/** Tries a draft whenever it changed and stands still. `ready`: false for a text that is no rule yet. */
function useReplay(
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

/** Tries drafts on the last calls of the project on screen. */
export function useRuleReplay(): Replay {
  const lathe = useLathe();
  return useCallback(
    async (draft, signal) => {
      const scope = ruleScope(lathe);
      return scope === null ? err(NO_PROJECT) : replayRule(lathe, scope, draft, signal);
    },
    [lathe],
  );
}

const NO_PROJECT = fault('not_open', 'No folder is open.', 'Open one first.');
