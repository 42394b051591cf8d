import { ChangedNotice } from './ChangedNotice';
import type { EditApproval } from './edit-group';
import { RiskLine } from './RiskLine';
import { RealPath } from './SubjectView';
import { WhyLine } from './WhyLine';

/** What a person must know of one file before it is changed; nothing when there is nothing. */
export function FileNotes({
  edit,
  home,
  reason,
}: {
  readonly edit: EditApproval;
  readonly home: string;
  /** Says why this file asks. */
  readonly reason: boolean;
}) {
  const { path, realPath } = edit.subject;
  return (
    <div className="mb-1 empty:hidden">
      <RealPath path={path} realPath={realPath} home={home} />
      {reason ? <WhyLine decision={edit.decision} home={home} small /> : null}
      <RiskLine risks={edit.risks ?? []} />
      {edit.changed === true ? <ChangedNotice /> : null}
    </div>
  );
}
