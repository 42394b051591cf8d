import { randomBytes } from 'node:crypto';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../../shared/result';
import type { Callbacks, Clock } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';
import { AUTHORITY_LIMIT_MS, authorityFetch, maySignInAt } from './authority-fetch';
import { inTime } from './in-time';
import type { SignIn, SignInStore } from './sign-in-store';

/** The longest that a user may take at the pages of an authorization server. Milliseconds. */
export const SIGN_IN_LIMIT_MS = 10 * 60_000;
/** The longest wait for an authorization server's answer when a user signs out. Milliseconds. */
const GOODBYE_MS = 3000;

/** The services that signing in and out needs. */
export interface SignInDeps {
  readonly signIns: SignInStore;
  readonly callbacks: Callbacks;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** A server to sign in to, with everything filled in. */
export type SignInServer = Pick<
  NonNullable<McpServerSetting['remote']>,
  'url' | 'headers' | 'oauth'
>;

/**
 * Signs a user in to a server: finds its authorization server, registers Lathe there, gives `show` the address to open in
 * a browser, waits for the browser to come back and keeps the tokens. The error is for a user.
 */
export async function signIn(
  server: SignInServer,
  deps: SignInDeps,
  show: (address: string) => void,
  signal: AbortSignal,
): Promise<Result<null, string>> {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<URLSearchParams>();
  const state = randomBytes(24).toString('base64url');
  const over = new AbortController();
  const listening = await deps.callbacks.open(server.oauth?.callbackPort, (query) => {
    if (query.get('state') !== state) return null;
    arrive(query);
    return query.has('error')
      ? 'You were not signed in. You can close this page.'
      : 'Lathe has what it needs. You can close this page.';
  });
  if (!listening.ok) return listening;
  const late = deps.clock.sleep(SIGN_IN_LIMIT_MS, over.signal).then(() => null);
  const stopped = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  try {
    return await signInAt(
      server,
      deps,
      { redirectUrl: listening.value.url, state, show },
      () => Promise.race([arrived, late, stopped]),
      signal,
    );
  } catch (thrown) {
    if (signal.aborted) return err('The sign-in was stopped.');
    return err(`The sign-in failed: ${thrown instanceof Error ? thrown.message : thrown}.`);
  } finally {
    over.abort('over');
    await listening.value.close();
  }
}

/** One way there and back through a browser. */
interface Round {
  readonly redirectUrl: string;
  readonly state: string;
  readonly show: (address: string) => void;
}

async function signInAt(
  server: SignInServer,
  deps: SignInDeps,
  { redirectUrl, state, show }: Round,
  arrival: () => Promise<URLSearchParams | null>,
  signal: AbortSignal,
): Promise<Result<null, string>> {
  const { auth } = await import('@modelcontextprotocol/client');
  const draft: Draft = { verifier: '' };
  const { clientId } = server.oauth ?? {};
  let page: URL | null = null;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Lathe',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(server.oauth?.scopes === undefined ? {} : { scope: server.oauth.scopes }),
    },
    state: () => state,
    clientInformation: (at) => {
      if (clientId !== undefined)
        draft.client ??= { client_id: clientId, ...(at === undefined ? {} : at) };
      return draft.client;
    },
    saveClientInformation: (client) => {
      draft.client = client;
    },
    tokens: () => undefined,
    saveTokens: (tokens) => {
      draft.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      page = url;
    },
    saveCodeVerifier: (verifier) => {
      draft.verifier = verifier;
    },
    codeVerifier: () => draft.verifier,
    saveDiscoveryState: (found) => {
      draft.found = found;
    },
    discoveryState: () => draft.found,
    saveResourceUrl: (resource) => {
      draft.resource = resource;
    },
  };
  const wanted = await challengeOf(server, deps, signal);
  const request = authorityFetch(server.url, deps);
  const options = {
    serverUrl: server.url,
    fetchFn: (input: string | URL, init?: RequestInit) => request(input, { ...init, signal }),
    ...wanted,
  };
  await auth(provider, options);
  const asked: URL | null = page;
  if (asked === null) return err('The sign-in failed: its authorization server shows no page.');
  if (!maySignInAt(asked, server.url))
    return err('The sign-in failed: its page is not reached by https.');
  show(String(asked));
  const back = await arrival();
  if (back === null)
    return err(signal.aborted ? 'The sign-in was stopped.' : 'Nobody signed in within 10 minutes.');
  const code = back.get('code');
  if (code === null) {
    const why = back.get('error_description') ?? back.get('error') ?? 'it says nothing';
    return err(`The authorization server refused: ${why.slice(0, 300)}`);
  }
  const iss = back.get('iss');
  await auth(provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) });
  const { client, tokens, found, resource } = draft;
  if (client === undefined || tokens === undefined || found === undefined) return err(NO_TOKENS);
  const kept = await deps.signIns.change(server.url, {
    client,
    tokens,
    authority: found.authorizationServerUrl,
    ...(resource === undefined ? {} : { resource }),
  });
  return kept.ok ? ok(null) : err(`Signed in until Lathe ends: ${kept.error.message}`);
}

const NO_TOKENS = 'The sign-in failed: its authorization server gave no token.';

/** The known part of a sign-in before it is whole. */
interface Draft {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  found?: OAuthDiscoveryState;
  resource?: string;
  verifier: string;
}

/** Asks a server once without a token, because its refusal says where to sign in, and for what. */
async function challengeOf(
  { url, headers, oauth }: SignInServer,
  { fetch: request, clock }: SignInDeps,
  signal: AbortSignal,
) {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const answer = await inTime(clock, AUTHORITY_LIMIT_MS, signal, ({ signal: asking }) =>
    request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
      redirect: 'manual',
      signal: asking,
    }),
  );
  await answer.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  const scopes = oauth?.scopes ?? scope;
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scopes === undefined ? {} : { scope: scopes }),
  };
}

/**
 * Forgets a sign-in, and tells its authorization server so where that can be told. Returns what became of it, for a
 * user; null when there was nothing to forget.
 */
export async function signOut(address: string, deps: SignInDeps): Promise<Result<string | null>> {
  const kept = await deps.signIns.look(address);
  if (kept === null) return ok(null);
  const forgotten = await deps.signIns.change(address, null);
  if (!forgotten.ok) return forgotten;
  const over = new AbortController();
  const told = revoke(address, kept, deps, over.signal).catch(() => false);
  const late = deps.clock.sleep(GOODBYE_MS, over.signal).then(() => false);
  const known = await Promise.race([told, late]);
  over.abort('over');
  return ok(known ? 'Signed out, and its tokens were taken back.' : FORGOTTEN);
}

const FORGOTTEN = 'Signed out here. The tokens were forgotten, but nobody took them back.';

/** Has the tokens of a sign-in taken back (RFC 7009); false where that cannot be asked for. */
async function revoke(
  address: string,
  { client, tokens, authority }: SignIn,
  deps: SignInDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { discoverAuthorizationServerMetadata } = await import('@modelcontextprotocol/client');
  const fetchFn = authorityFetch(address, deps);
  const metadata = await discoverAuthorizationServerMetadata(authority, { fetchFn });
  const { revocation_endpoint: endpoint } = Object(metadata) as Record<string, unknown>;
  if (typeof endpoint !== 'string') return false;
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    client_id: client.client_id,
    ...(client.client_secret === undefined ? {} : { client_secret: client.client_secret }),
  });
  const answer = await fetchFn(endpoint, { method: 'POST', body, signal });
  await answer.body?.cancel();
  return answer.ok;
}
