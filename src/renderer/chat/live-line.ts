import { asSentence } from '../../shared/dividers';
import type { Transcript } from '../../shared/transcript';
import { elapsed } from '../ui/format';
import { hookName } from './hook-line';

/** What the line under a running query says. */
export interface LiveLine {
  readonly state: 'running' | 'waits' | 'waiting';
  readonly text: string;
  /** What comes of it, after the text. */
  readonly next?: string;
  /** Grey facts after the text. */
  readonly facts: readonly string[];
  /** A pause before another try is going on, which can be cut short. */
  readonly pausing: boolean;
}

/** One honest line about what is going on: who waits for whom, and since when. `now` is epoch milliseconds. */
export function liveLine(t: Transcript, now: number): LiveLine {
  const since = t.running ? elapsed(now - t.running.startedAt) : '';
  const line = (state: LiveLine['state'], text: string, fact = '') => ({
    state,
    text,
    facts: fact === '' ? [since] : [fact, `${since} in all`],
    pausing: false,
  });
  if (t.approvals.length > 0) return line('waits', 'Waits for your answer');
  if (t.waiting) {
    const { reason, attempt, maxAttempts, until } = t.waiting;
    return {
      state: 'waiting',
      text: asSentence(reason),
      next: nextTry(until - now),
      facts: [`try ${attempt} of ${maxAttempts}`],
      pausing: until > now,
    };
  }
  if (t.silentSince !== null)
    return line(
      'waiting',
      'The model has gone quiet. Lathe asks again if it stays so',
      `nothing for ${elapsed(now - t.silentSince)}`,
    );
  if (t.compacting) return line('running', 'Summarising the conversation');
  const hook = t.hooks.find((one) => one.awaited);
  if (hook) return line('running', `Waiting for ${hookName(hook)}`, elapsed(now - hook.startedAt));
  return line('running', activity(t));
}

/** A countdown in whole seconds, from milliseconds. */
const nextTry = (leftMs: number): string =>
  leftMs > 0 ? `Trying again in ${elapsed(Math.ceil(leftMs / 1000) * 1000)}` : 'Trying again';

function activity(t: Transcript): string {
  const last = t.active.at(-1);
  if (last?.kind === 'thinking' && !last.done) return 'Thinking';
  if (last?.kind === 'text' && !last.done) return 'Answering';
  const running = t.active.filter((item) => item.kind === 'call' && item.status === 'running');
  if (running.length > 1) return `Running ${running.length} calls`;
  const [call] = running;
  if (call?.kind === 'call') return `Running ${call.title.verb}`;
  return 'Working';
}
