import { ClipboardList } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { z } from 'zod';
import { type FormField, type FormValues, formProblems } from '../../shared/form';
import type { Approval } from '../../shared/permission';
import { useKeptText } from '../store/use-lathe';
import { TextField } from '../ui/Fields';
import { VisibleProse } from '../ui/VisibleText';
import { AnswerFooter } from './AnswerFooter';
import type { CardProps } from './ApprovalCard';
import { DialogFrame } from './DialogFrame';
import { useAsking } from './use-asking';

/** The contents of the fields: texts as they are typed, choices by their values. */
const Draft = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));
type Draft = Readonly<z.infer<typeof Draft>>;

/** A form of a tool server. What is filled in goes to that server alone. */
export function FormCard({
  approval,
  message,
  fields,
  queue,
  onAnswer,
}: CardProps & {
  readonly approval: Approval;
  readonly message: string;
  readonly fields: readonly FormField[];
}) {
  const hintId = useId();
  const asking = useAsking([approval], onAnswer);
  const [kept, keep] = useKeptText(`form ${approval.id}`);
  const draft = useMemo(() => draftIn(kept) ?? firstDraft(fields), [kept, fields]);
  const [tried, setTried] = useState(false);
  const values = valuesOf(fields, draft);
  const problems = new Map(formProblems(fields, values).map((one) => [one.name, one.message]));
  const problemOf = (name: string) => (tried ? problems.get(name) : undefined);

  const send = () => {
    setTried(true);
    if (problems.size > 0) {
      const first = fields.findIndex(({ name }) => problems.has(name));
      const group = asking.frame.current?.querySelector(`[data-field="${first}"]`);
      const field = group?.querySelector('input');
      // In the middle, so that the words below it that say what is wrong are in view too.
      field?.focus({ preventScroll: true });
      group?.scrollIntoView({ block: 'center' });
      return;
    }
    if (asking.ready(true)) asking.answer({ behavior: 'form', values }).catch(() => {});
  };

  return (
    <DialogFrame
      asking={asking}
      queue={queue}
      icon={ClipboardList}
      title={approval.title}
      agent={approval.agent}
      describedBy={hintId}
      onIntent={(intent) => {
        if (intent === 'deny') return asking.deny();
        if (intent === 'allow') return send();
        return undefined;
      }}
      footer={(focused) => (
        <AnswerFooter
          asking={asking}
          focused={focused}
          hintId={hintId}
          hint="Your answers go to this tool server. Send no passwords or keys."
          decline="Decline"
          send="Send"
          onSend={send}
        />
      )}
    >
      <p className="mb-4 text-code whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
        <VisibleProse text={message} />
      </p>
      <form
        className="flex flex-col gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {fields.map((field, at) => (
          <div key={field.name} data-field={at}>
            <Field
              field={field}
              value={draft[field.name]}
              error={problemOf(field.name)}
              onChange={(value) => keep(JSON.stringify({ ...draft, [field.name]: value }))}
            />
          </div>
        ))}
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </DialogFrame>
  );
}

/** One field by its kind. */
function Field({
  field,
  value,
  error,
  onChange,
}: {
  readonly field: FormField;
  readonly value: Draft[string] | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: Draft[string]) => void;
}) {
  const label = field.required ? field.title : `${field.title} (optional)`;
  switch (field.type) {
    case 'text':
    case 'number':
      return (
        <TextField
          label={label}
          hint={field.description}
          {...(error === undefined ? {} : { error })}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
          required={field.required}
          {...inputOf(field)}
        />
      );
    case 'boolean':
      return (
        <Options
          label={label}
          hint={field.description}
          error={error}
          multiple={false}
          options={YES_NO}
          chosen={typeof value === 'boolean' ? [value ? 'yes' : 'no'] : []}
          onChange={([one]) => onChange(one === 'yes')}
        />
      );
    case 'choice':
      return (
        <Options
          label={label}
          hint={field.description}
          error={error}
          multiple={field.multiple}
          options={field.options}
          chosen={Array.isArray(value) ? value : []}
          onChange={onChange}
        />
      );
  }
}

const YES_NO = [
  { value: 'yes', title: 'Yes' },
  { value: 'no', title: 'No' },
];

/** Returns the kind of input that helps to type a value. */
function inputOf(field: Extract<FormField, { type: 'text' | 'number' }>) {
  if (field.type === 'number') return { inputMode: field.integer ? 'numeric' : 'decimal' } as const;
  if (field.format === 'date') return { type: 'date' };
  if (field.format === 'email') return { inputMode: 'email' } as const;
  return field.format === 'uri' ? ({ inputMode: 'url' } as const) : {};
}

/** A group of options: one of them, or any number. */
function Options({
  label,
  hint,
  error,
  multiple,
  options,
  chosen,
  onChange,
}: {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly multiple: boolean;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly chosen: string[];
  readonly onChange: (chosen: string[]) => void;
}) {
  const name = useId();
  const noteId = useId();
  const note = error ?? hint;
  const toggle = (value: string) => {
    if (!multiple) return onChange([value]);
    const has = chosen.includes(value);
    const wanted = has ? chosen.filter((one) => one !== value) : [...chosen, value];
    return onChange(options.map((one) => one.value).filter((one) => wanted.includes(one)));
  };
  return (
    <fieldset className="min-w-0" aria-describedby={note === undefined ? undefined : noteId}>
      <legend className="pb-1 text-meta font-medium text-ink-2">
        {label}
        {multiple ? <span className="font-normal text-ink-3"> · any number</span> : null}
      </legend>
      <div className="flex max-h-48 flex-wrap gap-1.5 overflow-y-auto">
        {options.map(({ value, title }) => (
          <label
            key={value}
            className="flex min-w-0 cursor-pointer items-center gap-2 rounded-md border border-line px-2.5 py-1 text-code hover:bg-hover has-checked:border-accent has-checked:bg-accent-tint"
          >
            <input
              type={multiple ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              className="size-3.5 shrink-0 accent-accent-fill"
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <VisibleProse text={title} />
            </span>
          </label>
        ))}
      </div>
      {note === undefined ? null : (
        <p
          id={noteId}
          role={error === undefined ? undefined : 'alert'}
          className={
            error === undefined ? 'mt-1 text-meta text-ink-3' : 'mt-1 text-meta text-failed'
          }
        >
          {note}
        </p>
      )}
    </fieldset>
  );
}

/** Returns what was filled in before a reload of the page; null when nothing was. */
function draftIn(kept: string): Draft | null {
  try {
    return Draft.parse(JSON.parse(kept));
  } catch {
    return null;
  }
}

/** Returns the fields as they stand at first: with their defaults. */
const firstDraft = (fields: readonly FormField[]): Draft =>
  Object.fromEntries(
    fields.flatMap((field): [string, Draft[string]][] => {
      if (field.default === undefined) return [];
      const value = field.type === 'number' ? String(field.default) : field.default;
      return [[field.name, value as Draft[string]]];
    }),
  );

/** Returns what was filled in; what was left empty is absent. A number that is none stays, to be told. */
function valuesOf(fields: readonly FormField[], draft: Draft): FormValues {
  return Object.fromEntries(
    fields.flatMap((field): [string, FormValues[string]][] => {
      const value = draft[field.name];
      if (value === undefined || value === '') return [];
      if (field.type === 'number')
        return [[field.name, String(value).trim() === '' ? Number.NaN : Number(value)]];
      if (field.type !== 'choice') return [[field.name, value as string | boolean]];
      const chosen = [value].flat().map(String);
      if (field.multiple) return chosen.length === 0 ? [] : [[field.name, chosen]];
      return chosen[0] === undefined ? [] : [[field.name, chosen[0]]];
    }),
  );
}
