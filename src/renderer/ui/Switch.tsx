import { Switch as Radix } from 'radix-ui';
import { useId } from 'react';

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
        <Radix.Thumb className="block size-3 translate-x-0.5 rounded-full bg-control transition-transform duration-100 data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-fill" />
      </Radix.Root>
      <label htmlFor={id} className="min-w-0 text-code">
        {label}
        {hint === undefined ? null : <span className="block text-meta text-ink-3">{hint}</span>}
      </label>
    </div>
  );
}
