import { useEffect, useRef, useState } from 'react';
import type { Toast } from '../store/screen';
import { dismissToast } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
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
  const { action } = toast;
  // It is read, or somebody is on the way to its button.
  const [held, setHeld] = useState(false);
  useExpiry(
    toast.level === 'info' && !held,
    action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS,
    dismiss,
  );
  const act = () => {
    dismiss();
    action?.run();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while it is looked at
    <div
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      className="pointer-events-auto animate-appear rounded-md bg-raised"
    >
      <Notice
        level={toast.level}
        title={toast.text}
        onDismiss={dismiss}
        action={
          action === undefined ? null : (
            <Button size="sm" onClick={act}>
              {action.label}
            </Button>
          )
        }
      >
        {toast.fix}
      </Notice>
    </div>
  );
}

/** Time an informational message stays, in milliseconds. */
const SHOWN_MS = 4000;
/** The same for a message with something to do. */
const SHOWN_WITH_ACTION_MS = 12_000;

/** Calls back once after a while, when `active`. */
function useExpiry(active: boolean, afterMs: number, onExpired: () => void): void {
  const latest = useRef(onExpired);
  latest.current = onExpired;
  useEffect(() => {
    if (!active) return;
    const timer = setTimeout(() => latest.current(), afterMs);
    return () => clearTimeout(timer);
  }, [active, afterMs]);
}
