import { ToggleGroup } from 'radix-ui';

export interface SegmentedProps<V extends string> {
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
