import { Check, Copy, type LucideIcon } from 'lucide-react';
import { Tooltip as Radix } from 'radix-ui';
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactElement,
  useContext,
  useEffect,
  useState,
} from 'react';
import { writeClipboard } from './clipboard';
import { cx } from './css';
import { keyCaps, onApple } from './keys';
import { Spinner } from './Marks';

/** `primary`: the one act of a view. `quiet`: other acts. `ghost`: no frame until hovered. `danger`: destroys or refuses. */
type ButtonVariant = 'primary' | 'quiet' | 'ghost' | 'danger';
/** Heights 24, 28 and 36 px. */
type ButtonSize = 'sm' | 'md' | 'lg';

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: LucideIcon;
  /** Shows a ring instead of the icon and takes no further press. */
  readonly busy?: boolean;
}

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-transparent bg-accent-fill text-on-fill hover:bg-accent-fill-hover',
  quiet: 'border-line-strong bg-raised text-ink hover:bg-hover',
  ghost: 'border-transparent bg-transparent text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'border-transparent bg-failed-fill text-on-fill hover:bg-failed-fill-hover',
};

const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: 'h-6 px-2 text-meta gap-1',
  md: 'h-7 px-3 text-code gap-2',
  lg: 'h-9 px-4 text-body gap-2',
};

/** A button with a text label. */
export function Button({
  variant = 'quiet',
  size = 'md',
  icon: Icon,
  busy = false,
  disabled,
  className,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const iconSize = size === 'lg' ? 16 : 14;
  return (
    <button
      type={type}
      disabled={disabled}
      aria-busy={busy || undefined}
      className={cx(
        'inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-md border font-medium transition-colors duration-100',
        'disabled:opacity-50 aria-disabled:opacity-60',
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
      {...rest}
      // One that works keeps the focus.
      {...(busy ? { onClick: takeNoPress, 'aria-disabled': true } : {})}
    >
      {busy ? <Spinner size={iconSize} /> : Icon && <Icon size={iconSize} aria-hidden />}
      {children}
    </button>
  );
}

/** Lets a press do nothing, that of a form neither. */
const takeNoPress = (event: MouseEvent): void => event.preventDefault();

/** A button that reads as a link in its line. Where the system chooses the colours it is underlined, for colour marks nothing there. */
export const LinkButton = ({ className, ...rest }: ComponentProps<'button'>) => (
  <button
    type="button"
    className={cx('rounded-sm text-accent hover:underline forced-colors:underline', className)}
    {...rest}
  />
);

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  readonly icon: LucideIcon;
  /** Read out and shown as the tooltip. */
  readonly label: string;
  /** Shortcut shown in the tooltip, e.g. "mod+j". */
  readonly keys?: string;
  /** Squares of 20, 24 and 28 px. */
  readonly size?: 'xs' | 'sm' | 'md';
  /** For toggles. */
  readonly pressed?: boolean;
  readonly tooltipSide?: 'top' | 'bottom' | 'left' | 'right';
}

const SQUARES = { xs: 'size-5', sm: 'size-6', md: 'size-7' } as const;
const ICON_SIZES = { xs: 12, sm: 14, md: 16 } as const;

/** A button that is only an icon; it always has a name and a tooltip. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  size = 'sm',
  pressed,
  tooltipSide,
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip
      text={label}
      {...(keys === undefined ? {} : { keys })}
      {...(tooltipSide === undefined ? {} : { side: tooltipSide })}
    >
      <button
        type={type}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          'inline-flex shrink-0 select-none items-center justify-center rounded-sm text-ink-3 transition-colors duration-100',
          'hover:bg-hover hover:text-ink disabled:opacity-40 aria-pressed:bg-selected aria-pressed:text-ink data-[state=open]:bg-hover',
          SQUARES[size],
          className,
        )}
        {...rest}
      >
        <Icon size={ICON_SIZES[size]} aria-hidden />
      </button>
    </Tooltip>
  );
}

/** Time the check mark stays, in milliseconds. */
const SHOWN_MS = 1500;

/** Copies `text()` and says whether that worked. */
export function CopyButton({
  text,
  label = 'Copy',
  size = 'sm',
  className,
}: {
  readonly text: () => string;
  readonly label?: string;
  readonly size?: 'xs' | 'sm';
  readonly className?: string;
}) {
  const [outcome, setOutcome] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (outcome === 'idle') return;
    const timer = setTimeout(() => setOutcome('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    writeClipboard(text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  const names = { idle: label, copied: 'Copied', refused: 'The clipboard refused' } as const;
  return (
    <IconButton
      icon={outcome === 'copied' ? Check : Copy}
      label={names[outcome]}
      size={size}
      onClick={copy}
      {...(className === undefined ? {} : { className })}
    />
  );
}

interface TooltipProps {
  /** One short line. Never the only place of a fact. */
  readonly text: string;
  readonly keys?: string;
  readonly side?: 'top' | 'bottom' | 'left' | 'right';
  /** One element that can take a ref and focus. */
  readonly children: ReactElement;
}

/**
 * Closes the dialog or panel that the buttons within are in. While the label of one shows, Esc goes to the label, and would
 * leave what is around it open.
 */
export const CloseAround = createContext<(() => void) | null>(null);

/** A short label on hover and on keyboard focus. Needs no provider. */
function Tooltip({ text, keys, side = 'top', children }: TooltipProps) {
  const closeAround = useContext(CloseAround);
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            // It says what its button is called, which a screen reader has said already.
            aria-hidden
            onEscapeKeyDown={() => closeAround?.()}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="z-50 flex max-w-80 animate-appear items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-meta text-ink shadow-popover"
          >
            {text}
            {keys === undefined || keys === '' ? null : <Kbd keys={keys} />}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}

/** A shortcut as key caps. `keys` as in {@link keyCaps}, e.g. "mod+k". `fill` is for a filled button. */
export function Kbd({
  keys,
  tone = 'plain',
}: {
  readonly keys: string;
  readonly tone?: 'plain' | 'fill';
}) {
  if (keys === '') return null;
  return (
    <kbd className="inline-flex shrink-0 items-center gap-0.5 font-sans">
      {keyCaps(keys, onApple()).map((cap) => (
        <span
          key={cap}
          className={cx(
            'inline-flex h-4 min-w-4 items-center justify-center rounded-sm border px-1 text-[11px] leading-none',
            tone === 'fill' ? 'border-on-fill/40 text-on-fill' : 'border-line-strong text-ink-2',
          )}
        >
          {cap}
        </span>
      ))}
    </kbd>
  );
}
