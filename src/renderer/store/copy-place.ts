import type { Lathe } from './lathe';
import { addToast } from './toasts';

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
