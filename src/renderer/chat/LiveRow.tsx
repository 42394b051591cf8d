import { RotateCw, X } from 'lucide-react';
import type { Transcript } from '../../shared/transcript';
import type { OnCardAction } from '../tool-cards/card-action';
import { Button } from '../ui/Button';
import { StateGlyph } from '../ui/StateGlyph';
import { useNow } from '../ui/use-now';
import { liveLine } from './live-line';

/** The last row while a query runs: what Lathe does or waits for, for how long, and what can be done about it. */
export function LiveRow({
  transcript,
  onAction,
}: {
  readonly transcript: Transcript;
  readonly onAction: OnCardAction;
}) {
  const now = useNow(true, 1000, transcript.waiting?.until ?? transcript.silentSince);
  const line = liveLine(transcript, now);
  return (
    <div className="flex min-h-7 items-start gap-2 px-2 py-0.5 text-code">
      <span className="flex h-6 items-center">
        <StateGlyph state={line.state} />
      </span>
      <p className="min-w-0 flex-1 py-0.5 [overflow-wrap:anywhere]">
        <span className={line.state === 'waits' ? 'text-waits' : 'text-ink-2'}>{line.text}</span>
        {line.next === undefined ? null : (
          <span className="ml-1.5 font-medium tabular-nums">{line.next}</span>
        )}
        <span className="ml-2 text-meta text-ink-3 tabular-nums">{line.facts.join(' · ')}</span>
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
  );
}
