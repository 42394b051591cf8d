import { Separator } from 'react-resizable-panels';
import { cx } from '../ui/cx';

/** The line between two panes: drags, moves with the arrow keys, and collapses a pane by double click or Enter. */
export function Divider({
  orientation,
  label,
  onCollapse,
}: {
  /** How the line itself lies. */
  readonly orientation: 'horizontal' | 'vertical';
  readonly label: string;
  readonly onCollapse: () => void;
}) {
  return (
    <Separator
      aria-label={label}
      disableDoubleClick
      onDoubleClick={onCollapse}
      className={cx(
        'relative z-10 shrink-0 bg-line outline-none transition-colors duration-100 after:absolute',
        'data-[separator=active]:bg-accent data-[separator=hover]:bg-accent focus-visible:bg-focus',
        orientation === 'vertical'
          ? 'w-px after:inset-y-0 after:-left-1 after:w-2.25'
          : 'h-px after:inset-x-0 after:-top-1 after:h-2.25',
      )}
    />
  );
}
