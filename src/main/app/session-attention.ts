import { MAIN_AGENT, type Stamped } from '../../shared/agent-event';
import type { AppFeed } from '../../shared/contract';
import type { Approval } from '../../shared/permission';
import { createShownAnswer, type ShownAnswer } from '../../shared/shown-answer';
import type { Session } from '../engine/session/session';
import type { Attention } from './workbench';

type Heard = Pick<Session, 'log' | 'project'>;

/** Tells of each session that is opened. */
export interface OpenedSessions {
  onOpened(listener: (runtime: { readonly session: Heard }) => void): void;
}

/** Tells its listeners when a session needs the user. */
interface AttentionWatch {
  listen(listener: (attention: Attention) => void): () => void;
}

/** The shortest query whose end is notified: after a shorter one the user is likely still looking. Milliseconds. */
const WORTH_TELLING_MS = 10_000;

/** Watches every session that is opened for what needs the user. */
export function watchAttention(sessions: OpenedSessions): AttentionWatch {
  const listeners = new Set<(attention: Attention) => void>();
  sessions.onOpened(({ session }) => {
    const answer = createShownAnswer();
    session.log.listen((stamped) => {
      if (stamped.agentId === MAIN_AGENT) answer.see(stamped.event);
      for (const attention of attentionsOf(session, stamped, answer))
        for (const listener of listeners) listener(attention);
    });
  });
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Tells windows of the signals that hooks of every session give, but titles. */
export function tellSignals(
  sessions: OpenedSessions,
  tell: (request: Extract<AppFeed, { type: 'signal' }>) => void,
): void {
  sessions.onOpened(({ session }) => {
    session.log.listen(({ event, sessionId }) => {
      if (event.type !== 'terminal_signals') return;
      for (const signal of event.signals)
        if (signal.kind !== 'title')
          tell({ type: 'signal', project: session.project, sessionId, signal });
    });
  });
}

function attentionsOf(
  session: Heard,
  { event, agentId }: Stamped,
  answer: ShownAnswer,
): readonly Attention[] {
  const title = session.log.transcript().title || 'Lathe';
  const base = { sessionId: session.log.sessionId, project: session.project, title };
  if (event.type === 'approval_requested') {
    return [{ ...base, kind: 'approval', body: askingFor(event.approval) }];
  }
  if (event.type === 'terminal_signals') {
    return event.signals.flatMap((signal) =>
      signal.kind === 'notification'
        ? { ...base, kind: 'hook', title: signal.title || title, body: signal.body }
        : [],
    );
  }
  // The end of a sub-agent is no end of the work.
  if (event.type !== 'query_finished' || agentId !== MAIN_AGENT) return [];
  if (event.durationMs < WORTH_TELLING_MS) return [];
  if (event.terminal === 'aborted_streaming' || event.terminal === 'aborted_tools') return [];
  const kind = event.terminal === 'completed' ? 'finished' : 'failed';
  return [{ ...base, kind, body: firstLine(answer.shown(event.text)) }];
}

function askingFor({ subject, title }: Approval): string {
  if (subject.kind === 'question') return firstLine(subject.questions[0]?.question ?? title);
  if (subject.kind === 'plan') return 'Has a plan for you to approve';
  return `Wants to: ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
