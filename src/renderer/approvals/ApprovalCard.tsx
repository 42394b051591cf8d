import { ShieldQuestion } from 'lucide-react';
import { useId, useState } from 'react';
import type { Approval, RuleSuggestion } from '../../shared/permission';
import type { Replay } from '../rules/use-replay';
import { Notice } from '../ui/Notice';
import { Segmented } from '../ui/Segmented';
import { AllowAlways } from './AllowAlways';
import { AnswerButtons } from './AnswerButtons';
import { DenyReason } from './DenyReason';
import { DialogFrame, type Place } from './DialogFrame';
import { EditCommand } from './EditCommand';
import type { AnswerIntent } from './guard';
import { RiskLine } from './RiskLine';
import { SubjectView } from './SubjectView';
import { type OnAnswer, useAsking } from './use-asking';
import { WhyLine } from './WhyLine';

export interface CardProps {
  readonly approval: Approval;
  readonly place: Place;
  readonly onAnswer: OnAnswer;
  readonly home: string;
  /** Tries a rule on past calls, where there is somebody to ask. */
  readonly replay?: Replay | undefined;
}

/** A call that asks: the act, what exactly would run, why it asks, and the answers. */
export function ApprovalCard({ approval, place, onAnswer, home, replay }: CardProps) {
  const whyId = useId();
  const asking = useAsking(onAnswer);
  const [layout, setLayout] = useState<DiffLayout>('unified');
  const { subject, decision, digest } = approval;
  const { panel, busy, guard } = asking;
  const [edited, setEdited] = useState(subject.kind === 'command' ? subject.command : '');
  const canEdit = approval.editable === true && subject.kind === 'command';
  const canRemember = decision.suggestions.length > 0;
  // A command is one act: it is approved after its end was in view. A long diff may be approved at any point.
  const unseen = asking.reading.below > 0 && subject.kind !== 'edit';

  const allow = (remember?: RuleSuggestion) =>
    asking.ready(!unseen)
      ? asking.answer({ behavior: 'allow', digest, ...(remember ? { remember } : {}) })
      : undefined;
  const allowEdited = () =>
    asking.ready(true) && edited.trim() !== ''
      ? asking.answer({ behavior: 'allow', digest, edited })
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
      wide={subject.kind === 'edit' && layout === 'split'}
      tools={
        subject.kind === 'edit' && subject.files.some((file) => !file.created) ? (
          <Segmented
            label="Layout of the changes"
            value={layout}
            options={LAYOUTS}
            onChange={setLayout}
          />
        ) : null
      }
      onIntent={onIntent}
      footer={(focused) => (
        <>
          <WhyLine id={whyId} decision={decision} home={home} />
          {asking.problem === null ? null : (
            <div className="mt-2">
              <Notice level="error">{asking.problem}</Notice>
            </div>
          )}
          {panel === 'always' ? (
            <AllowAlways
              suggestions={decision.suggestions}
              busy={busy || !guard.armed}
              replay={replay}
              callId={subject.kind === 'connect' ? undefined : approval.callId}
              onSave={allow}
              onCancel={asking.closePanel}
            />
          ) : null}
          {panel === 'reason' ? (
            <DenyReason busy={busy} onDeny={asking.deny} onCancel={asking.closePanel} />
          ) : null}
          {panel === 'none' ? (
            <AnswerButtons
              busy={busy}
              armed={guard.armed}
              unseen={unseen}
              showKeys={focused}
              onAllow={() => allow()}
              {...(canRemember ? { onAlways: () => asking.open('always') } : {})}
              {...(canEdit ? { onEdit: () => asking.open('edit') } : {})}
              onDeny={() => asking.deny()}
              onReason={() => asking.open('reason')}
            />
          ) : null}
        </>
      )}
    >
      {approval.changed === true ? (
        <div className="mb-2">
          <Notice level="warning">
            This changed while the question stood. It is shown as it is now.
          </Notice>
        </div>
      ) : null}
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
        <SubjectView subject={subject} home={home} split={layout === 'split'} />
      )}
      {panel === 'edit' ? null : <RiskLine risks={approval.risks ?? []} />}
    </DialogFrame>
  );
}

type DiffLayout = 'unified' | 'split';

const LAYOUTS = [
  { value: 'unified', label: 'Unified' },
  { value: 'split', label: 'Side by side' },
] as const;
