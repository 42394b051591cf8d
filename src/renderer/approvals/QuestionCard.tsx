import { MessageCircleQuestion } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo } from 'react';
import { z } from 'zod';
import type { Approval } from '../../shared/permission';
import type { Question, QuestionAnswer, QuestionOption } from '../../shared/question';
import { useKeptText } from '../store/use-lathe';
import { cx } from '../ui/css';
import { Badge } from '../ui/Marks';
import { VisibleProse, VisibleText } from '../ui/VisibleText';
import { AnswerFooter } from './AnswerFooter';
import type { CardProps } from './ApprovalCard';
import { DialogFrame } from './DialogFrame';
import { useAsking } from './use-asking';

/** Questions of the model: options to choose, words of one's own, and a way not to answer. */
export function QuestionCard({
  approval,
  questions,
  queue,
  onAnswer,
}: CardProps & { readonly approval: Approval; readonly questions: readonly Question[] }) {
  const hintId = useId();
  const asking = useAsking([approval], onAnswer);
  const [kept, keep] = useKeptText(`answers ${approval.id}`);
  const drafts = useMemo(() => draftsIn(kept, questions.length), [kept, questions.length]);
  const answers = questions.map((_, at) => draftAnswer(drafts[at] ?? emptyDraft));
  const open = answers.filter((answer) => answer === null).length;
  const change = (at: number, draft: Draft) => keep(JSON.stringify(drafts.with(at, draft)));

  const send = () => {
    const complete = answers.filter((answer): answer is QuestionAnswer => answer !== null);
    if (complete.length < questions.length || !asking.ready(true)) return;
    asking.answer({ behavior: 'answers', answers: complete }).catch(() => {});
  };

  /** Chooses an option by number in the focused question, or in the first without an answer. */
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
      queue={queue}
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
        <AnswerFooter
          asking={asking}
          focused={focused}
          hintId={hintId}
          hint={
            open === 0 ? 'Lathe goes on with your answers.' : 'Number keys choose, Tab goes on.'
          }
          decline="Do not answer"
          send={questions.length === 1 ? 'Send answer' : 'Send answers'}
          incomplete={open > 0}
          onSend={send}
        />
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
  const selector = `[data-question="${question}"] [data-option="${option}"]`;
  frame?.querySelector<HTMLElement>(selector)?.focus();
}

/** One question with its options, the previews of those that have one, and room for another answer. */
function QuestionField({
  question,
  at,
  draft,
  onChange,
}: {
  readonly question: Question;
  readonly at: number;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}) {
  const name = useId();
  const { options, multiSelect } = question;
  const choose = (index: number) => onChange(toggled(draft, question, index));
  const previews = options.some((option) => option.preview !== undefined);
  return (
    <fieldset data-question={at} className="min-w-0">
      <legend className="flex items-start gap-2 pb-2 font-medium">
        <span className="flex h-5.5 items-center">
          <Badge>{question.header}</Badge>
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <VisibleProse text={question.question} />
          {multiSelect ? (
            <>
              {' '}
              <span className="inline-block text-meta font-normal text-ink-3">
                choose any number
              </span>
            </>
          ) : null}
        </span>
      </legend>
      <div className={cx('grid gap-1.5', previews && 'lg:grid-cols-2')}>
        {options.map((option, index) => (
          <Choice
            key={option.label}
            name={name}
            index={index}
            multi={multiSelect}
            checked={draft.chosen.includes(option.label)}
            onChoose={() => choose(index)}
          >
            <OptionText option={option} />
          </Choice>
        ))}
        <Choice
          name={name}
          index={options.length}
          multi={multiSelect}
          checked={draft.own}
          onChoose={() => choose(options.length)}
        >
          <span className="font-medium">Other…</span>
          {draft.own ? (
            <input
              type="text"
              aria-label={`Your answer to: ${question.header}`}
              value={draft.text}
              maxLength={20_000}
              autoComplete="off"
              placeholder="In your own words"
              // biome-ignore lint/a11y/noAutofocus: it appears because the user chose to write
              autoFocus
              onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
              className="mt-1.5 h-8 w-full rounded-md border border-control bg-canvas px-2 text-code text-ink"
            />
          ) : null}
        </Choice>
      </div>
    </fieldset>
  );
}

function Choice({
  name,
  index,
  multi,
  checked,
  onChoose,
  children,
}: {
  readonly name: string;
  readonly index: number;
  readonly multi: boolean;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <label
      className={cx(
        'flex min-w-0 cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2 text-code',
        checked ? 'border-accent bg-accent-tint' : 'border-line hover:bg-hover',
      )}
    >
      <input
        type={multi ? 'checkbox' : 'radio'}
        name={name}
        data-option={index}
        checked={checked}
        onChange={onChoose}
        className="mt-[3px] size-3.5 shrink-0 accent-accent-fill"
      />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <span
        aria-hidden
        className="mt-0.5 shrink-0 rounded-sm border border-line-strong px-1 text-[11px] leading-[14px] text-ink-3"
      >
        {index + 1}
      </span>
    </label>
  );
}

function OptionText({ option }: { readonly option: QuestionOption }) {
  return (
    <>
      <span className="font-medium">
        <VisibleProse text={option.label} />
      </span>
      {option.description === undefined ? null : (
        <span className="block text-ink-2">
          <VisibleProse text={option.description} />
        </span>
      )}
      {option.preview === undefined ? null : (
        <pre className="mt-1.5 rounded-md border border-line bg-sunken px-2.5 py-2 text-[12px] leading-[18px] whitespace-pre-wrap text-ink">
          <VisibleText text={option.preview} />
        </pre>
      )}
    </>
  );
}

/** The answer as far as the user has put it together. `own`: an answer of their own is chosen; its text may still be empty. */
const Draft = z.object({ chosen: z.array(z.string()), own: z.boolean(), text: z.string() });
type Draft = z.infer<typeof Draft>;

const emptyDraft: Draft = { chosen: [], own: false, text: '' };

/** Returns the drafts in a kept text, one for each question; empty ones where it has others. Pure. */
function draftsIn(kept: string, questions: number): readonly Draft[] {
  try {
    return z.array(Draft).length(questions).parse(JSON.parse(kept));
  } catch {
    return Array.from({ length: questions }, () => emptyDraft);
  }
}

/** Chooses or takes back an option by its index; the index after the last is the user's own answer. Pure. */
function toggled(draft: Draft, question: Question, index: number): Draft {
  const option = question.options[index];
  if (!question.multiSelect) {
    return option
      ? { ...draft, chosen: [option.label], own: false }
      : { ...draft, chosen: [], own: true };
  }
  if (option === undefined) return { ...draft, own: !draft.own };
  const has = draft.chosen.includes(option.label);
  const wanted = has
    ? draft.chosen.filter((label) => label !== option.label)
    : [...draft.chosen, option.label];
  // In the order of the question, whatever order they were clicked in.
  const chosen = question.options.map((o) => o.label).filter((label) => wanted.includes(label));
  return { ...draft, chosen };
}

/** Returns the answer of a draft; null while it is incomplete. */
function draftAnswer(draft: Draft): QuestionAnswer | null {
  const other = draft.text.trim();
  if (draft.own && other === '') return null;
  if (!draft.own && draft.chosen.length === 0) return null;
  return { chosen: [...draft.chosen], ...(draft.own ? { other } : {}) };
}
