import { err, fault, ok, type Result } from '../../shared/result';
import { EXPORT_FILES, type ExportFormat, exportName } from '../../shared/session-export';
import type { SavedFile } from '../../shared/window-request';
import type { Lathe } from './lathe';
import type { ScreenStore } from './screen';
import { addToast, reported, reportFault } from './toasts';

/** The parts of a file, and what of the session could not be read for it. */
interface Exported {
  readonly parts: readonly Blob[];
  readonly told?: string;
}

/** Fetches a session in a format as parts of a file. */
const fetchExport = (
  { ask }: Pick<Lathe, 'ask'>,
  sessionId: string,
  format: ExportFormat,
): Promise<Result<Exported>> =>
  ask(async (client) => {
    const parts: Blob[] = [];
    let told: string | undefined;
    for await (const piece of await client.sessions.export({ sessionId, format })) {
      if (!piece.ok) return piece;
      // The browser may keep blobs on disk, texts it cannot.
      if (typeof piece.value === 'string') parts.push(new Blob([piece.value]));
      else ({ told } = piece.value);
    }
    if (parts.length === 0) return err(fault('empty', 'There is nothing to export.'));
    return ok(told === undefined ? { parts } : { parts, told });
  });

/** Hands a session to the browser, or the desktop app, as a file to save; a failure is shown. The desktop app tells what became of it. */
export async function saveSession(
  lathe: Lathe,
  { id, title }: { readonly id: string; readonly title: string },
  format: ExportFormat,
): Promise<void> {
  const fetched = reported(lathe.store, await fetchExport(lathe, id, format));
  if (!fetched.ok) return;
  const type = `${EXPORT_FILES[format].mediaType};charset=utf-8`;
  const address = URL.createObjectURL(new Blob([...fetched.value.parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = exportName(title, format);
  link.click();
  // The download has begun when the click is over; the address may go once it has been read.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  if (lathe.store.getState().info?.host !== 'electron')
    addToast(lathe.store, { level: 'info', text: `Handed to the browser as ${link.download}` });
  const { told } = fetched.value;
  if (told !== undefined)
    addToast(lathe.store, { level: 'error', text: `Not all is in it. ${told}` });
}

/** Tells what became of a file that the desktop app was to save. */
export function tellSaved(store: ScreenStore, { name, path }: SavedFile): void {
  if (path === null)
    reportFault(
      store,
      fault('not_saved', `${name} was not saved.`, 'Is there space, and may you write there?'),
    );
  else addToast(store, { level: 'info', text: `Saved as ${path}` });
}
