import type { Clock } from '../ports';
import { inTime } from './in-time';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The longest that an authorization server may take for one answer. Milliseconds. */
export const AUTHORITY_LIMIT_MS = 30_000;
/** Its longest answer: what it says of itself, of a client, or a token. Bytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The services that reach an authorization server. */
export interface AuthorityDeps {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, 'sleep'>;
}

/**
 * Creates the function that reaches what a server at `address` names for signing in. What is not on this machine is reached
 * by https only, and what is on this machine only for a server that is there too. An answer is short, whole and in time, or none.
 */
export function authorityFetch(
  address: string,
  { fetch: request, clock }: AuthorityDeps,
): typeof fetch {
  const isLocal = LOOPBACK.test(new URL(address).hostname);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isFit = LOOPBACK.test(url.hostname) ? isLocal : url.protocol === 'https:';
    if (!isFit || !/^https?:$/.test(url.protocol))
      throw new Error(`it names ${url.origin} for signing in, which is not safe`);
    const wanted = init?.signal ?? new AbortController().signal;
    return inTime(clock, AUTHORITY_LIMIT_MS, wanted, async ({ signal }) =>
      whole(await request(input, { ...init, redirect: 'error', signal })),
    );
  };
}

/** Reads an answer to its end, and gives it as one that has come. Throws where it is too long. */
async function whole(response: Response): Promise<Response> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(TOO_LONG);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  const read = new Response(bytes === 0 ? null : Buffer.concat(parts), {
    ...{ status, statusText, headers },
  });
  Object.defineProperty(read, 'url', { value: response.url });
  return read;
}

const TOO_LONG = `its answer is longer than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB`;

/** Tells whether a browser may be sent to an address to sign in to the server at another one. Pure. */
export function maySignInAt(page: URL, address: string): boolean {
  if (page.protocol === 'https:') return true;
  const isLocal = LOOPBACK.test(page.hostname) && LOOPBACK.test(new URL(address).hostname);
  return page.protocol === 'http:' && isLocal;
}
