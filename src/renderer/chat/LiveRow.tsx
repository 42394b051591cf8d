import type { Transcript } from '../../shared/transcript';
import { StateGlyph } from '../ui/StateGlyph';
import { useNow } from '../ui/use-now';
import { liveLine } from './live-line';

/** The last row while a query runs: what Lathe does or waits for, and for how long. */
export function LiveRow({ transcript }: { readonly transcript: Transcript }) {
  const now = useNow(true);
  const line = liveLine(transcript, now);
  return (
    <div className="flex min-h-7 items-center gap-2 px-2 text-code">
      <StateGlyph state={line.state === 'waiting' ? 'waiting' : line.state} />
      <span className={line.state === 'waits' ? 'text-waits' : 'text-ink-2'}>{line.text}</span>
      <span className="text-meta text-ink-3 tabular-nums">{line.facts.join(' · ')}</span>
    </div>
  );
}
