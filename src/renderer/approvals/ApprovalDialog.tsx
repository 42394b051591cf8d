import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Approval, ApprovalAnswer } from '../../shared/permission';
import type { Replay } from '../rules/use-replay';
import { ApprovalCard, type CardProps } from './ApprovalCard';
import { makeRestInert } from './focus-inside';
import { PlanCard } from './PlanCard';
import { QuestionCard } from './QuestionCard';

export interface ApprovalDialogProps {
  /** Pending questions, oldest first. Nothing is drawn when there are none. */
  readonly approvals: readonly Approval[];
  /**
   * Carries the answer, and gives words for the person when it was not taken. While a returned promise is open the
   * dialog takes no second answer.
   */
  readonly onAnswer: (approvalId: string, answer: ApprovalAnswer) => unknown;
  /** The person's home folder, written as ~ in paths. */
  readonly home?: string;
  /** Tries a rule on past calls of the project. Without it the dialog does not say what a rule would change. */
  readonly replay?: Replay;
}

/**
 * Asks the person about calls, one at a time, over the nearest positioned parent: put it inside the
 * conversation's box (position: relative), so that terminals stay visible and usable.
 */
export function ApprovalDialog({ approvals, onAnswer, home = '', replay }: ApprovalDialogProps) {
  const [chosenId, setChosenId] = useState<string | null>(null);
  const place = useRef(0);
  const found = approvals.findIndex((approval) => approval.id === chosenId);
  const index = found >= 0 ? found : Math.min(place.current, approvals.length - 1);
  place.current = Math.max(0, index);
  const current = approvals[index];
  if (current === undefined) return null;
  const move = (by: number) => {
    const next = approvals[(index + by + approvals.length) % approvals.length];
    if (next) setChosenId(next.id);
  };
  return (
    <Layer>
      <Card
        key={current.id}
        approval={current}
        place={{ position: index + 1, total: approvals.length, onMove: move }}
        onAnswer={(answer) => onAnswer(current.id, answer)}
        home={home}
        replay={replay}
      />
    </Layer>
  );
}

/** The card for what is asked. */
function Card(props: CardProps) {
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
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const element = layer.current;
    return element ? makeRestInert(element) : undefined;
  }, []);
  useEffect(() => {
    const element = before.current;
    return () => {
      if (element instanceof HTMLElement && element.isConnected) element.focus();
    };
  }, []);
  // Read while drawing, before the card takes the focus.
  before.current ??= typeof document === 'undefined' ? null : document.activeElement;
  return (
    <div
      ref={layer}
      className="absolute inset-0 z-30 flex animate-appear items-end justify-center bg-scrim p-3"
    >
      {children}
    </div>
  );
}
