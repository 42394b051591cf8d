/** What the guard looks at: header values as they came. */
export interface RequestFacts {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/** Why a request is refused, or null when it may pass. */
export type Refusal = 'host' | 'origin' | null;

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * Stops DNS rebinding and cross-site requests (THREATS 11): the host must be a loopback name, and an origin
 * must be the very host that was asked. The port is free, so that an ssh tunnel may end on another one: a
 * rebound name is refused whatever its port, and a page of another local port has another origin.
 * `needsOrigin` is for requests that change something or open a socket: there a browser always sends one.
 */
export function refusal(facts: RequestFacts, needsOrigin: boolean): Refusal {
  if (facts.host === undefined || !LOOPBACK.test(facts.host)) return 'host';
  if (facts.origin === undefined) return needsOrigin ? 'origin' : null;
  return facts.origin === `http://${facts.host}` ? null : 'origin';
}
