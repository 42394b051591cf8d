import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { Item } from '../../shared/transcript';
import { cx } from '../ui/cx';
import { FoldLine } from './FoldLine';
import { Markdown } from './Markdown';

type ThinkingItem = Extract<Item, { kind: 'thinking' }>;

/** What the model thought: one grey line that opens. Its last line shows while it thinks. */
export const ThinkingRow = memo(function ThinkingRow({
  item,
  open,
  onToggle,
}: {
  readonly item: ThinkingItem;
  readonly open: boolean;
  readonly onToggle: (id: string, open: boolean) => void;
}) {
  return (
    <FoldLine
      id={item.id}
      open={open}
      onToggle={onToggle}
      line={
        <>
          <ChevronRight
            size={13}
            aria-hidden
            className={cx('ml-px shrink-0 transition-transform duration-100', open && 'rotate-90')}
          />
          <span className="shrink-0">{item.done ? 'Thought' : 'Thinking'}</span>
          {open ? null : <span className="min-w-0 flex-1 truncate">{gist(item)}</span>}
        </>
      }
    >
      <div className="border-l border-line pl-3 text-ink-2">
        <Markdown text={item.text} done={item.done} />
      </div>
    </FoldLine>
  );
});

/** The line that stands for all of it: the first when done, the newest while thinking. Marks of Markdown are left out. */
export function gist(item: Pick<ThinkingItem, 'text' | 'done'>): string {
  const lines = item.text.split('\n').filter((line) => line.trim() !== '');
  const line = (item.done ? lines[0] : lines.at(-1)) ?? '';
  return line.replace(/[*_`#>]+/g, '').trim();
}
