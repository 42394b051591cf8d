import { RotateCw, X } from 'lucide-react';
import { useRef } from 'react';
import { asSentence } from '../../shared/dividers';
import type { Compacting, Transcript } from '../../shared/transcript';
import type { OnCardAction } from '../tool-cards/CardFrame';
import { Button } from '../ui/Button';
import { cx } from '../ui/css';
import { elapsed, tokens } from '../ui/format';
import { Spinner, StateGlyph, TOLD_BY_QUESTION } from '../ui/Marks';
import { useNow } from '../ui/use-now';
import { hookName } from './FoldingRows';

interface LiveRowProps {
  readonly transcript: Transcript;
  readonly onAction: OnCardAction;
}

/** The last row while a query runs: a summary in progress, or what Lathe does or waits for. */
export function LiveRow({ transcript, onAction }: LiveRowProps) {
  const { compacting, waiting } = transcript;
  return (
    <div
      className={cx('prose-column pt-1 pb-3', transcript.approvals.length > 0 && TOLD_BY_QUESTION)}
    >
      {compacting && waiting === null ? (
        <CompactingLine compacting={compacting} onAction={onAction} />
      ) : (
        <ActivityLine transcript={transcript} onAction={onAction} />
      )}
    </div>
  );
}

/** The activity, its elapsed time, and actions on it. */
function ActivityLine({ transcript, onAction }: LiveRowProps) {
  const now = useNow(true, 1000, transcript.waiting?.until ?? transcript.silentSince);
  const rate = useRate(transcript, now);
  const line = liveLine(transcript, now, rate);
  return (
    <div className="flex min-h-7 items-start gap-2 px-2 py-0.5 text-code">
      <span className="flex h-6 items-center">
        <StateGlyph state={line.state} />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-2 gap-y-1">
        <p className="flex min-w-0 flex-[1_1_15rem] flex-wrap items-baseline gap-x-2 py-0.5 [overflow-wrap:anywhere]">
          <span className={line.state === 'waits' ? 'text-waits' : 'text-ink-2'}>
            {line.text}
            {line.next === undefined ? null : (
              <span className="ml-1.5 font-medium text-ink tabular-nums">{line.next}</span>
            )}
          </span>
          <span className="text-meta text-ink-3 tabular-nums">{line.facts.join(' · ')}</span>
        </p>
        {line.pausing ? (
          <span className="flex gap-1">
            <Button size="sm" icon={RotateCw} onClick={() => onAction({ type: 'retryNow' })}>
              Try now
            </Button>
            <Button size="sm" variant="ghost" icon={X} onClick={() => onAction({ type: 'stop' })}>
              Give up
            </Button>
          </span>
        ) : null}
      </div>
    </div>
  );
}

/** A summary in progress: its elapsed time and a way to stop it. */
function CompactingLine({
  compacting,
  onAction,
}: {
  readonly compacting: Compacting;
  readonly onAction: OnCardAction;
}) {
  const now = useNow(true, 1000, compacting.startedAt);
  return (
    <div className="flex items-center gap-3 py-1 text-meta text-ink-2">
      <span aria-hidden className="h-px min-w-6 flex-1 bg-line" />
      <span className="flex max-w-[80%] flex-wrap items-center justify-center gap-x-2">
        <Spinner size={12} />
        <span>Summarising the conversation…</span>
        <span className="text-ink-3 tabular-nums">
          {tokens(compacting.tokensBefore)} tokens · {elapsed(now - compacting.startedAt)}
        </span>
        <Button size="sm" variant="ghost" icon={X} onClick={() => onAction({ type: 'stop' })}>
          {compacting.trigger === 'manual' ? 'Cancel' : 'Stop'}
        </Button>
      </span>
      <span aria-hidden className="h-px min-w-6 flex-1 bg-line" />
    </div>
  );
}

/** The content of the line under a running query. */
interface LiveLine {
  readonly state: 'running' | 'waits' | 'waiting';
  readonly text: string;
  /** The next step, after the text. */
  readonly next?: string;
  /** Grey facts after the text. */
  readonly facts: readonly string[];
  /** A pause before another try is going on, which can be cut short. */
  readonly pausing: boolean;
}

/** Describes in one line what runs or waits, and since when. `now` is in epoch milliseconds, `rate` in tokens a second. */
export function liveLine(t: Transcript, now: number, rate: number | null = null): LiveLine {
  const since = t.running ? elapsed(now - t.running.startedAt) : '';
  const line = (state: LiveLine['state'], text: string, fact = '') => ({
    state,
    text,
    facts: fact === '' ? [since] : [fact, `${since} in all`],
    pausing: false,
  });
  if (t.approvals.length > 0) return line('waits', 'Waits for your answer');
  if (t.waiting) {
    const { reason, attempt, maxAttempts, until } = t.waiting;
    return {
      state: 'waiting',
      text: asSentence(reason),
      next: nextTry(until - now),
      facts: [`try ${attempt} of ${maxAttempts}`],
      pausing: until > now,
    };
  }
  if (t.silentSince !== null)
    return line(
      'waiting',
      'The model has gone quiet. Lathe asks again if it stays so',
      `nothing for ${elapsed(now - t.silentSince)}`,
    );
  if (t.compacting) return line('running', 'Summarising the conversation');
  const hook = t.hooks.find((one) => one.awaited);
  if (hook) return line('running', `Waiting for ${hookName(hook)}`, elapsed(now - hook.startedAt));
  const speed = rate === null ? [] : [`about ${rate} tokens/s`];
  return { state: 'running', text: activity(t), facts: [since, ...speed], pausing: false };
}

/** The piece of an answer that is being written, and when it was seen first. */
interface Writing {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** Characters it had then. */
  readonly from: number;
}

/** A shorter time says nothing of the speed. Milliseconds. */
const MEASURED_AFTER_MS = 2_000;
/** The usual length of a token. Characters. */
const TOKEN_CHARS = 4;

/** Returns how fast the last piece of an answer is written, in tokens a second; null when nothing is. Pure. */
export function answerRate(
  { active }: Pick<Transcript, 'active'>,
  seen: Writing | null,
  now: number,
): { readonly seen: Writing | null; readonly rate: number | null } {
  const last = active.at(-1);
  if (last === undefined || (last.kind !== 'text' && last.kind !== 'thinking') || last.done)
    return { seen: null, rate: null };
  if (seen?.id !== last.id)
    return { seen: { id: last.id, since: now, from: last.text.length }, rate: null };
  const took = now - seen.since;
  const written = (last.text.length - seen.from) / TOKEN_CHARS;
  const rate = took < MEASURED_AFTER_MS ? 0 : Math.round((written * 1000) / took);
  return { seen, rate: rate > 0 ? rate : null };
}

/** Measures the speed of the answer once a tick of the clock, so that the number does not dance. */
function useRate(transcript: Transcript, now: number): number | null {
  const measured = useRef<{ seen: Writing | null; now: number; rate: number | null }>({
    ...{ seen: null, now: 0, rate: null },
  });
  if (measured.current.now !== now) {
    measured.current = { ...answerRate(transcript, measured.current.seen, now), now };
  }
  return measured.current.rate;
}

/** Formats the countdown to the next try in whole seconds, from milliseconds. */
const nextTry = (leftMs: number): string =>
  leftMs > 0 ? `Trying again in ${elapsed(Math.ceil(leftMs / 1000) * 1000)}` : 'Trying again';

function activity(t: Transcript): string {
  const last = t.active.at(-1);
  if (last?.kind === 'thinking' && !last.done) return 'Thinking';
  if (last?.kind === 'text' && !last.done) return 'Answering';
  if (last?.kind === 'call' && last.status === 'receiving') return `Preparing ${last.title.verb}`;
  const running = t.active.filter((item) => item.kind === 'call' && item.status === 'running');
  if (running.length > 1) return `Running ${running.length} calls`;
  const [call] = running;
  if (call?.kind === 'call') return `Running ${call.title.verb}`;
  return 'Working';
}
