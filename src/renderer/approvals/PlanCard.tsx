import { ListChecks } from 'lucide-react';
import { useId, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../shared/permission';
import { Markdown } from '../chat/Markdown';
import { useKeymap } from '../commands/use-keymap';
import { useKeptText } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Segmented, TextArea } from '../ui/Fields';
import { onApple, withKeys } from '../ui/keys';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { hidesSomething } from '../ui/visible-text';
import type { CardProps } from './ApprovalCard';
import { DenyReason } from './AskingFooter';
import { DialogFrame, KeyCap } from './DialogFrame';
import type { AnswerIntent } from './guard';
import { useAsking } from './use-asking';

type Look = 'read' | 'edit';
type Mode = Extract<ApprovalAnswer, { behavior: 'approvePlan' }>['mode'];

const LOOKS = [
  { value: 'read', label: 'Read' },
  { value: 'edit', label: 'Edit' },
] as const;

/** A plan to read, change, and approve or send back. */
export function PlanCard({
  approval,
  plan: proposed,
  queue,
  onAnswer,
}: CardProps & { readonly approval: Approval; readonly plan: string }) {
  const { keyOf } = useKeymap();
  const hintId = useId();
  const asking = useAsking([approval], onAnswer);
  const [look, setLook] = useState<Look>('read');
  const [plan, setPlan] = useKeptText(`plan ${approval.id}`, proposed);
  const changed = plan !== proposed;
  const unseen = look === 'read' && asking.reading.below > 0;

  const approve = (mode: Mode): unknown =>
    plan.trim() !== '' && asking.ready(!unseen)
      ? asking.answer({ behavior: 'approvePlan', plan, mode })
      : undefined;
  const onIntent = (intent: AnswerIntent): unknown => {
    switch (intent) {
      case 'allow':
        return approve('default');
      case 'always':
        return approve('acceptEdits');
      case 'edit':
        return setLook('edit');
      case 'giveReason':
        return asking.open('reason');
      case 'deny':
        return asking.deny();
    }
  };

  return (
    <DialogFrame
      asking={asking}
      queue={queue}
      icon={ListChecks}
      title={approval.title}
      agent={approval.agent}
      describedBy={hintId}
      tools={<Segmented label="View of the plan" value={look} options={LOOKS} onChange={setLook} />}
      onIntent={onIntent}
      footer={(focused) => (
        <>
          <p id={hintId} className="text-code text-ink-2">
            {changed
              ? 'Lathe carries the plan out as you changed it.'
              : 'Nothing is changed before you approve. You can change the plan first.'}
          </p>
          {asking.problem === null ? null : (
            <div className="mt-2">
              <Notice level="error">{asking.problem}</Notice>
            </div>
          )}
          {asking.panel === 'reason' ? (
            <DenyReason
              about={asking.about}
              busy={asking.busy}
              label="What should the plan do differently?"
              action="Keep planning"
              onDeny={asking.deny}
              onCancel={asking.closePanel}
            />
          ) : (
            <div className="mt-3 flex flex-wrap items-center gap-2">
              <Button
                variant="primary"
                busy={asking.busy}
                disabled={plan.trim() === ''}
                aria-disabled={!asking.guard.armed}
                aria-keyshortcuts="Enter"
                onClick={() => approve('default')}
              >
                {unseen ? 'Show the rest' : 'Approve, ask for edits'}
                <KeyCap keys={keyOf('allow')} shown={focused && look === 'read'} onFill />
              </Button>
              <Button
                disabled={asking.busy || plan.trim() === ''}
                aria-disabled={!asking.guard.armed}
                aria-keyshortcuts="Shift+Enter"
                title={withKeys('Approve, accept edits', keyOf('always'), onApple())}
                onClick={() => approve('acceptEdits')}
              >
                Approve, accept edits
              </Button>
              <span className="ml-auto flex flex-wrap justify-end gap-2">
                <Button
                  variant="ghost"
                  disabled={asking.busy}
                  aria-keyshortcuts="Tab"
                  onClick={() => asking.open('reason')}
                >
                  Keep planning…
                  <KeyCap keys={keyOf('giveReason')} shown={focused && look === 'read'} />
                </Button>
                <Button
                  disabled={asking.busy}
                  aria-keyshortcuts="Escape"
                  onClick={() => asking.deny()}
                >
                  Not now
                  <KeyCap keys={keyOf('deny')} shown={focused} />
                </Button>
              </span>
            </div>
          )}
        </>
      )}
    >
      {look === 'edit' ? (
        <TextArea
          label="The plan"
          hideLabel
          value={plan}
          onChange={setPlan}
          mono
          autoFocus
          rows={Math.min(28, Math.max(10, plan.split('\n').length + 1))}
        />
      ) : (
        <PlanText plan={plan} />
      )}
    </DialogFrame>
  );
}

/** The plan as it reads; to the letter when something in it does not show. */
export function PlanText({ plan }: { readonly plan: string }) {
  if (!hidesSomething(plan)) return <Markdown text={plan} done />;
  return (
    <>
      <Notice level="warning">
        This plan holds characters that do not show; here they are marked.
      </Notice>
      <pre className="mt-2 text-code whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={plan} padding />
      </pre>
    </>
  );
}
