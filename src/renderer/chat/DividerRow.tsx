import { TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import type { Item } from '../../shared/transcript';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';

type DividerItem = Extract<Item, { kind: 'divider' }>;

/** Something that happened between messages, and why. Facts are a thin line; a notice with a fix is a box. */
export const DividerRow = memo(function DividerRow({ item }: { readonly item: DividerItem }) {
  if (item.fix !== undefined || item.level === 'error')
    return (
      <Notice level={item.level} title={item.text}>
        {item.fix}
      </Notice>
    );
  return (
    <div className="flex items-center gap-3 py-1 text-meta text-ink-3">
      <span aria-hidden className="h-px min-w-6 flex-1 bg-line" />
      <span className="flex max-w-[80%] items-center gap-1.5 text-center text-balance">
        {item.level === 'warning' ? (
          <TriangleAlert size={13} aria-label="Warning" className="shrink-0 text-waits" />
        ) : null}
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <VisibleText text={item.text} />
        </span>
      </span>
      <span aria-hidden className="h-px min-w-6 flex-1 bg-line" />
    </div>
  );
});
