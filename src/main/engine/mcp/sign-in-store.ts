import { createHash } from 'node:crypto';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Locks, SecretFile } from '../ports';

/** The credentials that Lathe got when a user signed in to a server at an address. */
export interface SignIn {
  /** Lathe, as the authorization server knows it. */
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
  /** The address of the authorization server. */
  readonly authority: string;
  /** The resource that the tokens are for, as the server names it. */
  readonly resource?: string | undefined;
}

/** Keeps sign-ins, by the addresses of servers: a token goes nowhere but to the address that it is for. */
export interface SignInStore {
  /** Returns the sign-in for an address as this process knows it; null when there is none. */
  get(address: string): Promise<SignIn | null>;
  /** The same, as another process may have changed it. */
  look(address: string): Promise<SignIn | null>;
  /** Keeps a sign-in, or forgets it. */
  change(address: string, to: SignIn | null): Promise<Result<null>>;
  /** Does something about an address that no other process does meanwhile. Throws when `signal` aborts first. */
  alone<T>(address: string, act: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const Kept = z.record(
  z.string(),
  z.object({
    client: z.looseObject({ client_id: z.string() }),
    tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }),
    authority: z.url(),
    resource: z.string().optional(),
  }),
);

/** More sign-ins are not kept. */
const MAX_KEPT = 500;

const LOCKED = fault('sign_ins_locked', 'The sign-ins are being changed by another Lathe.');
const TOO_MANY = fault(
  'too_many_sign_ins',
  `There are ${MAX_KEPT} sign-ins already.`,
  'Sign out of servers that you no longer use.',
);

/** Creates the store over one secret file. `folder` holds the locks. */
export function createSignInStore(
  file: SecretFile,
  { locks, folder }: { readonly locks: Locks; readonly folder: string },
): SignInStore {
  let known: Promise<Readonly<Record<string, SignIn>>> | null = null;
  const read = async (): Promise<Readonly<Record<string, SignIn>>> => {
    const parsed = Kept.safeParse(parsedJson(await file.read()));
    // The SDK checks what else it takes out of them.
    return parsed.success ? (parsed.data as Record<string, SignIn>) : {};
  };
  const from = async (all: Promise<Readonly<Record<string, SignIn>>>, address: string) => {
    const found = await all;
    return Object.hasOwn(found, address) ? (found[address] ?? null) : null;
  };
  const locked = async (name: string, signal: AbortSignal) =>
    locks.acquire(`${folder}/${name}.lock`, signal);
  return {
    get: (address) => {
      known ??= read();
      return from(known, address);
    },
    look: (address) => {
      known = read();
      return from(known, address);
    },
    change: async (address, to) => {
      const lock = await locked('sign-ins', new AbortController().signal);
      if (!lock.ok) return err(LOCKED);
      try {
        const { [address]: _, ...others } = await read();
        if (to !== null && Object.keys(others).length >= MAX_KEPT) return err(TOO_MANY);
        const next = to === null ? others : { ...others, [address]: to };
        const written = await file.write(JSON.stringify(next), isSignIns);
        // What cannot be kept is still good while this process lives.
        known = Promise.resolve(next);
        return written.ok ? ok(null) : written;
      } finally {
        await lock.value();
      }
    },
    alone: async (address, act, signal) => {
      const digest = createHash('sha256').update(address).digest('hex').slice(0, 16);
      const lock = await locked(`sign-in-${digest}`, signal);
      if (!lock.ok) throw new Error('The sign-in is being renewed by another Lathe.');
      try {
        return await act();
      } finally {
        await lock.value();
      }
    },
  };
}

/** Tells whether bytes are sign-ins as a plain file holds them. */
export const holdsSignIns = (bytes: Uint8Array): boolean =>
  isSignIns(new TextDecoder().decode(bytes));

const isSignIns = (text: string): boolean => Kept.safeParse(parsedJson(text)).success;

function parsedJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return null;
  }
}
