import { lstatSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { app, type Session } from 'electron';
import type { SavedFile } from '../../../shared/window-request';
import { isPage } from './page-guard';

/**
 * Saves the files that our page makes among the user's downloads, and refuses all others. Without a path, Electron would ask
 * for one in a dialog of its own. `tell` hears what became of each, for the page with this id.
 */
export function saveDownloads(
  session: Pick<Session, 'on'>,
  tell: (webContentsId: number, file: SavedFile) => void,
): void {
  const begun = new Set<string>();
  session.on('will-download', (event, item, webContents) => {
    if (!isOwnFile(item.getURL()) || !isPage(webContents.getURL())) return event.preventDefault();
    const { id } = webContents;
    const folder = app.getPath('downloads');
    const isTaken = (name: string) => begun.has(join(folder, name)) || exists(join(folder, name));
    const path = join(folder, freeName(basename(item.getFilename()), isTaken));
    begun.add(path);
    item.setSavePath(path);
    item.on('updated', (_, state) => {
      // It could be resumed, but nobody would.
      if (state === 'interrupted') item.cancel();
    });
    item.once('done', (_, state) => {
      begun.delete(path);
      tell(id, { type: 'saved', name: basename(path), path: state === 'completed' ? path : null });
    });
  });
}

/** Tells whether an address is that of a file which our page made. */
function isOwnFile(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'blob:' && isPage(url.pathname);
}

/** Tells whether there is anything at a path, also a link that leads nowhere. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The folder cannot be read: writing there tells why.
    return false;
  }
}

/** Returns the name, with a number before its ending where it is taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const { name: stem, ext } = parse(name);
  let free = name;
  for (let number = 1; isTaken(free); number += 1) free = `${stem} (${number})${ext}`;
  return free;
}
