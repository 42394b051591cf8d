import { type BrowserWindow, dialog, type Session, shell } from 'electron';
import { isPage } from './app-scheme';
import { externalLink } from './external-link';

/** Keeps a window on our page: no navigation, no new windows, no embedded pages; links open outside, after asking. */
export function guardWindow(window: BrowserWindow): void {
  const { webContents } = window;
  webContents.setWindowOpenHandler(({ url }) => {
    openOutside(window, url).catch(() => {});
    return { action: 'deny' };
  });
  webContents.on('will-navigate', (event) => {
    // The page may load itself again; everything else stays out.
    if (event.url === webContents.getURL() && isPage(event.url)) return;
    event.preventDefault();
    if (!isPage(event.url)) openOutside(window, event.url).catch(() => {});
  });
  webContents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault();
  });
  webContents.on('will-attach-webview', (event) => event.preventDefault());
}

/** What our page may ask the system for. Electron grants everything else by default; we refuse it. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Refuses every permission but copying text, and every device. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((webContents, permission, callback) => {
    callback(ALLOWED.has(permission) && isPage(webContents.getURL()));
  });
  session.setPermissionCheckHandler((webContents, permission) => {
    return ALLOWED.has(permission) && isPage(webContents?.getURL());
  });
  session.setDevicePermissionHandler(() => false);
}

async function openOutside(window: BrowserWindow, address: string): Promise<void> {
  const link = externalLink(address);
  if (link === null) return;
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: `Open ${link.target}?`,
    detail: link.url,
    buttons: ['Open', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  if (response === 0) await shell.openExternal(link.url);
}
