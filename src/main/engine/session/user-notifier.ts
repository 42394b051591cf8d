import { MAIN_AGENT } from '../../../shared/agent-event';
import type { Approval } from '../../../shared/permission';
import type { EventLog } from '../event-log';
import type { SessionHooks } from '../hooks/session-hooks';
import type { Clock } from '../ports';

/** The time a question stands before hooks are told that the user is wanted. Milliseconds, as the ecosystem's. */
const UNANSWERED_MS = 6_000;
/** The time without a prompt after which hooks are told that Lathe waits. Milliseconds, as the ecosystem's. */
const IDLE_MS = 60_000;

export interface NotificationsOptions {
  readonly log: Pick<EventLog, 'listen'>;
  readonly clock: Clock;
  readonly hooks: Pick<SessionHooks, 'has' | 'notify'>;
}

/**
 * Tells Notification hooks that the user is wanted: a question stands unanswered, or Lathe waits for them. Gives what
 * ends the watch.
 */
export function watchForUser({ log, clock, hooks }: NotificationsOptions): () => void {
  const waits = new Map<string, AbortController>();

  const stop = (name: string) => {
    waits.get(name)?.abort();
    waits.delete(name);
  };
  const start = (name: string, ms: number, tell: () => void) => {
    stop(name);
    if (!hooks.has('Notification')) return;
    const wait = new AbortController();
    waits.set(name, wait);
    // A sleep never rejects; `stop` ends it.
    clock.sleep(ms, wait.signal).then(() => {
      if (!wait.signal.aborted) tell();
    });
  };

  const unlisten = log.listen(({ event, agentId }) => {
    switch (event.type) {
      case 'approval_requested':
        return start(event.approval.id, UNANSWERED_MS, () =>
          hooks.notify(typeOf(event.approval), wishOf(event.approval), 'Lathe needs you'),
        );
      case 'approval_answered':
      case 'approval_withdrawn':
        return stop(event.approvalId);
      case 'query_started':
        return agentId === MAIN_AGENT ? stop(IDLE) : undefined;
      case 'query_finished':
        return agentId === MAIN_AGENT
          ? start(IDLE, IDLE_MS, () =>
              hooks.notify('idle_prompt', 'Lathe is waiting for your input', 'Lathe'),
            )
          : undefined;
    }
  });
  return () => {
    unlisten();
    for (const name of [...waits.keys()]) stop(name);
  };
}

/** The name of the one wait that is about no question. */
const IDLE = 'idle';

const typeOf = ({ subject: { kind } }: Approval): string =>
  kind === 'form' || kind === 'visit' ? 'elicitation_dialog' : 'permission_prompt';

function wishOf({ subject, tool }: Approval): string {
  if (subject.kind === 'question') return 'Lathe has a question for you';
  if (subject.kind === 'plan') return 'Lathe has a plan for you to approve';
  if (subject.kind === 'form' || subject.kind === 'visit')
    return `The tool server ${subject.server} asks you something`;
  if (subject.kind === 'connect') return `Lathe needs your permission to reach ${subject.host}`;
  return `Lathe needs your permission to use ${tool}`;
}
