import { Tabs as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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
  /** The tabs stand at the left of the panel, one under another; in a narrow window above it, in several lines. */
  readonly upright?: boolean;
  /** At the right end of the bar. */
  readonly actions?: ReactNode;
  /** The panel of the chosen tab. */
  readonly children: ReactNode;
  readonly className?: string;
}

/** A bar of tabs over one panel, or beside it. ←→ move between tabs, or ↑↓. */
export function Tabs<Id extends string>({
  label,
  tabs,
  value,
  onChange,
  upright = false,
  actions,
  children,
  className,
}: TabsProps<Id>) {
  const choose = (next: string) => {
    const tab = tabs.find((candidate) => candidate.id === next);
    if (tab) onChange(tab.id);
  };
  const list = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState(0);
  // Radix remembers the tab that had the focus last: Shift+Tab would go there, and choose it, when another was opened since.
  useEffect(() => {
    if (list.current?.querySelector(`[data-tab="${value}"]`)?.matches(':focus') !== true)
      setTold((before) => before + 1);
  }, [value]);
  return (
    <Radix.Root
      value={value}
      onValueChange={choose}
      orientation={upright ? 'vertical' : 'horizontal'}
      className={cx('flex min-h-0 flex-col', upright ? 'sm:flex-row' : '@container', className)}
    >
      <div
        className={cx(
          'flex shrink-0 items-center gap-2 border-line max-sm:border-b',
          upright
            ? 'px-3 sm:w-44 sm:items-start sm:border-r sm:py-3'
            : 'min-h-9 border-b px-2 @max-xs:px-0.5',
        )}
      >
        <Radix.List
          key={told}
          ref={list}
          aria-label={label}
          className={cx(
            'flex min-w-0 flex-1 items-center gap-1 px-1 py-1',
            upright
              ? 'max-h-full flex-wrap overflow-y-auto sm:flex-col sm:flex-nowrap sm:items-stretch sm:gap-0.5 sm:px-1'
              : 'flex-wrap @max-xs:gap-0 @max-xs:px-0.5',
          )}
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.id}
              value={tab.id}
              data-tab={tab.id}
              className={cx(
                'inline-flex h-6 shrink-0 select-none items-center gap-1.5 rounded-sm px-2 text-meta font-medium text-ink-3 transition-colors duration-100 hover:text-ink data-[state=active]:bg-selected data-[state=active]:text-ink',
                upright ? 'justify-between sm:h-7' : '@max-xs:px-1',
              )}
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
        className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
