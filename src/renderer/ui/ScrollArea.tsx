import type { ComponentProps } from 'react';
import { cx } from './cx';

export interface ScrollAreaProps extends ComponentProps<'section'> {
  /** Names the region, since it takes keyboard focus so that it can be scrolled without a mouse. */
  readonly label: string;
}

/** A box that scrolls with the keyboard too. Its size comes from the caller. */
export function ScrollArea({ label, className, ...rest }: ScrollAreaProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      className={cx('min-h-0 overflow-auto overscroll-contain', className)}
      {...rest}
    />
  );
}
