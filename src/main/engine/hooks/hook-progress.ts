import type { AgentEvent } from '../../../shared/agent-event';
import type { RunningHook } from '../../../shared/hooks';
import type { Clock, CommandOutput } from '../ports';
import { cap } from './cap';

/** The pause between two looks at what a hook has printed. Milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Tells what a running hook prints. */
export interface HookProgress {
  /** Begins to look at its output. */
  readonly begin: (outputSoFar: () => CommandOutput) => void;
  /** Ends it: the report of the hook has all of it. */
  stop(): void;
}

/** Creates what tells of one hook: only what is new, and no more than once a second. */
export function createHookProgress(
  hook: RunningHook,
  clock: Clock,
  emit: (event: AgentEvent) => void,
): HookProgress {
  const over = new AbortController();
  let told = 0;
  const look = (outputSoFar: () => CommandOutput): void => {
    const { stdout, stderr } = outputSoFar();
    // Output only grows, so that its length says whether there is more.
    const length = stdout.length + stderr.length;
    if (length === told) return;
    told = length;
    emit({ type: 'hook_progress', hook, stdout: cap(stdout), stderr: cap(stderr) });
  };
  const follow = async (outputSoFar: () => CommandOutput): Promise<void> => {
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, over.signal);
      if (over.signal.aborted) return;
      look(outputSoFar);
    }
  };
  return {
    // A sleep never rejects, and `stop` ends it.
    begin: (outputSoFar) => void follow(outputSoFar),
    stop: () => over.abort(),
  };
}
