import { cx } from './cx';
import { keyCaps, onApple } from './keys';

/** A shortcut as key caps. `keys` as in {@link keyCaps}, e.g. "mod+k". `fill` is for a filled button. */
export function Kbd({
  keys,
  tone = 'plain',
}: {
  readonly keys: string;
  readonly tone?: 'plain' | 'fill';
}) {
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
