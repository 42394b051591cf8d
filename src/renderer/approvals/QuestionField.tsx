import { useId } from 'react';
import type { Question, QuestionOption } from '../../shared/question';
import { Badge } from '../ui/Badge';
import { cx } from '../ui/cx';
import { VisibleText } from '../ui/VisibleText';
import { type Draft, toggled } from './question-draft';

/** One question with its options, the previews of those that have one, and room for another answer. */
export function QuestionField({
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
  const choose = (place: number) => onChange(toggled(draft, question, place));
  const previews = options.some((option) => option.preview !== undefined);
  return (
    <fieldset data-question={at} className="min-w-0">
      <legend className="flex items-start gap-2 pb-2 font-medium">
        <span className="flex h-5.5 items-center">
          <Badge>{question.header}</Badge>
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <VisibleText text={question.question} />
          {multiSelect ? (
            <span className="ml-1.5 text-meta font-normal text-ink-3">choose any number</span>
          ) : null}
        </span>
      </legend>
      <div className={cx('grid gap-1.5', previews && 'lg:grid-cols-2')}>
        {options.map((option, place) => (
          <Choice
            key={option.label}
            name={name}
            place={place}
            multi={multiSelect}
            checked={draft.chosen.includes(option.label)}
            onChoose={() => choose(place)}
          >
            <OptionText option={option} />
          </Choice>
        ))}
        <Choice
          name={name}
          place={options.length}
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
              // biome-ignore lint/a11y/noAutofocus: it appears because the person chose to write
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
  place,
  multi,
  checked,
  onChoose,
  children,
}: {
  readonly name: string;
  readonly place: number;
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
        data-option={place}
        checked={checked}
        onChange={onChoose}
        className="mt-[3px] size-3.5 shrink-0 accent-accent-fill"
      />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      <span
        aria-hidden
        className="mt-0.5 shrink-0 rounded-sm border border-line-strong px-1 text-[11px] leading-[14px] text-ink-3"
      >
        {place + 1}
      </span>
    </label>
  );
}

function OptionText({ option }: { readonly option: QuestionOption }) {
  return (
    <>
      <span className="font-medium">
        <VisibleText text={option.label} />
      </span>
      {option.description === undefined ? null : (
        <span className="block text-ink-2">
          <VisibleText text={option.description} />
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
