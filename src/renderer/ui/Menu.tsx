import { Check, ChevronDown, type LucideIcon } from 'lucide-react';
import { ContextMenu, DropdownMenu, Popover as RadixPopover } from 'radix-ui';
import { Fragment, type ReactElement, type ReactNode, useRef, useState } from 'react';
import { CloseAround, Kbd } from './Button';
import { cx } from './css';
import { focusedOverlay } from './Dialog';

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

interface MenuProps {
  /** The button that opens it; must take a ref (Button, IconButton or a plain button). */
  readonly trigger: ReactElement;
  readonly entries: readonly MenuEntry[];
  readonly align?: 'start' | 'center' | 'end';
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
}

/** The frame every popup list shares. */
const MENU_FRAME =
  'z-50 max-h-[min(420px,var(--radix-dropdown-menu-content-available-height))] min-w-[max(11rem,var(--radix-dropdown-menu-trigger-width,0px))] max-w-96 animate-appear overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-popover outline-none';

/** One line in a popup list. */
const MENU_ITEM =
  'flex min-h-7 w-full select-none items-center gap-2 rounded-sm px-2 py-1 text-code text-ink -outline-offset-2 data-[highlighted]:bg-hover data-[disabled]:opacity-50';

/** A menu of acts behind a button. Arrow keys, Home, End, type-ahead and Esc work. */
export function Menu({ trigger, entries, align = 'start', side = 'bottom' }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuLayer in={DropdownMenu}>
        <DropdownMenu.Content
          loop
          className={MENU_FRAME}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
        >
          {entries.map((entry) => (
            <Line key={entry.id} entry={entry} parts={DropdownMenu} />
          ))}
        </DropdownMenu.Content>
      </MenuLayer>
    </DropdownMenu.Root>
  );
}

/**
 * An area with a context menu of its own, by right click, the menu key or Shift+F10. `entries` tells what the menu
 * holds for the element under the pointer; where it has nothing the browser's own menu comes.
 */
export function ContextArea({
  entries,
  children,
}: {
  readonly entries: (target: Element) => readonly MenuEntry[];
  /** One element that takes a ref. */
  readonly children: ReactElement;
}) {
  const [shown, setShown] = useState<readonly MenuEntry[]>([]);
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger
        asChild
        onContextMenuCapture={(event) => {
          const next = event.target instanceof Element ? entries(event.target) : [];
          setShown(next);
          if (next.length === 0) event.stopPropagation();
        }}
      >
        {children}
      </ContextMenu.Trigger>
      <MenuLayer in={ContextMenu}>
        <ContextMenu.Content
          loop
          aria-label="Context menu"
          className={MENU_FRAME}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            // An entry that has moved the focus keeps it.
            if (document.activeElement !== document.body) event.preventDefault();
          }}
        >
          {shown.map((entry) => (
            <Line key={entry.id} entry={entry} parts={ContextMenu} />
          ))}
        </ContextMenu.Content>
      </MenuLayer>
    </ContextMenu.Root>
  );
}

/** Holds an open menu over the page, in a landmark of its own: what stands in none is skipped by who walks by landmarks. */
const MenuLayer = ({
  in: { Portal },
  children,
}: {
  readonly in: Pick<typeof DropdownMenu, 'Portal'>;
  readonly children: ReactNode;
}) => (
  <Portal>
    <section aria-label="Menu">{children}</section>
  </Portal>
);

/** The primitives of a menu, whether a button or a right click opens it. */
type MenuParts = Pick<typeof DropdownMenu, 'Separator' | 'Label' | 'Item'>;

function Line({ entry, parts }: { readonly entry: MenuEntry; readonly parts: MenuParts }) {
  if (entry.kind === 'separator') return <parts.Separator className="-mx-1 my-1 h-px bg-line" />;
  if (entry.kind === 'heading')
    return <parts.Label className="px-2 py-1 text-meta text-ink-3">{entry.label}</parts.Label>;
  const Icon = entry.icon;
  return (
    <parts.Item
      className={cx(MENU_ITEM, entry.danger === true && 'text-failed')}
      disabled={entry.disabled ?? false}
      onSelect={entry.onSelect}
    >
      {Icon ? <Icon size={14} aria-hidden className="shrink-0 opacity-80" /> : null}
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.keys === undefined || entry.keys === '' ? null : <Kbd keys={entry.keys} />}
    </parts.Item>
  );
}

/** A small panel beside the button that opens it. Esc, a press outside and the button close it. */
export function Popover({
  trigger,
  label,
  side = 'top',
  align = 'end',
  open,
  onOpenChange,
  wide = false,
  children,
}: {
  /** The button that opens it; must take a ref. */
  readonly trigger: ReactElement;
  /** Name of the panel, read out when it opens. */
  readonly label: string;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'center' | 'end';
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** For a panel with controls side by side. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  /** Had the focus when it opened: its button, or what a command was given in. */
  const before = useRef<Element | null>(null);
  return (
    <CloseAround value={() => onOpenChange(false)}>
      <RadixPopover.Root open={open} onOpenChange={onOpenChange}>
        <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
        <RadixPopover.Portal>
          <RadixPopover.Content
            aria-label={label}
            side={side}
            align={align}
            sideOffset={6}
            collisionPadding={8}
            // Otherwise it is a frame or more behind a button that others push aside.
            updatePositionStrategy="always"
            onOpenAutoFocus={() => {
              before.current = document.activeElement;
            }}
            onInteractOutside={() => {
              before.current = null;
            }}
            onCloseAutoFocus={(event) => {
              // A dialog that was opened from it keeps the focus.
              if (focusedOverlay() !== null) return event.preventDefault();
              if (!(before.current instanceof HTMLElement) || !before.current.isConnected) return;
              event.preventDefault();
              before.current.focus();
            }}
            className={cx(
              'z-50 max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-16px)] animate-appear overflow-y-auto rounded-md border border-line bg-raised p-3 text-code text-ink shadow-popover outline-none',
              wide ? 'w-96' : 'w-72',
            )}
          >
            {children}
          </RadixPopover.Content>
        </RadixPopover.Portal>
      </RadixPopover.Root>
    </CloseAround>
  );
}

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

interface PickerProps<V extends string> {
  /** Name of the choice, read out with the value. */
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
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
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
      </DropdownMenu.Trigger>
      <MenuLayer in={DropdownMenu}>
        <DropdownMenu.Content
          loop
          className={MENU_FRAME}
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
        >
          <DropdownMenu.RadioGroup value={value} onValueChange={choose}>
            {options.map((option) => (
              <Fragment key={option.value}>
                {option.heading === undefined ? null : (
                  <DropdownMenu.Label className={QUIET_LINE}>{option.heading}</DropdownMenu.Label>
                )}
                <DropdownMenu.RadioItem
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className={cx(MENU_ITEM, 'items-start')}
                >
                  <span className="flex h-5 w-3.5 shrink-0 items-center">
                    <DropdownMenu.ItemIndicator>
                      <Check size={14} aria-hidden className="text-accent" />
                    </DropdownMenu.ItemIndicator>
                  </span>
                  <span className="min-w-0 [overflow-wrap:anywhere]">
                    <span className="block">{option.label}</span>
                    {option.description === undefined ? null : (
                      <span className="block text-meta text-ink-3">{option.description}</span>
                    )}
                  </span>
                </DropdownMenu.RadioItem>
              </Fragment>
            ))}
          </DropdownMenu.RadioGroup>
          {note === undefined ? null : (
            <DropdownMenu.Label className={QUIET_LINE}>{note}</DropdownMenu.Label>
          )}
        </DropdownMenu.Content>
      </MenuLayer>
    </DropdownMenu.Root>
  );
}
