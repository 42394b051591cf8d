import type { Fault, Result } from '../../shared/result';
import type { Lathe } from './lathe';
import type { ScreenStore, Toast } from './screen';

/** At most this many at once; older ones give way. */
const MAX_TOASTS = 3;

/** Shows a message until it is dismissed or pushed out. */
export const addToast = (store: ScreenStore, toast: Omit<Toast, 'id'>): void =>
  store.setState((s) => ({
    toasts: [...s.toasts, { ...toast, id: (s.toasts.at(-1)?.id ?? 0) + 1 }].slice(-MAX_TOASTS),
  }));

/** Takes one message away. */
export const dismissToast = (store: ScreenStore, id: number): void =>
  store.setState((s) => ({ toasts: s.toasts.filter((toast) => toast.id !== id) }));

/** Tells the person about a failure that belongs to no form. */
export const reportFault = (store: ScreenStore, { message, fix }: Fault): void =>
  addToast(store, { level: 'error', text: message, ...(fix === undefined ? {} : { fix }) });

/** Passes a result on; a failure is shown on the way. */
export function reported<T>(store: ScreenStore, result: Result<T>): Result<T> {
  if (!result.ok) reportFault(store, result.error);
  return result;
}

/** Lathe has no editor of its own yet: a place in a file goes to the clipboard, ready for the person's one. */
export async function copyPlace(
  { store }: Lathe,
  path: string,
  line: number | undefined,
): Promise<void> {
  const place = line === undefined ? path : `${path}:${line}`;
  try {
    await navigator.clipboard.writeText(place);
    addToast(store, { level: 'info', text: `Copied ${place}` });
  } catch {
    addToast(store, { level: 'error', text: 'The clipboard refused.', fix: place });
  }
}
