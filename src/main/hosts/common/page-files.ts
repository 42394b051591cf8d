import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the built page. */
interface StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** `no-store` for documents; files with a hash in their name never change. */
  readonly cacheControl: string;
}

/** The built page. `get` knows exactly the files that were there when it was made: no path can lead elsewhere. */
export interface StaticFiles {
  get(urlPath: string): Promise<StaticFile | null>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
};

/** Lists a folder of built files. An absent folder has none. */
export async function openStaticFiles(root: string): Promise<StaticFiles> {
  const paths = await listFiles(root);
  return {
    get: async (urlPath) => {
      const path = paths.get(urlPath === '/' ? '/index.html' : urlPath);
      return path === undefined ? null : readStatic(path);
    },
  };
}

async function listFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`/${relative(root, path).split(sep).join('/')}`, path]),
  );
}

async function readStatic(path: string): Promise<StaticFile | null> {
  const extension = extname(path);
  const body = await readFile(path).catch(() => null);
  if (body === null) return null;
  return {
    body: new Uint8Array(body),
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    cacheControl: /-[\w-]{8,}\.\w+$/.test(path)
      ? 'private, max-age=31536000, immutable'
      : 'no-store',
  };
}

/**
 * Returns the page's content security policy (docs/security.md 9). `connect` names where it may open sockets, besides its own
 * origin. Styles may be inline because xterm and the component kit inject them; scripts never.
 */
const contentSecurityPolicy = (connect: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...connect].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');

/** Returns the headers of everything a host serves to its page. */
export const pageHeaders = (connect: readonly string[]): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(connect),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), payment=()',
});
