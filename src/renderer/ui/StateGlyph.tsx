import { Check, Circle, CircleDot, CircleSlash, Ellipsis, type LucideIcon, X } from 'lucide-react';
import type { TaskStatus } from '../../shared/task';
import type { CallStatus } from '../../shared/tool-call';
import { cx } from './cx';
import { Spinner } from './Spinner';

/** How a piece of work stands, as a glyph can say it. */
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
 * `quiet` draws it grey, for lists in which that state is the rule. `still` draws a ring that does not turn.
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

/** The glyph of a call. */
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

/** The glyph of a task. */
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
