import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx';
import { Tooltip } from './Tooltip';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  readonly icon: LucideIcon;
  /** Read out and shown as the tooltip. */
  readonly label: string;
  /** Shortcut shown in the tooltip, e.g. "mod+j". */
  readonly keys?: string;
  /** Squares of 20, 24 and 28 px. */
  readonly size?: 'xs' | 'sm' | 'md';
  /** For toggles. */
  readonly pressed?: boolean;
  readonly tooltipSide?: 'top' | 'bottom' | 'left' | 'right';
}

const SIZES = { xs: 'size-5', sm: 'size-6', md: 'size-7' } as const;
const ICON_SIZES = { xs: 12, sm: 14, md: 16 } as const;

/** A button that is only an icon; it always has a name and a tooltip. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  size = 'sm',
  pressed,
  tooltipSide,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip
      text={label}
      {...(keys === undefined ? {} : { keys })}
      {...(tooltipSide === undefined ? {} : { side: tooltipSide })}
    >
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          'inline-flex shrink-0 select-none items-center justify-center rounded-sm text-ink-3 transition-colors duration-100',
          'hover:bg-hover hover:text-ink disabled:opacity-40 aria-pressed:bg-selected aria-pressed:text-ink data-[state=open]:bg-hover',
          SIZES[size],
          className,
        )}
        {...rest}
      >
        <Icon size={ICON_SIZES[size]} aria-hidden />
      </button>
    </Tooltip>
  );
}
