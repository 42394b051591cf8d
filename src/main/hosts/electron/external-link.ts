/** Where a link really leads, as the person is asked about it. */
export interface ExternalLink {
  readonly url: string;
  /** What the question names: the host, or the address of a mail. */
  readonly target: string;
}

const OPENABLE = new Set(['http:', 'https:', 'mailto:']);
/** Longer links are no links for people. Characters. */
const MAX_LENGTH = 4096;

/** A link that may be opened outside after asking (THREATS 9); null for everything else. */
export function externalLink(address: string): ExternalLink | null {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (!OPENABLE.has(url.protocol)) return null;
  return { url: url.href, target: url.protocol === 'mailto:' ? url.pathname : url.host };
}
