import type { AgentEvent } from '../../../shared/agent-event';
import type { Approval, ApprovalAnswer } from '../../../shared/permission';

/** Asks the person, one dialog a question, and waits. Whatever goes wrong is a denial. */
export interface Broker {
  /**
   * Resolves with the answer; with a denial when the signal aborts or the broker closes.
   * `nowAllowed` is asked again whenever a rule was saved, so that one answer can settle its like.
   */
  ask(
    approval: Approval,
    nowAllowed: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer>;
  /** False when nobody waits for this id any more. */
  answer(approvalId: string, answer: ApprovalAnswer): boolean;
  /** Settles every pending question that the rules allow by now. */
  recheck(): Promise<void>;
}

interface Pending {
  readonly approval: Approval;
  readonly nowAllowed: () => Promise<boolean>;
  settle(answer: ApprovalAnswer): void;
}

/** Creates the broker of one session. Events go to `emit`. */
export function createBroker(emit: (event: AgentEvent) => void): Broker {
  const pending = new Map<string, Pending>();

  const answer = (approvalId: string, reply: ApprovalAnswer): boolean => {
    const waiting = pending.get(approvalId);
    if (!waiting) return false;
    pending.delete(approvalId);
    emit({
      type: 'approval_answered',
      approvalId,
      callId: waiting.approval.callId,
      behavior: reply.behavior,
      ...(reply.behavior === 'allow' && reply.remember ? { rule: reply.remember.rule } : {}),
    });
    waiting.settle(reply);
    return true;
  };

  return {
    ask: (approval, nowAllowed, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve({ behavior: 'deny' });
        const withdraw = () => {
          if (!pending.delete(approval.id)) return;
          emit({ type: 'approval_withdrawn', approvalId: approval.id });
          resolve({ behavior: 'deny' });
        };
        signal.addEventListener('abort', withdraw, { once: true });
        pending.set(approval.id, {
          approval,
          nowAllowed,
          settle: (reply) => {
            signal.removeEventListener('abort', withdraw);
            resolve(reply);
          },
        });
        emit({ type: 'approval_requested', approval });
      }),
    answer,
    recheck: async () => {
      for (const [id, waiting] of [...pending]) {
        if (await waiting.nowAllowed()) answer(id, { behavior: 'allow' });
      }
    },
  };
}
