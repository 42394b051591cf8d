import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import { sdkTransport, type Transport } from '../sdk';
import { type ProviderWire, providerHeaders } from './wire';

/** How to reach the models on Amazon Bedrock. Without a key or credentials the AWS credential chain is asked. */
export interface BedrockOptions {
  readonly kind: 'bedrock';
  readonly region: string;
  /** A Bedrock API key, sent as a bearer token. */
  readonly apiKey?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** For gateways. Default: the region's own endpoint. */
  readonly baseUrl?: string;
  /** A gateway signs the requests. */
  readonly skipAuth?: boolean;
}

/** Bedrock through the SDK's own package: it signs, and turns Amazon's event frames into server-sent events. */
export const bedrockTransport = (options: BedrockOptions, wire: ProviderWire): Transport =>
  sdkTransport(() => load(options, wire), {
    timeoutMs: wire.timeoutMs,
    headers: providerHeaders(wire),
  });

async function load(options: BedrockOptions, wire: ProviderWire): Promise<BaseAnthropic> {
  const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
  const common = {
    awsRegion: options.region,
    baseURL: options.baseUrl ?? `https://bedrock-runtime.${options.region}.amazonaws.com`,
    // Null keeps the SDK from taking a key out of the environment.
    apiKey: options.apiKey ?? null,
    skipAuth: options.skipAuth ?? false,
    maxRetries: 0,
    timeout: wire.timeoutMs,
    logLevel: 'off' as const,
    ...(wire.fetch === undefined ? {} : { fetch: wire.fetch }),
  };
  const { credentials } = options;
  if (credentials === undefined) return new AnthropicBedrock(common);
  return new AnthropicBedrock({
    ...common,
    awsAccessKey: credentials.accessKeyId,
    awsSecretKey: credentials.secretAccessKey,
    awsSessionToken: credentials.sessionToken ?? null,
  });
}

/** The name of a model there: ids and profiles that are already Bedrock's stay as they are. */
export const bedrockModel = (id: string): string =>
  /anthropic\.|^arn:/.test(id) || !id.startsWith('claude-') ? id : `anthropic.${id}`;
