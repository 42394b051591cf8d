import { Switch as Radix, ToggleGroup } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './css';

interface FieldFrameProps {
  readonly label: string;
  /** Read out but not drawn, where the place says what it is. */
  readonly hideLabel?: boolean;
  readonly hint?: ReactNode;
  /** The error and its remedy; replaces the hint. */
  readonly error?: string;
}

const BOX =
  'w-full rounded-md border bg-canvas px-2 text-code text-ink disabled:opacity-50 aria-[invalid=true]:border-failed border-control';

interface TextFieldProps
  extends FieldFrameProps,
    Omit<ComponentProps<'input'>, 'id' | 'onChange' | 'value'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly mono?: boolean;
}

/** One line of text with a label, a hint and an error. */
export function TextField({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  mono = false,
  className,
  ...rest
}: TextFieldProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <input
        id={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note`}
        spellCheck={false}
        autoComplete="off"
        className={cx(BOX, 'h-8', mono && 'font-mono', className)}
        {...rest}
      />
    </Frame>
  );
}

/** One line in fixed-width letters, all of it in view: it wraps where it is longer than the field. Enter sends the form. */
export function WrappedField({ onChange, ...rest }: Omit<TextAreaProps, 'rows' | 'mono'>) {
  return (
    <TextArea
      {...rest}
      rows={1}
      mono
      spellCheck={false}
      autoComplete="off"
      className="field-sizing-content py-[5px] [overflow-wrap:anywhere]"
      onChange={(value) => onChange(value.replaceAll(/\s*\n\s*/g, ' '))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
        event.preventDefault();
        // As in a field of one line: nothing is sent while the button cannot be pressed.
        event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.click();
      }}
    />
  );
}

interface TextAreaProps
  extends FieldFrameProps,
    Omit<ComponentProps<'textarea'>, 'id' | 'onChange' | 'value'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly mono?: boolean;
}

/** Several lines of text with a label, a hint and an error. */
export function TextArea({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  mono = false,
  rows = 3,
  className,
  ...rest
}: TextAreaProps) {
  const id = useId();
  return (
    <Frame id={id} label={label} hideLabel={hideLabel} hint={hint} error={error}>
      <textarea
        id={id}
        rows={rows}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note`}
        className={cx(BOX, 'resize-none py-1.5', mono && 'font-mono', className)}
        {...rest}
      />
    </Frame>
  );
}

function Frame({
  id,
  label,
  hideLabel,
  hint,
  error,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly hideLabel: boolean | undefined;
  readonly hint: ReactNode;
  readonly error: string | undefined;
  readonly children: ReactNode;
}) {
  const note = error ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label
        htmlFor={id}
        className={hideLabel === true ? 'sr-only' : 'text-meta font-medium text-ink-2'}
      >
        {label}
      </label>
      {children}
      <p
        id={`${id}-note`}
        hidden={note === undefined}
        role={error === undefined ? undefined : 'alert'}
        className={cx('text-meta', error === undefined ? 'text-ink-3' : 'text-failed')}
      >
        {note}
      </p>
    </div>
  );
}

/** A setting that is on or off, with its label and what it means. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled = false,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="mt-0.5 h-4.5 w-8 shrink-0 rounded-full border border-control bg-sunken transition-colors duration-100 disabled:opacity-50 data-[state=checked]:border-accent-fill data-[state=checked]:bg-accent-fill"
      >
        <Radix.Thumb
          data-drawn
          className="block size-3 translate-x-0.5 rounded-full bg-control transition-transform duration-100 data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-fill"
        />
      </Radix.Root>
      <label htmlFor={id} className="min-w-0 text-code">
        {label}
        {hint === undefined ? null : <span className="block text-meta text-ink-3">{hint}</span>}
      </label>
    </div>
  );
}

interface SegmentedProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
}

/** Two to four short values side by side, one of them chosen. */
export function Segmented<V extends string>({
  label,
  value,
  options,
  onChange,
}: SegmentedProps<V>) {
  const choose = (next: string) => {
    const option = options.find((candidate) => candidate.value === next);
    if (option) onChange(option.value);
  };
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={choose}
      className="inline-flex gap-0.5 rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="h-6 select-none rounded-sm px-3 text-meta font-medium text-ink-3 hover:text-ink data-[state=on]:bg-raised data-[state=on]:text-ink data-[state=on]:ring-1 data-[state=on]:ring-line-strong"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

/** One setting: what it is, what it means, and its control at the right. */
export function Row({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <div className="min-w-40 flex-1">
        <p className="text-code font-medium">{title}</p>
        {text === undefined ? null : (
          <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">{text}</p>
        )}
      </div>
      <div className="shrink-0">{children}</div>
    </div>
  );
}
