import type { Transcript } from '../../shared/transcript';
import { elapsed } from '../ui/format';

/** What the line under a running query says. */
export interface LiveLine {
  readonly state: 'running' | 'waits' | 'waiting';
  readonly text: string;
  /** Grey facts after the text. */
  readonly facts: readonly string[];
}

/** One honest line about what is going on: who waits for whom, and since when. `now` is epoch milliseconds. */
export function liveLine(t: Transcript, now: number): LiveLine {
  const since = t.running ? elapsed(now - t.running.startedAt) : '';
  const facts = [since].filter((fact) => fact !== '');
  if (t.approvals.length > 0) return { state: 'waits', text: 'Waits for your answer', facts };
  if (t.waiting) {
    const { reason, attempt, maxAttempts, until } = t.waiting;
    const left = Math.ceil(Math.max(0, until - now) / 1000);
    const next = left > 0 ? `trying again in ${left} s` : 'trying again';
    return {
      state: 'waiting',
      text: `${sentence(reason)} ${upperFirst(next)}`,
      facts: [`attempt ${attempt} of ${maxAttempts}`, ...facts],
    };
  }
  if (t.stalledMs !== null)
    return {
      state: 'waiting',
      text: `No answer from the model for ${elapsed(t.stalledMs)}`,
      facts,
    };
  return { state: 'running', text: activity(t), facts };
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

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `text` ended by a full stop, as one sentence before another. */
const sentence = (text: string): string =>
  /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
