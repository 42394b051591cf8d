import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './css';

/** One tab. `count` is a small number beside the label; 0 is not shown. */
interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly count?: number;
}

export interface TabsProps<Id extends string> {
  /** Name of the tab list for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
  /** Tabs that do not fit go on in a second line; else the bar scrolls. */
  readonly wraps?: boolean;
  /** At the right end of the bar. */
  readonly actions?: ReactNode;
  /** The panel of the chosen tab. */
  readonly children: ReactNode;
  readonly className?: string;
}

/** A bar of tabs over one panel. ←→ move between tabs. */
export function Tabs<Id extends string>({
  label,
  tabs,
  value,
  onChange,
  wraps = false,
  actions,
  children,
  className,
}: TabsProps<Id>) {
  const choose = (next: string) => {
    const tab = tabs.find((candidate) => candidate.id === next);
    if (tab) onChange(tab.id);
  };
  return (
    <Radix.Root
      value={value}
      onValueChange={choose}
      className={cx('flex min-h-0 flex-col', className)}
    >
      <div
        className={cx(
          'flex shrink-0 items-center gap-2 border-b border-line px-2',
          wraps ? 'min-h-9' : 'h-9',
        )}
      >
        <Radix.List
          aria-label={label}
          className={cx(
            'flex min-w-0 flex-1 items-center gap-1 px-1 py-1',
            wraps ? 'flex-wrap' : 'overflow-x-auto [scrollbar-width:none]',
          )}
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              className="inline-flex h-6 shrink-0 select-none items-center gap-1.5 rounded-sm px-2 text-meta font-medium text-ink-3 transition-colors duration-100 hover:text-ink data-[state=active]:bg-selected data-[state=active]:text-ink"
            >
              {tab.label}
              {tab.count ? (
                <span className="text-[11px] tabular-nums text-ink-3">{tab.count}</span>
              ) : null}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions}
      </div>
      <Radix.Content
        key={value}
        value={value}
        data-focus="frame"
        className="min-h-0 flex-1 overflow-y-auto"
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
