import type { Fault, Result } from '../../shared/result';
import { readClipboard, writeClipboard } from '../ui/clipboard';
import type { Ask } from './ask';
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

/** Tells the user about a failure that belongs to no form. */
export const reportFault = (store: ScreenStore, { message, fix }: Fault): void =>
  addToast(store, { level: 'error', text: message, ...(fix === undefined ? {} : { fix }) });

/** Passes a result on; a failure is shown on the way. */
export function reported<T>(store: ScreenStore, result: Result<T>): Result<T> {
  if (!result.ok) reportFault(store, result.error);
  return result;
}

/** Copies a file location to the clipboard, for the user's editor. */
export async function copyFileLocation(
  store: ScreenStore,
  path: string,
  line: number | undefined,
): Promise<void> {
  const location = line === undefined ? path : `${path}:${line}`;
  if (await copyText(store, location))
    addToast(store, { level: 'info', text: `Copied ${location}` });
}

/** Copies text; a refusal is shown with the text, so that it can be taken by hand. False when it was refused. */
export async function copyText(store: ScreenStore, text: string): Promise<boolean> {
  try {
    await writeClipboard(text);
    return true;
  } catch {
    const fix = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    addToast(store, { level: 'error', text: 'The clipboard refused.', fix });
    return false;
  }
}

/** Returns the text in the clipboard; null when it cannot be read, which is told. The desktop app reads it for its page. */
export async function clipboardText({
  store,
  ask,
}: {
  readonly store: ScreenStore;
  readonly ask: Ask;
}): Promise<string | null> {
  if (store.getState().info?.host === 'electron') {
    const read = reported(store, await ask((client) => client.app.clipboardText()));
    return read.ok ? read.value : null;
  }
  try {
    return await readClipboard();
  } catch {
    const fix = 'Use the keys for pasting instead.';
    addToast(store, {
      ...{ level: 'error', fix },
      text: 'The browser does not let Lathe read the clipboard.',
    });
    return null;
  }
}

/** Longest text shown when it could not be copied, in characters. */
const MAX_SHOWN = 300;
