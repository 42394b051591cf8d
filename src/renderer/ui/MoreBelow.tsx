import { ChevronDown } from 'lucide-react';
import { plural } from './format';

/** Under a scrolling box: how many lines are below what is in view. A press scrolls on; nothing when its end shows. */
export function MoreBelow({
  lines,
  onScroll,
}: {
  readonly lines: number;
  readonly onScroll: () => void;
}) {
  if (lines === 0) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={onScroll}
      className="flex w-full items-center justify-center gap-1 border-t border-line bg-waits-tint px-4 py-1 text-meta font-medium text-waits"
    >
      <ChevronDown size={13} aria-hidden />
      {plural(lines, 'more line')} below
    </button>
  );
}
