import type { ComponentProps } from 'react';
import { cx } from './cx';

export interface ScrollAreaProps extends ComponentProps<'div'> {
  /** Names the box, since it takes keyboard focus so that it can be scrolled without a mouse. */
  readonly label: string;
}

/** A box that scrolls with the keyboard too. Its size comes from the caller. A group, so that many of them are no landmarks. */
export function ScrollArea({ label, className, ...rest }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing in it is a form field
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
      tabIndex={0}
      className={cx('min-h-0 overflow-auto overscroll-contain', className)}
      {...rest}
    />
  );
}
