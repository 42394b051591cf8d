import type { TextRange } from '../ui/VisibleText';

/** Facts about an address to know before it is fetched. */
export interface FetchFacts {
  /** As the network sees it: international names encoded (`xn--…`). */
  readonly host: string;
  /** The range of the host in the address as written; null when it is written differently. */
  readonly range: TextRange | null;
  /** Unusual properties, a sentence each. */
  readonly cautions: readonly string[];
}

/** Reads an address as a browser does. Pure. */
export function fetchFacts(address: string): FetchFacts {
  if (!URL.canParse(address)) {
    return { host: 'not an address', range: null, cautions: ['This is not a full web address.'] };
  }
  const url = new URL(address);
  const range = hostRange(address, url);
  const written = range === null ? '' : address.slice(range.start, range.end);
  return {
    host: url.host || url.protocol,
    range,
    cautions: [
      ...(url.hostname.split('.').some((label) => label.startsWith('xn--'))
        ? [
            written.toLowerCase() === url.host
              ? 'The host is an encoded international name: it may look like another one elsewhere.'
              : `The host is written with letters that may look like others; it is really ${url.host}.`,
          ]
        : []),
      ...(url.username !== '' || url.password !== ''
        ? ['What stands before the @ is a user name, not the host.']
        : []),
      ...(url.protocol === 'http:' ? ['The connection is not encrypted.'] : []),
      ...(isLocal(url.hostname) ? ['This address is on this machine or in your own network.'] : []),
    ],
  };
}

/** Returns the host in the address as written, found between scheme, user and path. */
function hostRange(address: string, url: URL): TextRange | null {
  const match = /^\s*[a-z][a-z0-9+.-]*:[/\\]{2}(?<user>[^/?#\\]*@)?(?<host>[^/?#\\]+)/i.exec(
    address,
  );
  const host = match?.groups?.['host'];
  if (match === null || host === undefined || url.host === '') return null;
  const start = match[0].length - host.length;
  return { start, end: start + host.length };
}

const isLocal = (hostname: string): boolean =>
  /^(localhost|.*\.local|.*\.localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0|\[(::1?|f[cd]|fe80))/i.test(
    hostname,
  );
