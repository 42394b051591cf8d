import { cx } from './cx';

/** A share of a whole, 0 … 1, as a thin bar. It turns to the waiting colour at 0.8 and to the failed one at 0.95. */
export function Meter({
  share,
  label,
  wide = false,
}: {
  readonly share: number;
  readonly label: string;
  /** As wide as its place, instead of 48 px. */
  readonly wide?: boolean;
}) {
  const part = Math.min(1, Math.max(0, share));
  const colour = part >= 0.95 ? 'bg-failed' : part >= 0.8 ? 'bg-waits' : 'bg-ink-3';
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled alike in every engine
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      className={cx(
        'h-1 shrink-0 overflow-hidden rounded-full bg-line-strong',
        wide ? 'block w-full' : 'inline-block w-12',
      )}
    >
      <span className={cx('block h-full', colour)} style={{ width: `${part * 100}%` }} />
    </span>
  );
}
