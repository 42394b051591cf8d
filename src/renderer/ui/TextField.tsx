import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from './cx';

interface FieldFrameProps {
  readonly label: string;
  /** Read out but not drawn, where the place says what it is. */
  readonly hideLabel?: boolean;
  readonly hint?: ReactNode;
  /** What is wrong and what to do; replaces the hint. */
  readonly error?: string;
}

const BOX =
  'w-full rounded-md border bg-canvas px-2 text-code text-ink disabled:opacity-50 aria-[invalid=true]:border-failed border-control';

export interface TextFieldProps
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

export interface TextAreaProps
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
