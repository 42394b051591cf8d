import { err, fault, ok, type Result } from '../../shared/result';
import { EXPORT_FILES, type ExportFormat, exportName } from '../../shared/session-export';
import type { Lathe } from './lathe';
import { addToast, reported } from './toasts';

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

/** Saves a session as a file where downloads go; a failure is shown. */
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
  addToast(lathe.store, { level: 'info', text: `Saved as ${link.download}` });
  const { told } = fetched.value;
  if (told !== undefined)
    addToast(lathe.store, { level: 'error', text: `Not all is in it. ${told}` });
}
