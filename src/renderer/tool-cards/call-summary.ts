import type { CallItem } from '../../shared/transcript';
import { dataSize, elapsed, plural, timeLimit, timeTaken } from '../ui/format';

/** The fact at the right of a call's line. */
export type CallMeta =
  | { readonly kind: 'text'; readonly text: string; readonly tone: 'quiet' | 'failed' | 'waits' }
  | { readonly kind: 'changes'; readonly added: number; readonly removed: number };

const text = (value: string, tone: 'quiet' | 'failed' | 'waits' = 'quiet'): CallMeta => ({
  kind: 'text',
  text: value,
  tone,
});

/** Returns the one fact to show beside a call: its state, its changes, or its duration. */
export function callMeta(call: CallItem, now: number): CallMeta {
  switch (call.status) {
    case 'receiving':
      return text(receivedMeta(call.received?.chars ?? 0));
    case 'queued':
      return text('queued');
    case 'approval':
      return text('waits for you', 'waits');
    case 'running':
      return running(call, now);
    case 'denied':
      return text('denied');
    case 'cancelled':
      return text('stopped');
    case 'failed':
      return text(failure(call), 'failed');
    case 'done':
      return settled(call);
  }
}

/** Tells how much of a call's input has arrived; small inputs need no number. */
const receivedMeta = (chars: number): string =>
  chars < 1000 ? 'writing…' : `writing… ${(chars / 1000).toFixed(1)} kB`;

function running({ view, startedAt }: CallItem, now: number): CallMeta {
  if (startedAt === undefined) return text('running');
  const time = elapsed(now - startedAt);
  if (view?.kind !== 'shell') return text(time);
  if (view.waitsForInput) return text('waits for input', 'waits');
  const size = view.totalBytes ? `${dataSize(view.totalBytes)} · ` : '';
  const limit = view.timeoutMs === undefined ? '' : ` of ${timeLimit(view.timeoutMs)}`;
  return text(`${size}${time}${limit}`);
}

/** After this long a command is worth moving to the background, also when its limit is far. Milliseconds. */
const LONG_MS = 60_000;

/** The offer to let a running command go on in the background, before its time limit decides for it. */
export interface BackgroundOffer {
  /** Until its limit. Milliseconds. */
  readonly leftMs: number;
  /** Says what happens at the limit. */
  readonly atLimit: 'moves' | 'ends';
  readonly waitsForInput: boolean;
}

/** Returns the offer for a foreground command that has used half of its time, or runs long; null for others. */
export function backgroundOffer(call: CallItem, now: number): BackgroundOffer | null {
  const { view, status, startedAt } = call;
  if (status !== 'running' || startedAt === undefined || view?.kind !== 'shell') return null;
  if (view.background || view.timeoutMs === undefined) return null;
  const waitsForInput = view.waitsForInput === true;
  const ran = now - startedAt;
  if (ran < Math.min(LONG_MS, view.timeoutMs / 2) && !waitsForInput) return null;
  return {
    leftMs: Math.max(view.timeoutMs - ran, 0),
    atLimit: view.movesAtLimit === true && !waitsForInput ? 'moves' : 'ends',
    waitsForInput,
  };
}

function failure(call: CallItem): string {
  const { view } = call;
  if (view?.kind === 'shell' && view.exitCode !== null) return `exit ${view.exitCode}`;
  if (view?.kind === 'shell' && view.note !== undefined) return view.note;
  return 'failed';
}

function settled(call: CallItem): CallMeta {
  const { view } = call;
  const took = timeTaken(call.durationMs ?? 0);
  switch (view?.kind) {
    case 'diff':
      return { kind: 'changes', added: view.added, removed: view.removed };
    case 'search':
      return text(`${plural(view.matches, 'match', 'matches')}${view.truncated ? '+' : ''}`);
    case 'todo':
      return text('');
    case 'question':
      return text(view.answers === null ? 'not answered' : 'answered');
    case 'plan':
      return text(view.state === 'approved' ? 'approved' : 'not approved');
    case 'agent':
      return text(
        view.taskId === undefined
          ? [plural(view.calls, 'call', 'calls'), took].filter(Boolean).join(' · ')
          : 'in the background',
      );
    case 'shell':
      return text(
        view.background ? 'in the background' : [view.note, took].filter(Boolean).join(' · '),
      );
    default:
      return text(took);
  }
}

/** Returns the last `count` lines of a running command's output, or '' when there is nothing to show yet. */
export function liveTail(call: CallItem, count: number): string {
  if (call.status !== 'running') return '';
  if (call.view?.kind === 'agent') return call.view.lastLine;
  if (call.view?.kind !== 'shell') return '';
  return call.view.tail.trimEnd().split('\n').slice(-count).join('\n');
}

/** Returns an error as the model got it, without the tags that mark it for the model. */
export const readableError = (error: string): string =>
  error.replace(/<\/?tool_use_error>/g, '').trim();

/** Returns true when opening the call would show anything. */
export const hasDetail = (call: CallItem): boolean =>
  call.view !== null || (call.error ?? '').trim() !== '';
