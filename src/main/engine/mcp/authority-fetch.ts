import { boundedFetch } from './transports';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Creates the function that reaches what a server at `address` names for signing in. What is not on this machine is reached
 * by https only, and what is on this machine only for a server that is there too.
 */
export function authorityFetch(address: string, request: typeof fetch): typeof fetch {
  const bounded = boundedFetch(request);
  const isLocal = LOOPBACK.test(new URL(address).hostname);
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isFit = LOOPBACK.test(url.hostname) ? isLocal : url.protocol === 'https:';
    if (!isFit || !/^https?:$/.test(url.protocol))
      throw new Error(`it names ${url.origin} for signing in, which is not safe`);
    return bounded(input, { ...init, redirect: 'error' });
  };
}

/** Tells whether a browser may be sent to an address to sign in to the server at another one. Pure. */
export function maySignInAt(page: URL, address: string): boolean {
  if (page.protocol === 'https:') return true;
  const isLocal = LOOPBACK.test(page.hostname) && LOOPBACK.test(new URL(address).hostname);
  return page.protocol === 'http:' && isLocal;
}
