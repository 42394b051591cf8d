import type { AuthProvider } from '@modelcontextprotocol/client';
import { type AuthorityDeps, authorityFetch } from './authority-fetch';
import type { SignIn, SignInStore } from './sign-in-store';

/** Says that a server wants a user to sign in. */
export class SignInNeeded extends Error {
  constructor() {
    super('it wants a sign-in');
    this.name = 'SignInNeeded';
  }
}

/** The parts that tokens are kept and renewed with. */
export interface BearerDeps extends AuthorityDeps {
  readonly signIns: SignInStore;
}

/**
 * Creates what gives requests to an address the token of its sign-in, and renews one that is refused. It never opens a
 * browser and never registers Lathe: where no token can be had it throws {@link SignInNeeded}.
 */
export function createBearer(
  address: string,
  { signIns, fetch, clock }: BearerDeps,
  signal: AbortSignal,
): Required<AuthProvider> {
  let used: string | undefined;
  return {
    token: async () => {
      used = (await signIns.get(address))?.tokens.access_token;
      return used;
    },
    onUnauthorized: async () => {
      const refused = used;
      await signIns.alone(
        address,
        async () => {
          const kept = await signIns.look(address);
          if (kept === null) throw new SignInNeeded();
          // Another process, or another request, has renewed it already.
          if (kept.tokens.access_token !== refused) return;
          await signIns.change(address, await renewed(address, kept, { fetch, clock }, signal));
        },
        signal,
      );
    },
  };
}

/** Returns a sign-in with new tokens. Throws when the authorization server gives none. */
async function renewed(
  address: string,
  kept: SignIn,
  deps: AuthorityDeps,
  signal: AbortSignal,
): Promise<SignIn> {
  const { client, tokens, authority, resource } = kept;
  const { discoverAuthorizationServerMetadata, OAuthError, refreshAuthorization } = await import(
    '@modelcontextprotocol/client'
  );
  if (tokens.refresh_token === undefined) throw new SignInNeeded();
  const reach = authorityFetch(address, deps);
  const fetchFn: typeof fetch = (input, init) => reach(input, { ...init, signal });
  try {
    const metadata = await discoverAuthorizationServerMetadata(authority, { fetchFn });
    const fresh = await refreshAuthorization(authority, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(resource === undefined ? {} : { resource }),
      fetchFn,
    });
    return { ...kept, tokens: { ...tokens, ...fresh } };
  } catch (thrown) {
    // It said no; that it cannot be reached is another matter.
    if (OAuthError.isInstance(thrown)) throw new SignInNeeded();
    throw thrown;
  }
}
