import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { Kbd } from './Kbd';

interface TooltipProps {
  /** One short line. Never the only place of a fact. */
  readonly text: string;
  readonly keys?: string;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  /** One element that can take a ref and focus. */
  readonly children: ReactElement;
}

/** A short label on hover and on keyboard focus. Needs no provider. */
export function Tooltip({ text, keys, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex max-w-80 animate-appear items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-meta text-ink shadow-popover"
          >
            {text}
            {keys === undefined ? null : <Kbd keys={keys} />}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
