import { X } from 'lucide-react';
import type { Compacting } from '../../shared/transcript';
import type { OnCardAction } from '../tool-cards/card-action';
import { Button } from '../ui/Button';
import { elapsed, tokens } from '../ui/format';
import { Spinner } from '../ui/Spinner';
import { useNow } from '../ui/use-now';

/** Where the boundary will stand: a summary is being written, for how long, and the way out. */
export function CompactingRow({
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
