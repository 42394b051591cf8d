import { useLayoutEffect, useRef, useState } from 'react';
import type { Approval } from '../../shared/permission';
import type { Replay } from '../rules/RuleReplay';
import { FocusBack } from '../ui/Dialog';
import { ApprovalCard, type CardProps } from './ApprovalCard';
import { makeRestInert } from './DialogFrame';
import { type DiffLayout, EditCard } from './EditCard';
import { groupQuestions, isEdit } from './edit-group';
import { PlanCard } from './PlanCard';
import { QuestionCard } from './QuestionCard';
import type { OnAnswer } from './use-asking';

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
}

/**
 * Asks the user about calls, one at a time (edits of one response together), over the nearest positioned parent: put it inside the
 * conversation's box (position: relative), so that terminals stay visible and usable.
 */
export function ApprovalDialog({ approvals, onAnswer, home = '', replay }: ApprovalDialogProps) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [layout, setLayout] = useState<DiffLayout>('unified');
  const place = useRef(0);
  const groups = groupQuestions(approvals);
  const found = groups.findIndex((group) => group.some(({ id }) => id === chosenId));
  const index = found >= 0 ? found : Math.min(place.current, groups.length - 1);
  place.current = Math.max(0, index);
  const current = groups[index];
  const first = current?.[0];
  if (current === undefined || first === undefined) return null;
  const move = (by: number) => {
    const next = groups[(index + by + groups.length) % groups.length]?.[0];
    if (next) setChosenId(next.id);
  };
  const shared = {
    place: { position: index + 1, total: groups.length, onMove: move },
    onAnswer,
    home,
    replay,
  };
  return (
    <Layer>
      {current.every(isEdit) ? (
        <EditCard key={first.id} {...shared} edits={current} layout={layout} onLayout={setLayout} />
      ) : (
        <Card key={first.id} {...shared} approval={first} />
      )}
    </Layer>
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
    default:
      return <ApprovalCard {...props} />;
  }
}

/** Covers the conversation, makes it inert, and gives the focus back at the end. */
function Layer({ children }: { readonly children: React.ReactNode }) {
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = layer.current;
    return element ? makeRestInert(element) : undefined;
  }, []);
  return (
    <div
      ref={layer}
      className="absolute inset-0 z-30 flex animate-appear items-end justify-center bg-scrim p-3"
    >
      <FocusBack />
      {children}
    </div>
  );
}
