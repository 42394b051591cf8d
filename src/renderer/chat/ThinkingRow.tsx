import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, memo, useId } from 'react';
import type { Item } from '../../shared/transcript';
import { cx } from '../ui/cx';
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
  const bodyId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
    event.preventDefault();
    onToggle(item.id, event.key === 'ArrowRight');
  };
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? bodyId : undefined}
        onClick={() => onToggle(item.id, !open)}
        onKeyDown={onKeyDown}
        className="group flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-2 text-left text-code text-ink-3 transition-colors duration-100 hover:bg-hover"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={cx('ml-px shrink-0 transition-transform duration-100', open && 'rotate-90')}
        />
        <span className="shrink-0">{item.done ? 'Thought' : 'Thinking'}</span>
        {open ? null : <span className="min-w-0 flex-1 truncate">{gist(item)}</span>}
      </button>
      {open ? (
        <div id={bodyId} className="mt-1 mb-2 ml-8 border-l border-line pl-3 text-ink-2">
          <Markdown text={item.text} done={item.done} />
        </div>
      ) : null}
    </div>
  );
});

/** The line that stands for all of it: the first when done, the newest while thinking. Marks of Markdown are left out. */
export function gist(item: Pick<ThinkingItem, 'text' | 'done'>): string {
  const lines = item.text.split('\n').filter((line) => line.trim() !== '');
  const line = (item.done ? lines[0] : lines.at(-1)) ?? '';
  return line.replace(/[*_`#>]+/g, '').trim();
}
