import type { Result } from '../../shared/result';
import { ApprovalDialog } from '../approvals/ApprovalDialog';
import type { Given } from '../approvals/reply';
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
  const send = async (given: readonly Given[]) => {
    const answered: Result<null>[] = [];
    for (const { approvalId, answer } of given)
      answered.push(await answerApproval(lathe, sessionId, approvalId, answer));
    const failed = answered.filter((one) => !one.ok);
    const stands = failed.find(({ error }) => !NO_LONGER.has(error.code));
    if (stands) return stands.error.message;
    // A rule that was saved with the first answer may have settled others before theirs came.
    const [gone] = failed;
    return gone && failed.length === answered.length ? reported(lathe.store, gone) : undefined;
  };
  return (
    <ApprovalDialog
      key={sessionId}
      approvals={approvals}
      onAnswer={send}
      home={home}
      replay={replay}
    />
  );
}
