import { Check, ChevronDown } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import { Fragment, type ReactNode } from 'react';
import { cx } from './cx';
import { MENU_FRAME, MENU_ITEM } from './Menu';

/** One value a {@link Picker} offers. */
export interface PickerOption<V extends string> {
  readonly value: V;
  readonly label: string;
  /** A second line: what choosing it means. */
  readonly description?: string;
  readonly disabled?: boolean;
  /** A quiet line above it: here another kind of option begins. */
  readonly heading?: string;
}

export interface PickerProps<V extends string> {
  /** What is being chosen; read out with the value. */
  readonly label: string;
  readonly value: V;
  readonly options: readonly PickerOption<V>[];
  readonly onChange: (value: V) => void;
  /** `field`: framed like a text field. `inline`: text with a chevron, for bars. */
  readonly look?: 'field' | 'inline';
  /** Shown instead of the chosen option's label. */
  readonly children?: ReactNode;
  /** A quiet line under the options. */
  readonly note?: string;
  readonly disabled?: boolean;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'end';
  readonly className?: string;
}

const LOOKS = {
  field:
    'h-8 w-full justify-between rounded-md border border-control bg-canvas px-2 text-code text-ink',
  inline:
    'h-6 rounded-sm px-1.5 text-meta text-ink-2 hover:bg-hover hover:text-ink data-[state=open]:bg-hover',
} as const;

const QUIET_LINE = 'mt-1 border-t border-line px-2 pt-1.5 pb-1 text-meta text-ink-3';

/** Chooses one of a few values, like a select with descriptions. */
export function Picker<V extends string>({
  label,
  value,
  options,
  onChange,
  look = 'field',
  children,
  note,
  disabled = false,
  side = 'bottom',
  align = 'start',
  className,
}: PickerProps<V>) {
  const chosen = options.find((option) => option.value === value);
  const choose = (next: string) => {
    const option = options.find((candidate) => candidate.value === next);
    if (option) onChange(option.value);
  };
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger
        disabled={disabled}
        aria-label={`${label}: ${chosen?.label ?? value}`}
        className={cx(
          'inline-flex min-w-0 select-none items-center gap-1 disabled:opacity-50',
          LOOKS[look],
          className,
        )}
      >
        <span className="min-w-0 truncate">{children ?? chosen?.label ?? value}</span>
        <ChevronDown size={12} aria-hidden className="shrink-0 text-ink-3" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={MENU_FRAME}
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
        >
          <Radix.RadioGroup value={value} onValueChange={choose}>
            {options.map((option) => (
              <Fragment key={option.value}>
                {option.heading === undefined ? null : (
                  <Radix.Label className={QUIET_LINE}>{option.heading}</Radix.Label>
                )}
                <Radix.RadioItem
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className={cx(MENU_ITEM, 'items-start')}
                >
                  <span className="flex h-5 w-3.5 shrink-0 items-center">
                    <Radix.ItemIndicator>
                      <Check size={14} aria-hidden className="text-accent" />
                    </Radix.ItemIndicator>
                  </span>
                  <span className="min-w-0">
                    <span className="block">{option.label}</span>
                    {option.description === undefined ? null : (
                      <span className="block text-meta text-ink-3">{option.description}</span>
                    )}
                  </span>
                </Radix.RadioItem>
              </Fragment>
            ))}
          </Radix.RadioGroup>
          {note === undefined ? null : <Radix.Label className={QUIET_LINE}>{note}</Radix.Label>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
