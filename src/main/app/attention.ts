import { MAIN_AGENT, type Stamped } from '../../shared/agent-event';
import type { Approval } from '../../shared/permission';
import type { SessionRuntime } from '../engine/session/session-runtime';
import type { SessionRegistry } from './session-registry';
import type { Attention } from './workbench';

/** Tells who asks when a session needs the person. */
export interface AttentionWatch {
  listen(listener: (attention: Attention) => void): () => void;
}

/** Queries shorter than this end without a notification: the person is likely still looking. Milliseconds. */
const WORTH_TELLING_MS = 10_000;

/** Watches every session that is opened. */
export function watchAttention(sessions: Pick<SessionRegistry, 'onOpened'>): AttentionWatch {
  const listeners = new Set<(attention: Attention) => void>();
  sessions.onOpened((runtime) => {
    runtime.session.log.listen((stamped) => {
      const attention = attentionOf(runtime, stamped);
      if (attention) for (const listener of listeners) listener(attention);
    });
  });
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function attentionOf({ session }: SessionRuntime, { event, agentId }: Stamped): Attention | null {
  const title = session.log.transcript().title || 'Lathe';
  const base = { sessionId: session.log.sessionId, project: session.project, title };
  if (event.type === 'approval_requested') {
    return { ...base, kind: 'approval', body: askingFor(event.approval) };
  }
  // The end of a sub-agent is no end of the work.
  if (event.type !== 'query_finished' || agentId !== MAIN_AGENT) return null;
  if (event.durationMs < WORTH_TELLING_MS) return null;
  if (event.terminal === 'aborted_streaming' || event.terminal === 'aborted_tools') return null;
  const failed = event.terminal !== 'completed';
  return { ...base, kind: failed ? 'failed' : 'finished', body: firstLine(event.text) };
}

function askingFor({ subject, title }: Approval): string {
  if (subject.kind === 'question') return firstLine(subject.questions[0]?.question ?? title);
  if (subject.kind === 'plan') return 'Has a plan for you to approve';
  return `Wants to: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
