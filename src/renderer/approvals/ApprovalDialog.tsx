import { useEffect, useRef, useState } from 'react';
import type { Approval } from '../../shared/permission';
import type { Replay } from '../rules/RuleReplay';
import { FocusBack } from '../ui/Dialog';
import { ApprovalCard, type CardProps } from './ApprovalCard';
import type { QuestionQueue } from './DialogFrame';
import { type DiffLayout, EditCard } from './EditCard';
import { groupQuestions, isEdit, questionName } from './edit-group';
import { FormCard } from './FormCard';
import { PlanCard } from './PlanCard';
import { QuestionCard } from './QuestionCard';
import type { OnAnswer } from './use-asking';
import { VisitCard } from './VisitCard';

export interface ApprovalDialogProps {
  /** Pending questions, oldest first. Nothing is drawn when there are none. */
  readonly approvals: readonly Approval[];
  /**
   * Carries the answers, and gives words for the user when one was not taken. While a returned promise is open the
   * dialog takes no second answer.
   */
  readonly onAnswer: OnAnswer;
  /** The user's home folder, written as ~ in paths. */
  readonly home?: string;
  /** Tries a rule on past calls of the project. Without it the dialog does not say what a rule would change. */
  readonly replay?: Replay;
  /** Opens an address in the browser, when the user said so. */
  readonly onOpen?: (url: string) => void;
}

/**
 * Asks the user about calls, one at a time (edits of one response together). It takes its room in the column: put it
 * below the conversation, whose words stay readable, scrollable and selectable.
 */
export function ApprovalDialog({
  approvals,
  onAnswer,
  home = '',
  replay,
  onOpen,
}: ApprovalDialogProps) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [layout, setLayout] = useState<DiffLayout>('unified');
  const last = useRef(0);
  const groups = groupQuestions(approvals);
  const found = groups.findIndex((group) => group.some(({ id }) => id === chosenId));
  const index = found >= 0 ? found : Math.min(last.current, groups.length - 1);
  last.current = Math.max(0, index);
  const current = groups[index];
  const first = current?.[0];
  if (current === undefined || first === undefined) return null;
  const queue: QuestionQueue = {
    index,
    names: groups.map((group) => questionName(group, home)),
    onShow: (at) => {
      const next = groups[(at + groups.length) % groups.length]?.[0];
      if (next) setChosenId(next.id);
    },
  };
  const shared = { queue, onAnswer, home, replay, onOpen };
  return (
    <Docked>
      {current.every(isEdit) ? (
        <EditCard key={first.id} {...shared} edits={current} layout={layout} onLayout={setLayout} />
      ) : (
        <Card key={first.id} {...shared} approval={first} />
      )}
    </Docked>
  );
}

/** The card for what is asked alone. */
function Card(props: CardProps & { readonly approval: Approval }) {
  const { subject } = props.approval;
  switch (subject.kind) {
    case 'question':
      return <QuestionCard {...props} questions={subject.questions} />;
    case 'plan':
      return <PlanCard {...props} plan={subject.plan} />;
    case 'form':
      return <FormCard {...props} message={subject.message} fields={subject.fields} />;
    case 'visit':
      return <VisitCard {...props} message={subject.message} url={subject.url} />;
    default:
      return <ApprovalCard {...props} />;
  }
}

/**
 * Holds the dialog below the conversation, gives the focus back at the end, and brings it back to the dialog when
 * Esc is pressed in the conversation: it must not stop the work while a question is open.
 */
function Docked({ children }: { readonly children: React.ReactNode }) {
  const dock = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event;
      const reading =
        target === document.body ||
        (target instanceof Element && target.closest('[data-conversation]') !== null);
      if (event.key !== 'Escape' || !reading) return;
      event.preventDefault();
      event.stopPropagation();
      dock.current?.querySelector<HTMLElement>('[role=dialog]')?.focus();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  // In a low window the room is shared out by what has the focus: what is pressed must not move away before the press ends.
  const keepFocus = (event: React.MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('button') !== null)
      event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears presses of the buttons in it
    <div
      ref={dock}
      data-question
      onMouseDown={keepFocus}
      className="flex max-h-[max(64%,22rem)] min-h-0 shrink animate-appear justify-center px-3 pt-1 pb-2"
    >
      <FocusBack />
      {children}
    </div>
  );
}
