import { cx } from './cx';

/** A turning ring. `label` is read out; without it the ring is decoration beside a text that says the same. */
export function Spinner({
  size = 14,
  label,
  className,
}: {
  readonly size?: number;
  readonly label?: string;
  readonly className?: string;
}) {
  return (
    <span
      className={cx('inline-flex shrink-0', className)}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        aria-hidden="true"
        className="animate-spin"
      >
        <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.75" opacity="0.25" />
        <path
          d="M8 2a6 6 0 0 1 6 6"
          stroke="currentColor"
          strokeWidth="1.75"
          strokeLinecap="round"
        />
      </svg>
    </span>
  );
}
