import { ChevronRight, type LucideIcon } from 'lucide-react';
import { cx } from '../ui/cx';
import { Spinner } from '../ui/Spinner';

/** A large button for one way on, with a sentence about where it leads. */
export function ChoiceCard({
  icon: Icon,
  title,
  text,
  primary = false,
  busy = false,
  disabled = false,
  onChoose,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly text: string;
  readonly primary?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onChoose: () => void;
}) {
  return (
    <button
      type="button"
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      onClick={onChoose}
      className={cx(
        'flex w-full items-center gap-4 rounded-lg border px-4 py-3 text-left transition-colors duration-100 disabled:opacity-60',
        primary
          ? 'border-accent bg-accent-tint hover:border-accent-fill-hover'
          : 'border-line bg-raised hover:border-line-strong hover:bg-hover',
      )}
    >
      <Icon
        size={20}
        strokeWidth={1.6}
        aria-hidden
        className={primary ? 'text-accent' : 'text-ink-3'}
      />
      <span className="min-w-0 flex-1">
        <span className="block text-body font-medium">{title}</span>
        <span className="block text-code text-ink-2">{text}</span>
      </span>
      {busy ? <Spinner /> : <ChevronRight size={16} aria-hidden className="shrink-0 text-ink-3" />}
    </button>
  );
}
