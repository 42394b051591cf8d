import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { sdkTransport, type Transport } from '../sdk';
import { type ProviderWire, providerHeaders } from './wire';

/** How to reach the models on Google Vertex AI. Without a token Google's own credential search is used. */
export interface VertexOptions {
  readonly kind: 'vertex';
  readonly region: string;
  readonly projectId: string;
  /** A Google access token, sent as a bearer token. */
  readonly accessToken?: string;
  /** For gateways. Default: the region's own endpoint. */
  readonly baseUrl?: string;
  /** A gateway signs the requests. */
  readonly skipAuth?: boolean;
}

/** Vertex through the SDK's own package. */
export const vertexTransport = (options: VertexOptions, wire: ProviderWire): Transport =>
  sdkTransport(() => load(options, wire), {
    timeoutMs: wire.timeoutMs,
    headers: providerHeaders(wire),
  });

async function load(options: VertexOptions, wire: ProviderWire): Promise<BaseAnthropic> {
  const { AnthropicVertex } = await import('@anthropic-ai/vertex-sdk');
  type Settings = NonNullable<ConstructorParameters<typeof AnthropicVertex>[0]>;
  const settings: Settings = {
    region: options.region,
    projectId: options.projectId,
    maxRetries: 0,
    timeout: wire.timeoutMs,
    logLevel: 'off',
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl }),
    ...(wire.fetch === undefined ? {} : { fetch: wire.fetch }),
  };
  const token = options.skipAuth ? '' : options.accessToken;
  return new AnthropicVertex(token === undefined ? settings : withToken(settings, token));
}

/** The package asks its auth client for nothing but headers and the project; an empty token sends no header. */
const withToken = <S extends object>(settings: S, token: string) => {
  const authClient: unknown = {
    projectId: undefined,
    getRequestHeaders: async () =>
      new Headers(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
  return Object.assign(settings, { authClient });
};
