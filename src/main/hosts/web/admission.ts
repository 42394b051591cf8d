import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../engine/damaged-file';
import type { Files } from '../../engine/ports';

/** The tickets and sessions of the web host: single-use tickets are exchanged for session cookies. */
export interface Admission {
  /** Creates a ticket for one browser. */
  issueTicket(): string;
  /** Spends a ticket; returns a session secret for the cookie, or null when the ticket is unknown or spent. */
  redeem(ticket: string): string | null;
  isSession(secret: string | undefined): boolean;
  /** Admits the sessions of an earlier host on the same port, unless they are too old. */
  restore(sessions: readonly KeptSession[]): void;
}

/** A session as it is kept: the hash of its secret, and when it was given, in epoch milliseconds. */
const KeptSession = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), at: z.number() });
export type KeptSession = z.infer<typeof KeptSession>;

/** Secrets are 256 random bits. */
const SECRET_BYTES = 32;
/** The oldest are dropped beyond this, so that neither list grows without bound. */
const MAX_TICKETS = 32;
const MAX_SESSIONS = 64;
/** A session is admitted this long after a restart of the host. Milliseconds. */
const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

/**
 * Creates an empty {@link Admission}. Keeps only hashes, and compares with all of them in equal time. `onSessions` is
 * told of every new list of sessions.
 */
export function createAdmission(
  onSessions: (sessions: readonly KeptSession[]) => void = () => {},
  now: () => number = Date.now,
): Admission {
  const tickets: Buffer[] = [];
  let sessions: readonly { readonly hash: Buffer; readonly at: number }[] = [];
  return {
    issueTicket() {
      const secret = freshSecret();
      tickets.push(digest(secret));
      if (tickets.length > MAX_TICKETS) tickets.shift();
      return secret;
    },
    redeem(ticket) {
      const at = indexOf(tickets, ticket);
      if (at < 0) return null;
      tickets.splice(at, 1);
      const secret = freshSecret();
      sessions = [...sessions, { hash: digest(secret), at: now() }].slice(-MAX_SESSIONS);
      onSessions(sessions.map((one) => ({ hash: one.hash.toString('hex'), at: one.at })));
      return secret;
    },
    isSession: (secret) =>
      secret !== undefined &&
      indexOf(
        sessions.map(({ hash }) => hash),
        secret,
      ) >= 0,
    restore(kept) {
      const fresh = kept.filter(({ at }) => at <= now() && now() - at < KEPT_MS);
      const before = fresh.map(({ hash, at }) => ({ hash: Buffer.from(hash, 'hex'), at }));
      sessions = [...before, ...sessions].slice(-MAX_SESSIONS);
    },
  };
}

const freshSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

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

/** The legacy of a host to the next one, so that pages that are open come back by themselves. */
const KeptHost = z.object({
  port: z.number().int().min(0).max(65_535),
  sessions: z.array(KeptSession).readonly(),
});
type KeptHost = z.infer<typeof KeptHost>;

/** A host file is a few kilobytes long. Bytes. */
const MAX_HOST_BYTES = 64 * 1024;

const hostFile = (latheHome: string): string => join(latheHome, 'web.json');

/** Reads what the last host of a home left; nothing when there is none, or it cannot be used. */
export async function readKeptHost(files: Files, latheHome: string): Promise<KeptHost> {
  const bytes = await files.read(hostFile(latheHome), MAX_HOST_BYTES);
  return (bytes.ok ? parseHost(bytes.value) : null) ?? NO_HOST;
}

/** Tells whether bytes are what `web.json` holds. */
export const holdsHost = (bytes: Uint8Array): boolean => parseHost(bytes) !== null;

function parseHost(bytes: Uint8Array): KeptHost | null {
  try {
    return KeptHost.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data ?? null;
  } catch {
    return null;
  }
}

const NO_HOST: KeptHost = { port: 0, sessions: [] };

/** Writes what the next host of a home is to know. Hashes only, and for this user alone (docs/security.md 11, 13). */
export const writeKeptHost = (files: Files, latheHome: string, kept: KeptHost) =>
  replaceFile(files, hostFile(latheHome), `${JSON.stringify(kept)}\n`, holdsHost);
