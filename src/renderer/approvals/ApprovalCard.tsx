import { ShieldQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import type { Approval, RuleSuggestion } from '../../shared/permission';
import type { Replay } from '../rules/use-replay';
import { AskingFooter } from './AskingFooter';
import { ChangedNotice } from './ChangedNotice';
import { DialogFrame, type Place } from './DialogFrame';
import { EditCommand } from './EditCommand';
import type { AnswerIntent } from './guard';
import { RiskLine } from './RiskLine';
import { SubjectView } from './SubjectView';
import { type OnAnswer, useAsking } from './use-asking';
import { WhyLine } from './WhyLine';

/** What every card is told besides what is asked. */
export interface CardProps {
  readonly place: Place;
  readonly onAnswer: OnAnswer;
  readonly home: string;
  /** Tries a rule on past calls, where there is somebody to ask. */
  readonly replay?: Replay | undefined;
}

/** A call that asks: the act, what exactly would run, why it asks, and the answers. */
export function ApprovalCard({
  approval,
  place,
  onAnswer,
  home,
  replay,
}: CardProps & { readonly approval: Approval }) {
  const whyId = useId();
  const asking = useAsking([approval], onAnswer);
  const { subject, decision } = approval;
  const { panel, busy, guard } = asking;
  const [edited, setEdited] = useState(subject.kind === 'command' ? subject.command : '');
  const canEdit = approval.editable === true && subject.kind === 'command';
  const canRemember = decision.suggestions.length > 0;
  // A command is one act: it is approved after its end was in view.
  const unseen = asking.reading.below > 0;

  const allow = (remember?: RuleSuggestion) =>
    asking.ready(!unseen)
      ? asking.answer({ behavior: 'allow', ...(remember ? { remember } : {}) })
      : undefined;
  const allowEdited = () =>
    asking.ready(true) && edited.trim() !== ''
      ? asking.answer({ behavior: 'allow', edited })
      : undefined;

  const onIntent = (intent: AnswerIntent): unknown => {
    switch (intent) {
      case 'allow':
        return allow();
      case 'deny':
        return asking.deny();
      case 'giveReason':
        return asking.open('reason');
      case 'always':
        return canRemember ? asking.open('always') : undefined;
      case 'edit':
        return canEdit ? asking.open('edit') : undefined;
    }
  };

  return (
    <DialogFrame
      asking={asking}
      place={place}
      icon={ShieldQuestion}
      title={approval.title}
      agent={approval.agent}
      describedBy={whyId}
      onIntent={onIntent}
      footer={(focused) => (
        <AskingFooter
          asking={asking}
          why={<WhyLine id={whyId} decision={decision} home={home} />}
          suggestions={decision.suggestions}
          replay={replay}
          callId={subject.kind === 'connect' ? undefined : approval.callId}
          unseen={unseen}
          focused={focused}
          onAllow={allow}
          {...(canEdit ? { onEdit: () => asking.open('edit') } : {})}
        />
      )}
    >
      {approval.changed === true ? <ChangedNotice /> : null}
      {panel === 'edit' && subject.kind === 'command' ? (
        <EditCommand
          original={subject.command}
          value={edited}
          busy={busy || !guard.armed}
          onChange={setEdited}
          onRun={allowEdited}
          onCancel={asking.closePanel}
        />
      ) : (
        <SubjectView subject={subject} home={home} />
      )}
      {panel === 'edit' ? null : <RiskLine risks={approval.risks ?? []} />}
    </DialogFrame>
  );
}
