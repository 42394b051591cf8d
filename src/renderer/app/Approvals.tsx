import type { ApprovalAnswer } from '../../shared/permission';
import { ApprovalDialog } from '../approvals/ApprovalDialog';
import { useRuleReplay } from '../rules/use-rule-replay';
import { currentTranscript } from '../store/screen';
import { answerApproval } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';

/** Refusals after which the dialog goes away by itself, so that they are told beside it. */
const NO_LONGER: ReadonlySet<string> = new Set(['gone', 'not_found', 'closed']);

/** The questions of the session on screen. A failed answer leaves the question standing. */
export function Approvals() {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const approvals = useScreen((s) => currentTranscript(s)?.approvals ?? []);
  const home = useScreen((s) => s.info?.home ?? '');
  const replay = useRuleReplay();
  if (sessionId === null) return null;
  const answer = async (approvalId: string, given: ApprovalAnswer) => {
    const taken = await answerApproval(lathe, sessionId, approvalId, given);
    if (taken.ok || NO_LONGER.has(taken.error.code)) return reported(lathe.store, taken);
    return taken.error.message;
  };
  return (
    <ApprovalDialog
      key={sessionId}
      approvals={approvals}
      onAnswer={answer}
      home={home}
      replay={replay}
    />
  );
}
