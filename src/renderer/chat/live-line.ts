import { asSentence } from '../../shared/dividers';
import type { Transcript, Waiting } from '../../shared/transcript';
import { elapsed } from '../ui/format';

/** What the line under a running query says. */
export interface LiveLine {
  readonly state: 'running' | 'waits' | 'waiting';
  readonly text: string;
  /** Grey facts after the text. */
  readonly facts: readonly string[];
  /** A pause before another try is going on, which can be cut short. */
  readonly pausing: boolean;
}

/** One honest line about what is going on: who waits for whom, and since when. `now` is epoch milliseconds. */
export function liveLine(t: Transcript, now: number): LiveLine {
  const since = t.running ? elapsed(now - t.running.startedAt) : '';
  const facts = [since].filter((fact) => fact !== '');
  const line = (state: LiveLine['state'], text: string, more: readonly string[] = []) => ({
    state,
    text,
    facts: [...more, ...facts],
    pausing: false,
  });
  if (t.approvals.length > 0) return line('waits', 'Waits for your answer');
  if (t.waiting) {
    const { attempt, maxAttempts, until } = t.waiting;
    const text = retryText(t.waiting, now);
    const retrying = line('waiting', text, [`try ${attempt} of ${maxAttempts}`]);
    return { ...retrying, pausing: until > now };
  }
  if (t.silentSince !== null)
    return line('waiting', 'The model has gone quiet. Lathe asks again if it stays so', [
      `nothing for ${elapsed(now - t.silentSince)}`,
    ]);
  return line('running', activity(t));
}

function retryText({ reason, until }: Waiting, now: number): string {
  const left = Math.ceil(Math.max(0, until - now) / 1000);
  const next = left > 0 ? `Trying again in ${elapsed(left * 1000)}` : 'Trying again';
  return `${asSentence(reason)} ${next}`;
}

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
