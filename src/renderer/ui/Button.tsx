import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx';
import { Spinner } from './Spinner';

/** `primary`: the one act of a view. `quiet`: other acts. `ghost`: no frame until hovered. `danger`: destroys or refuses. */
export type ButtonVariant = 'primary' | 'quiet' | 'ghost' | 'danger';
/** Heights 24, 28 and 36 px. */
export type ButtonSize = 'sm' | 'md' | 'lg';

export interface ButtonProps extends ComponentProps<'button'> {
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
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={cx(
        'inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-md border font-medium transition-colors duration-100',
        'disabled:opacity-50 aria-disabled:opacity-60',
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
      {...rest}
    >
      {busy ? <Spinner size={iconSize} /> : Icon && <Icon size={iconSize} aria-hidden />}
      {children}
    </button>
  );
}
