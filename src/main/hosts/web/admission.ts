import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The tickets and sessions of the web host: single-use tickets are exchanged for session cookies. */
export interface Admission {
  /** Creates a ticket for one browser. */
  issueTicket(): string;
  /** Spends a ticket; returns a session secret for the cookie, or null when the ticket is unknown or spent. */
  redeem(ticket: string): string | null;
  isSession(secret: string | undefined): boolean;
}

/** Secrets are 256 random bits. */
const SECRET_BYTES = 32;
/** The oldest are dropped beyond this, so that neither list grows without bound. */
const MAX_TICKETS = 32;
const MAX_SESSIONS = 64;

/** Creates an empty {@link Admission}. Keeps only hashes, and compares with all of them in equal time. */
export function createAdmission(): Admission {
  const tickets: Buffer[] = [];
  const sessions: Buffer[] = [];
  return {
    issueTicket: () => remember(tickets, MAX_TICKETS),
    redeem(ticket) {
      const at = indexOf(tickets, ticket);
      if (at < 0) return null;
      tickets.splice(at, 1);
      return remember(sessions, MAX_SESSIONS);
    },
    isSession: (secret) => secret !== undefined && indexOf(sessions, secret) >= 0,
  };
}

function remember(list: Buffer[], limit: number): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  list.push(digest(secret));
  if (list.length > limit) list.shift();
  return secret;
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function indexOf(list: readonly Buffer[], secret: string): number {
  const wanted = digest(secret);
  let found = -1;
  list.forEach((known, at) => {
    if (timingSafeEqual(known, wanted)) found = at;
  });
  return found;
}

/** Returns the cookie's name. Cookies do not know ports, so ours carries it: two hosts do not overwrite each other. */
export const cookieName = (port: number): string => `lathe-${port}`;

/** Returns a `Set-Cookie` header that scripts and other sites cannot use. Ends with the browser's session. */
export const sessionCookie = (port: number, secret: string): string =>
  `${cookieName(port)}=${secret}; Path=/; HttpOnly; SameSite=Strict`;

/** Returns the session secret in a `Cookie` header. */
export function secretIn(cookieHeader: string | undefined, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const pair = cookieHeader
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return pair?.slice(prefix.length);
}

/** The header values the guard looks at, as they came. */
export interface RequestFacts {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

/** The reason to refuse a request, or null when it may pass. */
export type Refusal = 'host' | 'origin' | null;

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/**
 * Stops DNS rebinding and cross-site requests (docs/security.md 11): the host must be a loopback name, and an origin
 * must be the very host that was asked. The port is free, so that an ssh tunnel may end on another one: a
 * rebound name is refused whatever its port, and a page of another local port has another origin.
 * `needsOrigin` is for requests that change something or open a socket: there a browser always sends one.
 */
export function refusal(facts: RequestFacts, needsOrigin: boolean): Refusal {
  if (facts.host === undefined || !LOOPBACK.test(facts.host)) return 'host';
  if (facts.origin === undefined) return needsOrigin ? 'origin' : null;
  return facts.origin === `http://${facts.host}` ? null : 'origin';
}
