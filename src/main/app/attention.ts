import type { Stamped } from '../../shared/agent-event';
import type { SessionBook } from './session-book';
import type { SessionRuntime } from './session-runtime';
import type { Attention } from './workbench';

/** Tells who asks when a session needs the person. */
export interface AttentionWatch {
  listen(listener: (attention: Attention) => void): () => void;
}

/** Queries shorter than this end without a notification. UI.md, "Over 10 s unfocused". Milliseconds. */
const WORTH_TELLING_MS = 10_000;

/** Watches every session that is opened. */
export function watchAttention(sessions: Pick<SessionBook, 'onOpened'>): AttentionWatch {
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

function attentionOf({ session }: SessionRuntime, { event }: Stamped): Attention | null {
  const title = session.log.transcript().title || 'Lathe';
  const base = { sessionId: session.log.sessionId, project: session.project, title };
  if (event.type === 'approval_requested') {
    return { ...base, kind: 'approval', body: `Wants to: ${event.approval.title.toLowerCase()}` };
  }
  if (event.type !== 'query_finished' || event.durationMs < WORTH_TELLING_MS) return null;
  if (event.terminal === 'aborted_streaming' || event.terminal === 'aborted_tools') return null;
  const failed = event.terminal !== 'completed';
  return { ...base, kind: failed ? 'failed' : 'finished', body: firstLine(event.text) };
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
