import { EventEmitter } from 'node:events';
import type { Download } from '@playwright/test';
import { preventable } from './app-double';
import { STAND_IN } from './page-double';

/** A download that has not begun: where it is saved is said in the event that tells of it. */
class DownloadItemDouble extends EventEmitter {
  path = '';
  cancelled = false;
  constructor(readonly download: Download) {
    super();
  }
  getURL = () => this.download.url().replace(STAND_IN, 'app://lathe');
  getFilename = () => this.download.suggestedFilename();
  setSavePath = (path: string) => {
    this.path = path;
  };
  cancel = () => {
    this.cancelled = true;
  };
}

/**
 * Does with a download of a page as Electron does: tells the session, and saves it where that says, over what is there. One that
 * could be resumed is not done. Returns how it went: without a path, Electron asks for one.
 */
export async function downloadAsElectron(
  session: EventEmitter,
  download: Download,
  webContents: unknown,
): Promise<'refused' | 'asked for a path' | 'completed' | 'cancelled' | 'waits'> {
  const item = new DownloadItemDouble(download);
  const event = preventable({});
  session.emit('will-download', event, item, webContents);
  if (event.defaultPrevented || item.path === '') {
    await download.cancel();
    return event.defaultPrevented ? 'refused' : 'asked for a path';
  }
  try {
    await download.saveAs(item.path);
  } catch {
    item.emit('updated', {}, 'interrupted');
    if (!item.cancelled) return 'waits';
  }
  const state = item.cancelled ? 'cancelled' : 'completed';
  item.emit('done', {}, state);
  return state;
}
