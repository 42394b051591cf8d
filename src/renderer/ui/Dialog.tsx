import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { CloseAround, IconButton } from './Button';
import { cx } from './css';
import { PlainName } from './VisibleText';

interface DialogProps {
  readonly open: boolean;
  /** Called with false by Esc, the close button and a press outside. */
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** One sentence under the title. */
  readonly description?: string;
  readonly children?: ReactNode;
  /** Buttons, right aligned; the primary one last. */
  readonly footer?: ReactNode;
  /** 400, 560, 760 and 1100 px; the largest is always as high as it may be. */
  readonly size?: 'sm' | 'md' | 'lg' | 'xl';
  /** The content scrolls by itself and reaches to the edges. */
  readonly flush?: boolean;
}

const SIZES = {
  sm: 'max-w-[400px]',
  md: 'max-w-[560px]',
  lg: 'max-w-[840px]',
  xl: 'h-[76vh] max-w-[1100px] [@media(max-height:24rem)]:h-[calc(100vh-1rem)]',
} as const;

/** A modal dialog over the whole window: focus is kept inside and goes back where it was. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  size = 'md',
  flush = false,
}: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <CloseAround value={() => takesKeys() || onOpenChange(false)}>
      <Radix.Root open={open} onOpenChange={onOpenChange}>
        <Radix.Portal>
          <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim" />
          <Radix.Content
            ref={content}
            onOpenAutoFocus={(event) => {
              // The dialog itself, unless something in it asked for the focus: no button is pressed by accident.
              event.preventDefault();
              content.current?.focus();
            }}
            onEscapeKeyDown={(event) => {
              if (takesKeys()) event.preventDefault();
            }}
            className={cx(
              'fixed top-[12vh] left-1/2 z-40 flex max-h-[76vh] w-[calc(100vw-32px)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-dialog outline-none',
              // A low window is all for it.
              '[@media(max-height:24rem)]:top-2 [@media(max-height:24rem)]:max-h-[calc(100vh-1rem)]',
              SIZES[size],
            )}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          >
            <FocusBack />
            <header
              className={cx(
                'flex items-start gap-3 px-6 pt-4 [@media(max-height:24rem)]:pt-2',
                flush ? 'pb-3 [@media(max-height:24rem)]:pb-1' : 'pb-2',
              )}
            >
              <div className="min-w-0 flex-1">
                <Radix.Title className="text-title font-semibold [overflow-wrap:anywhere]">
                  <PlainName text={title} />
                </Radix.Title>
                {description === undefined ? null : (
                  <Radix.Description className="mt-1 text-code text-pretty text-ink-2">
                    {description}
                  </Radix.Description>
                )}
              </div>
              <Radix.Close asChild>
                <IconButton icon={X} label="Close" className="-mr-2" />
              </Radix.Close>
            </header>
            <div
              className={cx(
                'min-h-0 flex-1 overflow-y-auto',
                // The ring of a focused field at its top needs room.
                flush ? 'border-t border-line' : 'px-6 pt-1 pb-4',
              )}
            >
              {children}
            </div>
            {footer === undefined ? null : (
              <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-6 py-3 [@media(max-height:24rem)]:py-1.5">
                {footer}
              </footer>
            )}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </CloseAround>
  );
}

/** Tells whether Esc is for what has the focus: it takes every key for a moment, or is in a form that Esc leaves. */
const takesKeys = (): boolean =>
  document.activeElement?.closest('[data-takes-keys], [data-takes-esc]') != null;

/** Makes Esc within a form leave the form and not the dialog around it. Spread it on the form. */
export const leftByEsc = (leave: () => void) => ({
  'data-takes-esc': true,
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget } = event;
    // A menu of the form stands elsewhere on the page, and Esc is for that alone.
    const isWithin = target instanceof Node && currentTarget.contains(target);
    if (event.key !== 'Escape' || !isWithin) return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  },
});

/** Finds the element that takes the focus when its previous owner is gone, marked `data-focus-home`. */
const home = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-focus-home]');

/** Moves the focus to the element marked `data-focus-home`, the message box. */
export const focusHome = (): void => home()?.focus();

/** Returns the open dialog, popover or menu that has the focus; null when none has. */
export const focusedOverlay = (): Element | null =>
  document.activeElement?.closest('[role=dialog], [role=menu], [role=listbox]') ?? null;

/**
 * Moves the focus to `element` without being asked to. A dialog, popover or menu in use keeps it; the element gets it
 * once it leaves there. Returns a function that stops waiting.
 */
export function takeFocus(element: HTMLElement): () => void {
  const overlay = focusedOverlay();
  if (overlay === null || overlay.contains(element)) {
    element.focus({ preventScroll: true });
    return () => undefined;
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.closest('[role=dialog], [role=menu], [role=listbox]'))
      return;
    stop();
    element.focus({ preventScroll: true });
  };
  const stop = () => document.removeEventListener('focusin', onFocus);
  document.addEventListener('focusin', onFocus);
  return stop;
}

/** Returns the button that opened a menu for a line of the menu, which goes away with it; else the element. */
function opener(element: Element | null): Element | null {
  const id = element?.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? '';
  return document.getElementById(id) ?? element;
}

/**
 * Draws nothing: when it goes away, together with the dialog or column it stands in, the focus returns to where it was before, unless
 * somebody else has it by then.
 */
export function FocusBack() {
  const before = useRef<Element | null>(null);
  // Read while drawing, before the dialog takes the focus.
  before.current ??= typeof document === 'undefined' ? null : opener(document.activeElement);
  useEffect(() => {
    const element = before.current;
    return () => {
      const { activeElement, body } = document;
      if (activeElement !== null && activeElement !== body) return;
      const connected = element instanceof HTMLElement && element !== body && element.isConnected;
      (connected ? element : home())?.focus();
    };
  }, []);
  return null;
}
