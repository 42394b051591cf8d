import { useEffect, useRef } from 'react';
import type { Toast } from '../store/screen';
import { dismissToast } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { Notice } from '../ui/Notice';

/**
 * Messages that belong to no dialog. Errors stay until dismissed; the others go by themselves. They take room of their
 * own and cover nothing; only `over` a dialog, which has the window to itself, they lie at its lower edge.
 */
export function Toasts({ over = false }: { readonly over?: boolean }) {
  const toasts = useScreen((s) => s.toasts);
  if (toasts.length === 0) return null;
  return (
    <section
      aria-label="Messages"
      className={cx(
        'flex flex-col gap-2',
        over
          ? 'pointer-events-none fixed bottom-3 left-1/2 z-50 w-[min(460px,calc(100vw-32px))] -translate-x-1/2'
          : 'prose-column max-h-[40%] shrink-0 overflow-y-auto pt-1 pb-2',
      )}
    >
      {toasts.map((toast) => (
        <Message key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function Message({ toast }: { readonly toast: Toast }) {
  const { store } = useLathe();
  const dismiss = () => dismissToast(store, toast.id);
  useExpiry(toast.level === 'info', dismiss);
  return (
    <div className="pointer-events-auto animate-appear rounded-md bg-raised">
      <Notice level={toast.level} title={toast.text} onDismiss={dismiss}>
        {toast.fix}
      </Notice>
    </div>
  );
}

/** Time an informational message stays, in milliseconds. */
const SHOWN_MS = 4000;

/** Calls back once after a while, when `active`. */
function useExpiry(active: boolean, onExpired: () => void): void {
  const latest = useRef(onExpired);
  latest.current = onExpired;
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => latest.current(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [active]);
}
