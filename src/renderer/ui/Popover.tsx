import { Popover as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

/** A small panel beside the button that opens it. Esc, a press outside and the button close it. */
export function Popover({
  trigger,
  label,
  side = 'top',
  align = 'end',
  open,
  onOpenChange,
  children,
}: {
  /** The button that opens it; must take a ref. */
  readonly trigger: ReactElement;
  /** What the panel is, read out when it opens. */
  readonly label: string;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'center' | 'end';
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-(--radix-popover-content-available-height) w-72 max-w-[calc(100vw-16px)] animate-appear overflow-y-auto rounded-md border border-line bg-raised p-3 text-code text-ink shadow-popover outline-none"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
