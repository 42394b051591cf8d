import { MessageCircleQuestion } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import type { Approval } from '../../shared/permission';
import type { Question, QuestionAnswer } from '../../shared/question';
import { Button } from '../ui/Button';
import { Notice } from '../ui/Notice';
import type { CardProps } from './ApprovalCard';
import { DialogFrame } from './DialogFrame';
import { KeyCap } from './KeyCap';
import { QuestionField } from './QuestionField';
import { type Draft, draftAnswer, emptyDraft, toggled } from './question-draft';
import { useAsking } from './use-asking';

/** Questions of the model: options to choose, words of one's own, and a way not to answer. */
export function QuestionCard({
  approval,
  questions,
  place,
  onAnswer,
}: CardProps & { readonly approval: Approval; readonly questions: readonly Question[] }) {
  const hintId = useId();
  const asking = useAsking([approval], onAnswer);
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => questions.map(() => emptyDraft));
  const answers = questions.map((_, at) => draftAnswer(drafts[at] ?? emptyDraft));
  const open = answers.filter((answer) => answer === null).length;
  const change = (at: number, draft: Draft) => setDrafts(drafts.with(at, draft));

  const send = () => {
    const complete = answers.filter((answer): answer is QuestionAnswer => answer !== null);
    if (complete.length < questions.length || !asking.ready(true)) return;
    asking.answer({ behavior: 'answers', answers: complete }).catch(() => {});
  };

  /** A number chooses in the question that has the focus, or in the first without an answer. */
  const onKey = (event: KeyboardEvent<HTMLDivElement>): boolean => {
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
    const typing = event.target instanceof HTMLElement && event.target.matches('input[type=text]');
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (digit === 0 || typing || modified || event.repeat || asking.guard.left() > 0) return false;
    const within = event.target instanceof HTMLElement ? event.target.closest('fieldset') : null;
    const own = Number(within?.dataset['question'] ?? -1);
    const first = Math.max(0, answers.indexOf(null));
    const at = own >= 0 ? own : first;
    const question = questions[at];
    const draft = drafts[at];
    if (!question || !draft || digit > question.options.length + 1) return false;
    change(at, toggled(draft, question, digit - 1));
    focusOption(asking.frame.current, at, digit - 1);
    return true;
  };

  return (
    <DialogFrame
      asking={asking}
      place={place}
      icon={MessageCircleQuestion}
      title={approval.title}
      agent={approval.agent}
      describedBy={hintId}
      wide={questions.some((q) => q.options.some((option) => option.preview !== undefined))}
      onKey={onKey}
      onIntent={(intent) => {
        if (intent === 'deny') return asking.deny();
        if (intent === 'allow') return send();
        if (intent === 'giveReason') return focusOption(asking.frame.current, 0, 0);
        return undefined;
      }}
      footer={(focused) => (
        <>
          {asking.problem === null ? null : (
            <div className="mb-2">
              <Notice level="error">{asking.problem}</Notice>
            </div>
          )}
          <div className="flex flex-wrap items-center justify-end gap-2">
            <p id={hintId} className="mr-auto min-w-0 text-meta text-ink-3">
              {open === 0 ? 'Lathe goes on with your answers.' : 'Number keys choose, Tab goes on.'}
            </p>
            <Button onClick={() => asking.deny()} disabled={asking.busy} aria-keyshortcuts="Escape">
              Do not answer
              <KeyCap keys="esc" shown={focused} />
            </Button>
            <Button
              variant="primary"
              busy={asking.busy}
              disabled={open > 0}
              aria-disabled={!asking.guard.armed}
              aria-keyshortcuts="Enter"
              onClick={send}
            >
              {questions.length === 1 ? 'Send answer' : 'Send answers'}
              <KeyCap keys="enter" shown={focused} onFill />
            </Button>
          </div>
        </>
      )}
    >
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {questions.map((question, at) => (
          <QuestionField
            key={`${at}:${question.question}`}
            question={question}
            at={at}
            draft={drafts[at] ?? emptyDraft}
            onChange={(draft) => change(at, draft)}
          />
        ))}
        {/* Enter in a field sends the form only when it has a button of its own. */}
        <button type="submit" hidden tabIndex={-1} aria-hidden disabled={open > 0} />
      </form>
    </DialogFrame>
  );
}

function focusOption(frame: HTMLElement | null, question: number, option: number): void {
  const place = `[data-question="${question}"] [data-option="${option}"]`;
  frame?.querySelector<HTMLElement>(place)?.focus();
}
