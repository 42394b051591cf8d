import type { AgentEvent } from '../../../shared/agent-event';
import type { HookSetting } from '../../../shared/hooks';
import type { Clock } from '../ports';
import { cap } from './cap';
import type { HookReply } from './reply';

/** The most sequences of all hooks of a session in a span of time. Milliseconds. */
const MAX_IN_SPAN = 20;
const SPAN_MS = 10_000;

/** As much of a command as a notice names. UTF-16 units. */
const MAX_NAMED = 300;

/** Gives the user the signals of a hook, and tells once of each hook what is dropped. */
export type GiveSignals = (hook: HookSetting, reply: HookReply) => void;

/** Creates it for one session. A hook that runs at each call or line could ring without end: what is too much is dropped. */
export function createSignals(clock: Clock, emit: (event: AgentEvent) => void): GiveSignals {
  const told = new Set<string>();
  let given: readonly number[] = [];
  const tellDropped = (hook: HookSetting, dropped: readonly string[]) => {
    if (dropped.length === 0 || told.has(hook.run)) return;
    told.add(hook.run);
    const text = `The terminalSequence of a hook may not have this, which was dropped: ${dropped.join(', ')} (${cap(hook.run, MAX_NAMED)})`;
    emit({ type: 'notice', level: 'warning', code: 'hook_signal_dropped', text });
  };
  return (hook, { terminal, dropped }) => {
    if (terminal === null) return tellDropped(hook, dropped);
    const now = clock.now();
    given = given.filter((at) => now - at < SPAN_MS);
    const { sequences, signals } = terminal;
    const isTooMuch = given.length + sequences.length > MAX_IN_SPAN;
    tellDropped(
      hook,
      isTooMuch ? [...dropped, `more than ${MAX_IN_SPAN} in ${SPAN_MS / 1000} s`] : dropped,
    );
    if (isTooMuch) return;
    given = [...given, ...sequences.map(() => now)];
    emit({ type: 'terminal_signals', sequences, signals });
  };
}
