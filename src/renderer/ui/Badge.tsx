import type { ReactNode } from 'react';
import { cx } from './cx';

/** `neutral` for facts; the others only for state. */
export type BadgeTone = 'neutral' | 'accent' | 'done' | 'failed' | 'waits';

const TONES: Readonly<Record<BadgeTone, string>> = {
  neutral: 'border-line-strong text-ink-2',
  accent: 'border-transparent bg-accent-tint text-accent',
  done: 'border-transparent bg-done-tint text-done',
  failed: 'border-transparent bg-failed-tint text-failed',
  waits: 'border-transparent bg-waits-tint text-waits',
};

/** A word or number in a small frame. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: BadgeTone;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex h-4.5 shrink-0 items-center gap-1 whitespace-nowrap rounded-sm border px-1.5 text-[11px] leading-none font-medium',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
