import type { LucideIcon } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import { cx } from './cx';
import { Kbd } from './Kbd';

/** One line of a menu. */
export type MenuEntry =
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly label: string;
      readonly icon?: LucideIcon;
      readonly keys?: string;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      readonly onSelect: () => void;
    }
  | { readonly kind: 'heading'; readonly id: string; readonly label: string }
  | { readonly kind: 'separator'; readonly id: string };

export interface MenuProps {
  /** The button that opens it; must take a ref (Button, IconButton or a plain button). */
  readonly trigger: ReactElement;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'start' | 'center' | 'end';
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/** The frame every popup list shares. */
export const MENU_FRAME =
  'z-50 max-h-[min(420px,var(--radix-dropdown-menu-content-available-height))] min-w-44 max-w-96 animate-appear overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-popover outline-none';

/** One line in a popup list. */
export const MENU_ITEM =
  'flex min-h-7 w-full select-none items-center gap-2 rounded-sm px-2 py-1 text-code text-ink outline-none data-[highlighted]:bg-hover data-[disabled]:opacity-50';

/** A menu of acts behind a button. Arrow keys, Home, End, type-ahead and Esc work. */
export function Menu({ trigger, entries, align = 'start', side = 'bottom' }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={MENU_FRAME}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
        >
          {entries.map((entry) => (
            <Line key={entry.id} entry={entry} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Line({ entry }: { readonly entry: MenuEntry }) {
  if (entry.kind === 'separator') return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
  if (entry.kind === 'heading')
    return <Radix.Label className="px-2 py-1 text-meta text-ink-3">{entry.label}</Radix.Label>;
  const Icon = entry.icon;
  return (
    <Radix.Item
      className={cx(MENU_ITEM, entry.danger === true && 'text-failed')}
      disabled={entry.disabled ?? false}
      onSelect={entry.onSelect}
    >
      {Icon ? <Icon size={14} aria-hidden className="shrink-0 opacity-80" /> : null}
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.keys === undefined ? null : <Kbd keys={entry.keys} />}
    </Radix.Item>
  );
}
