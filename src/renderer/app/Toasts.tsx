import type { Toast } from '../store/screen';
import { dismissToast } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Notice } from '../ui/Notice';
import { useExpiry } from './use-expiry';

/** Messages that belong to no dialog. Errors stay until dismissed; the others go by themselves. */
export function Toasts() {
  const toasts = useScreen((s) => s.toasts);
  return (
    <div className="pointer-events-none fixed bottom-11 left-1/2 z-50 flex w-[min(460px,calc(100vw-32px))] -translate-x-1/2 flex-col gap-2">
      {toasts.map((toast) => (
        <Message key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Message({ toast }: { readonly toast: Toast }) {
  const { store } = useLathe();
  const dismiss = () => dismissToast(store, toast.id);
  useExpiry(toast.level === 'info', dismiss);
  return (
    <div className="pointer-events-auto animate-appear rounded-md bg-raised shadow-popover">
      <Notice level={toast.level} title={toast.text} onDismiss={dismiss}>
        {toast.fix}
      </Notice>
    </div>
  );
}
