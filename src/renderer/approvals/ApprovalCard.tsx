import { ShieldQuestion } from 'lucide-react';
import { useId } from 'react';
import type { Approval, RuleSuggestion } from '../../shared/permission';
import type { Replay } from '../rules/RuleReplay';
import { useKeptText } from '../store/use-lathe';
import { Button, Kbd } from '../ui/Button';
import { TextArea } from '../ui/Fields';
import { modHeld, onApple } from '../ui/keys';
import { VisibleText } from '../ui/VisibleText';
import { hidesSomething } from '../ui/visible-text';
import { AskingFooter, ChangedNotice } from './AskingFooter';
import { DialogFrame, type QuestionQueue } from './DialogFrame';
import type { AnswerIntent } from './guard';
import { SubjectView } from './SubjectView';
import { type OnAnswer, useAsking } from './use-asking';
import { RiskLine, WhyLine } from './WhyLine';

/** Props common to all cards. */
export interface CardProps {
  readonly queue: QuestionQueue;
  readonly onAnswer: OnAnswer;
  readonly home: string;
  /** Tries a rule on past calls, where there is somebody to ask. */
  readonly replay?: Replay | undefined;
  /** Opens an address in the browser. */
  readonly onOpen?: ((url: string) => void) | undefined;
}

/** A call that asks: the act, what exactly would run, why it asks, and the answers. */
export function ApprovalCard({
  approval,
  queue,
  onAnswer,
  home,
  replay,
}: CardProps & { readonly approval: Approval }) {
  const whyId = useId();
  const asking = useAsking([approval], onAnswer);
  const { subject, decision } = approval;
  const { panel, busy, guard } = asking;
  const [edited, setEdited] = useKeptText(
    `edit ${approval.id}`,
    subject.kind === 'command' ? subject.command : '',
  );
  const canEdit = approval.editable === true && subject.kind === 'command';
  const changed = subject.kind === 'command' && edited !== subject.command;
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
      queue={queue}
      icon={ShieldQuestion}
      title={approval.title}
      agent={approval.agent}
      describedBy={whyId}
      onIntent={onIntent}
      footer={(focused) => (
        <AskingFooter
          asking={asking}
          why={
            panel === 'edit' && changed ? (
              <p id={whyId} className="text-code text-ink-2">
                Your rules judge it anew, as you changed it.
              </p>
            ) : (
              <WhyLine id={whyId} decision={decision} home={home} />
            )
          }
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

/** More lines than this scroll inside the field. */
const MAX_ROWS = 14;

/** The command as the user would rather have it. It is judged again before it runs, to the letter. */
function EditCommand({
  original,
  value,
  busy,
  onChange,
  onRun,
  onCancel,
}: {
  readonly original: string;
  readonly value: string;
  readonly busy: boolean;
  readonly onChange: (text: string) => void;
  readonly onRun: () => unknown;
  readonly onCancel: () => void;
}) {
  const hides = hidesSomething(value);
  return (
    <form
      aria-label="Edit the command"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <TextArea
        label="Run this instead"
        hint="Lathe is told what you changed."
        value={value}
        onChange={onChange}
        mono
        autoFocus
        spellCheck={false}
        rows={Math.min(MAX_ROWS, Math.max(2, value.split('\n').length))}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.repeat || !modHeld(event, onApple())) return;
          event.preventDefault();
          onRun();
        }}
      />
      {hides ? (
        <div role="status" className="text-meta text-waits">
          It holds characters that do not show:
          <pre className="mt-1 rounded-md border border-line bg-sunken px-3 py-2 text-code whitespace-pre-wrap text-ink [overflow-wrap:anywhere]">
            <VisibleText text={value} padding />
          </pre>
        </div>
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        {value === original ? null : (
          <Button variant="ghost" onClick={() => onChange(original)}>
            Undo changes
          </Button>
        )}
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy || value.trim() === ''}>
          Run edited command
          <span aria-hidden className="inline-flex">
            <Kbd keys="mod+enter" tone="fill" />
          </span>
        </Button>
      </div>
    </form>
  );
}
