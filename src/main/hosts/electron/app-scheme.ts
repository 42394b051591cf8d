import { type CustomScheme, type Protocol, protocol } from 'electron';
import { pageHeaders } from '../common/page-headers';
import type { StaticFiles } from '../common/static-files';

/** The page's own scheme: unlike `file://` it has an origin, a policy, and reaches nothing but the page. */
export const PAGE_SCHEME = 'app';
/** The one page. */
export const PAGE_URL = `${PAGE_SCHEME}://lathe/`;
/** The page's origin, as senders and navigations name it. */
export const PAGE_ORIGIN = `${PAGE_SCHEME}://lathe`;

/** Must be told to Electron before the app is ready. */
export const PAGE_PRIVILEGES: CustomScheme = {
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

/** Whether a frame's address is our page's. */
export function isPage(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { protocol: scheme, host } = new URL(url);
  return scheme === `${PAGE_SCHEME}:` && host === 'lathe';
}
