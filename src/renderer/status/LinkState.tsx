import { useScreen } from '../store/use-lathe';
import { cx } from '../ui/cx';
import { Spinner } from '../ui/Spinner';

/** Whether the page hears from the engine. A change is announced. */
export function LinkState() {
  const kind = useScreen((s) => s.link.kind);
  const connected = kind === 'connected';
  return (
    <span
      role="status"
      className={cx(
        'flex h-6 shrink-0 items-center gap-1.5 px-1.5',
        connected ? 'text-ink-3' : 'text-waits',
      )}
    >
      {connected ? (
        <span aria-hidden className="size-1.5 rounded-full bg-done" />
      ) : (
        <Spinner size={11} />
      )}
      {connected ? 'connected' : 'reconnecting…'}
    </span>
  );
}
