import { Check, Circle, CircleDot, CircleSlash, Ellipsis, type LucideIcon, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TaskStatus } from '../../shared/task';
import type { CallStatus } from '../../shared/tool-call';
import { cx } from './css';

/** The state of a piece of work, as far as a glyph can show it. */
export type WorkState = 'waiting' | 'running' | 'done' | 'failed' | 'waits' | 'stopped' | 'refused';

const NAMES: Readonly<Record<WorkState, string>> = {
  waiting: 'queued',
  running: 'running',
  done: 'done',
  failed: 'failed',
  waits: 'waits for you',
  stopped: 'stopped',
  refused: 'denied',
};

const ICONS: Readonly<Partial<Record<WorkState, LucideIcon>>> = {
  waiting: Ellipsis,
  done: Check,
  failed: X,
  stopped: Circle,
  refused: CircleSlash,
};

const COLOURS: Readonly<Record<WorkState, string>> = {
  waiting: 'text-ink-3',
  running: 'text-running',
  done: 'text-done',
  failed: 'text-failed',
  waits: 'text-waits',
  stopped: 'text-ink-3',
  refused: 'text-ink-3',
};

/**
 * The state of a piece of work in a square of 16 px. Always has a name; `label` says it more precisely.
 * `quiet` draws it grey, for lists in which that state is the rule. `still` draws a ring that does not turn,
 * for what may run for hours: each ring that turns costs a layer in every frame.
 */
export function StateGlyph({
  state,
  label = NAMES[state],
  quiet = false,
  still = false,
}: {
  readonly state: WorkState;
  readonly label?: string;
  readonly quiet?: boolean;
  readonly still?: boolean;
}) {
  const Icon = ICONS[state];
  return (
    <span
      role="img"
      aria-label={label}
      className={cx(
        'inline-flex size-4 shrink-0 items-center justify-center',
        quiet ? 'text-ink-3' : COLOURS[state],
      )}
    >
      {state === 'running' && !still ? <Spinner size={13} /> : null}
      {state === 'running' && still ? <CircleDot size={13} strokeWidth={2} aria-hidden /> : null}
      {state === 'waits' ? <WaitsMark /> : null}
      {Icon ? <Icon size={state === 'stopped' ? 9 : 13} strokeWidth={2.25} aria-hidden /> : null}
    </span>
  );
}

function WaitsMark() {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="7" fill="currentColor" opacity="0.18" />
      <path d="M8 4v4.6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <circle cx="8" cy="11.6" r="1.2" fill="currentColor" />
    </svg>
  );
}

/** Returns the glyph of a call. */
export function callState(status: CallStatus): WorkState {
  switch (status) {
    case 'receiving':
    case 'queued':
      return 'waiting';
    case 'approval':
      return 'waits';
    case 'running':
      return 'running';
    case 'done':
      return 'done';
    case 'failed':
      return 'failed';
    case 'denied':
      return 'refused';
    case 'cancelled':
      return 'stopped';
  }
}

/** Returns the glyph of a task. */
export function taskState(status: TaskStatus): WorkState {
  switch (status) {
    case 'pending':
      return 'waiting';
    case 'running':
      return 'running';
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed';
    case 'killed':
      return 'stopped';
  }
}

/** A turning ring. `label` is read out; without it the ring is decoration beside a text that says the same. */
export function Spinner({
  size = 14,
  label,
  className,
}: {
  readonly size?: number;
  readonly label?: string;
  readonly className?: string;
}) {
  return (
    <span
      className={cx('inline-flex shrink-0', className)}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        aria-hidden="true"
        className="animate-spin"
      >
        <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.75" opacity="0.25" />
        <path
          d="M8 2a6 6 0 0 1 6 6"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      </svg>
    </span>
  );
}

/** `neutral` for facts; the others only for state. */
type BadgeTone = 'neutral' | 'accent' | 'done' | 'failed' | 'waits';

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

/** A share of a whole, 0 … 1, as a thin bar. It turns to the waiting colour at 0.8 and to the failed one at 0.95. */
export function Meter({
  share,
  label,
  wide = false,
}: {
  readonly share: number;
  readonly label: string;
  /** As wide as its place, instead of 48 px. */
  readonly wide?: boolean;
}) {
  const part = Math.min(1, Math.max(0, share));
  const colour = part >= 0.95 ? 'bg-failed' : part >= 0.8 ? 'bg-waits' : 'bg-ink-3';
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled alike in every engine
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      className={cx(
        'h-1 shrink-0 overflow-hidden rounded-full bg-line-strong',
        wide ? 'block w-full' : 'inline-block w-12',
      )}
    >
      <span data-drawn className={cx('block h-full', colour)} style={{ width: `${part * 100}%` }} />
    </span>
  );
}

/** Leaves out of a low centre what its question says itself, so that the words before it, which give the reason, are in view. */
export const TOLD_BY_QUESTION =
  'group-data-[asked=true]/centre:[@container(max-height:40rem)]:hidden';
