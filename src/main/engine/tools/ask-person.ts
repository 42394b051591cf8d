import type { Approval, ApprovalAnswer, ApprovalSubject } from '../../../shared/permission';
import type { Broker } from '../permissions/broker';
import type { Ids } from '../ports';
import { titleOf } from './approval-content';

/** Puts something of a call before the person and waits; a denial when the signal aborts. */
export type AskAboutCall = (
  call: { readonly id: string; readonly tool: string },
  subject: ApprovalSubject,
  signal: AbortSignal,
) => Promise<ApprovalAnswer>;

/** Questions that tools themselves ask: nothing is permitted by their answer, and no rule can give it. */
export const createQuestions =
  (broker: Broker, ids: Ids): AskAboutCall =>
  (call, subject, signal) => {
    const id = ids.next('apr');
    const approval: Approval = {
      id,
      callId: call.id,
      tool: call.tool,
      title: titleOf(subject),
      subject,
      decision: {
        behavior: 'ask',
        reason: 'only you can answer this',
        why: [],
        suggestions: [],
      },
      digest: id,
    };
    return broker.ask({ approval }, signal);
  };
