import {
  type BrowserWindow,
  type CustomScheme,
  dialog,
  type Protocol,
  protocol,
  type Session,
  shell,
} from 'electron';
import { pageHeaders, type StaticFiles } from '../common/page-files';

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

/** Permissions our page may ask for. Electron grants everything else by default; we refuse it. */
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

/** The page's own scheme: unlike `file://` it has an origin, a policy, and reaches nothing but the page. */
const PAGE_SCHEME = 'app';
/** The one page. */
export const PAGE_URL = `${PAGE_SCHEME}://lathe/`;

/** Registered with Electron before the app is ready. */
const PAGE_PRIVILEGES: CustomScheme = {
  scheme: PAGE_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

/** Registers the page's scheme. Before `ready`, and once. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([PAGE_PRIVILEGES]);

/** Serves the built page on its scheme; anything else there does not exist. */
export function servePage(files: StaticFiles, target: Pick<Protocol, 'handle'> = protocol): void {
  target.handle(PAGE_SCHEME, async (request) => {
    const url = new URL(request.url);
    const file =
      url.host === 'lathe' && request.method === 'GET' ? await files.get(url.pathname) : null;
    if (file === null) return new Response('Not found', { status: 404, headers: pageHeaders([]) });
    return new Response(file.body, {
      headers: {
        ...pageHeaders([]),
        'content-type': file.contentType,
        'cache-control': file.cacheControl,
      },
    });
  });
}

/** Tells whether a frame's address is our page's. */
export function isPage(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { protocol: scheme, host } = new URL(url);
  return scheme === `${PAGE_SCHEME}:` && host === 'lathe';
}

/** The real target of a link, as the user is asked about it. */
export interface ExternalLink {
  readonly url: string;
  /** The name in the question: the host, or the address of a mail. */
  readonly target: string;
}

const OPENABLE = new Set(['http:', 'https:', 'mailto:']);
/** Longer links are no links for people. Characters. */
const MAX_LENGTH = 4096;

/** Parses a link that may be opened outside after asking (docs/security.md 9); null for everything else. */
export function externalLink(address: string): ExternalLink | null {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (!OPENABLE.has(url.protocol)) return null;
  return { url: url.href, target: url.protocol === 'mailto:' ? url.pathname : url.host };
}
