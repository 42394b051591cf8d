import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

// The reference server brings the SDK's own authorization server along.
const here = createRequire(import.meta.url);
const its = createRequire(here.resolve('@modelcontextprotocol/server-everything/package.json'));
const SDK = '@modelcontextprotocol/sdk';

/** A tool server behind an authorization server, over real HTTP. What it gives out, it can make bad. */
export interface AuthServer {
  /** The address of the tool server. */
  readonly url: string;
  /** The clients that registered. */
  readonly clients: Map<string, { readonly client_id: string; readonly redirect_uris: string[] }>;
  /** The access tokens that are good. */
  readonly tokens: Set<string>;
  /** The refresh tokens that are good: each counts once. */
  readonly refreshes: Set<string>;
  /** What was asked of the authorization server, e.g. `code`, `refresh`, `revoke`. */
  readonly asked: string[];
  /** The rights that the tool `more` wants. */
  wanted: string;
  /** The resources that tokens were asked for. */
  readonly resources: (string | undefined)[];
  close(): Promise<void>;
}

/** Starts both on a free port. Whoever opens the page of the authorization server is signed in at once, or refused. */
export async function startAuthServer({ refuses = false } = {}): Promise<AuthServer> {
  const express = its('express');
  const { mcpAuthRouter, getOAuthProtectedResourceMetadataUrl } = its(
    `${SDK}/server/auth/router.js`,
  );
  const { requireBearerAuth } = its(`${SDK}/server/auth/middleware/bearerAuth.js`);
  const { InvalidGrantError, InvalidTokenError } = its(`${SDK}/server/auth/errors.js`);
  const app = express();
  const http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const base = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  const url = `${base.origin}/mcp`;
  const server: AuthServer = {
    url,
    clients: new Map(),
    tokens: new Set(),
    refreshes: new Set(),
    asked: [],
    resources: [],
    wanted: '',
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const codes = new Map<string, { readonly challenge: string }>();
  const give = (resource?: URL) => {
    const [access, refresh] = [randomUUID(), randomUUID()];
    server.tokens.add(access);
    server.refreshes.add(refresh);
    server.resources.push(resource?.href);
    return {
      ...{ access_token: access, refresh_token: refresh },
      ...{ token_type: 'bearer', expires_in: 3600, scope: 'read' },
    };
  };
  const provider = {
    clientsStore: {
      getClient: (id: string) => server.clients.get(id),
      registerClient: (client: { client_id: string; redirect_uris: string[] }) => {
        server.clients.set(client.client_id, client);
        return client;
      },
    },
    authorize: async (
      _: unknown,
      given: { redirectUri: string; state?: string; codeChallenge: string; scopes?: string[] },
      response: { redirect(to: string): void },
    ) => {
      const back = new URL(given.redirectUri);
      back.searchParams.set('state', given.state ?? '');
      server.asked.push(`page ${given.scopes?.join(' ') ?? ''}`);
      if (refuses) back.searchParams.set('error', 'access_denied');
      else {
        const code = randomUUID();
        codes.set(code, { challenge: given.codeChallenge });
        back.searchParams.set('code', code);
      }
      response.redirect(back.href);
    },
    challengeForAuthorizationCode: async (_: unknown, code: string) => codes.get(code)?.challenge,
    exchangeAuthorizationCode: async (
      _: unknown,
      code: string,
      _verifier: string,
      _redirect: string,
      resource?: URL,
    ) => {
      server.asked.push('code');
      if (!codes.delete(code)) throw new InvalidGrantError('no such code');
      return give(resource);
    },
    exchangeRefreshToken: async (_: unknown, token: string, _scopes: unknown, resource?: URL) => {
      server.asked.push('refresh');
      if (!server.refreshes.delete(token)) throw new InvalidGrantError('no such token');
      return give(resource);
    },
    verifyAccessToken: async (token: string) => {
      if (!server.tokens.has(token)) throw new InvalidTokenError('not good any more');
      return { token, clientId: 'x', scopes: ['read'], expiresAt: Date.now() / 1000 + 3600 };
    },
    revokeToken: async (_: unknown, { token }: { token: string }) => {
      server.asked.push('revoke');
      server.refreshes.delete(token);
    },
  };
  const rateLimit = false;
  app.use(
    mcpAuthRouter({
      ...{ provider, issuerUrl: base, resourceServerUrl: new URL(url) },
      ...{ scopesSupported: ['read'] },
      authorizationOptions: { rateLimit },
      clientRegistrationOptions: { rateLimit },
      revocationOptions: { rateLimit },
      tokenOptions: { rateLimit },
    }),
  );
  const guard = requireBearerAuth({
    verifier: provider,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(url)),
  });
  app.all('/mcp', guard, express.json(), answerer(server));
  return server;
}

/** Serves a tool that greets, and one that wants more rights than a token has. */
const answerer =
  (server: AuthServer) =>
  async (
    // biome-ignore lint/suspicious/noExplicitAny: the SDK takes the request as express gives it
    request: any,
    // biome-ignore lint/suspicious/noExplicitAny: the same
    response: any,
  ): Promise<void> => {
    const { McpServer } = its(`${SDK}/server/mcp.js`);
    const { StreamableHTTPServerTransport } = its(`${SDK}/server/streamableHttp.js`);
    const isMore = request.body?.params?.name === 'more';
    if (isMore && server.wanted !== '') {
      const challenge = `Bearer error="insufficient_scope", scope="${server.wanted}"`;
      response.set('WWW-Authenticate', challenge).status(403).end();
      return;
    }
    const answering = new McpServer({ name: 'guarded', version: '1' });
    const say = (text: string) => async () => ({ content: [{ type: 'text', text }] });
    answering.registerTool('greet', {}, say('hello'));
    answering.registerTool('more', {}, say('more'));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => void transport.close());
    await answering.connect(transport);
    await transport.handleRequest(request, response, request.body);
  };
