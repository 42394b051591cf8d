import type { BaseAnthropic } from '@anthropic-ai/sdk/client';
import type { Clock } from '../../ports';
import type { AwsCredentials } from '../cloud-auth';
import { createEndpointClient, type Price } from '../endpoint-client';
import type { ModelClient } from '../model-client';
import { secretsInHeaders } from '../network-error';
import {
  DEFAULT_TIMEOUT_MS,
  type ProviderTransport,
  type ProviderWire,
  providerHeaders,
  sdkTransport,
} from '../transport';

/** The way to the models on Amazon Bedrock. Without a key or credentials the AWS credential chain is used. */
interface BedrockOptions {
  readonly kind: 'bedrock';
  readonly region: string;
  /** A Bedrock API key, sent as a bearer token. */
  readonly apiKey?: string;
  readonly credentials?: AwsCredentials;
  /** The profile of AWS's files. Default: that of the process's environment. */
  readonly profile?: string;
  /** For gateways. Default: the region's own endpoint. */
  readonly baseUrl?: string;
  /** A gateway signs the requests. */
  readonly skipAuth?: boolean;
}

/** The way to the models on Google Vertex AI. Without a token Google's own credential search is used. */
interface VertexOptions {
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

/** A provider besides the Messages API itself. */
export type ProviderOptions = (BedrockOptions | VertexOptions) & {
  /** Its names of models that differ from ours. */
  readonly modelIds?: Readonly<Record<string, string>>;
};

/** The needs of a provider's client besides its own options. */
export interface ProviderSurroundings extends Partial<ProviderWire> {
  readonly clock: Clock;
  readonly price: Price;
}

/** Returns a provider's name, for the user. */
export const providerName = ({ kind }: ProviderOptions): string =>
  kind === 'bedrock' ? 'Amazon Bedrock' : 'Google Vertex AI';

const FIX_KEY: Readonly<Record<ProviderOptions['kind'], string>> = {
  bedrock:
    'Check the AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_BEARER_TOKEN_BEDROCK) and that the model is allowed in the region (AWS_REGION).',
  vertex:
    'Check the Google credentials (GOOGLE_APPLICATION_CREDENTIALS), the project (ANTHROPIC_VERTEX_PROJECT_ID) and that the model is allowed in the region (CLOUD_ML_REGION).',
};

/** Creates a client for one provider: one request, one answer, no retries. */
export function createProviderClient(
  options: ProviderOptions,
  { clock, price, ...rest }: ProviderSurroundings,
): ModelClient {
  const wire: ProviderWire = {
    timeoutMs: DEFAULT_TIMEOUT_MS,
    betas: [],
    customHeaders: {},
    ...rest,
  };
  const known = options.modelIds ?? {};
  return createEndpointClient({
    transport: transportOf(options, wire),
    host: providerName(options),
    fixKey: FIX_KEY[options.kind],
    secrets: [...secretsOf(options), ...secretsInHeaders(wire.customHeaders)],
    missing: null,
    dropStaleThinking: false,
    diagnoseCache: false,
    compaction: false,
    clearing: false,
    taskBudget: false,
    modelId: (model) =>
      (Object.hasOwn(known, model) ? known[model] : undefined) ??
      (options.kind === 'bedrock' ? bedrockModel(model) : model),
    clock,
    price,
  });
}

const transportOf = (options: ProviderOptions, wire: ProviderWire): ProviderTransport =>
  sdkTransport(
    () => (options.kind === 'bedrock' ? loadBedrock(options, wire) : loadVertex(options, wire)),
    { timeoutMs: wire.timeoutMs, headers: providerHeaders(wire) },
  );

const secretsOf = (options: ProviderOptions): readonly string[] =>
  options.kind === 'vertex'
    ? [options.accessToken ?? '']
    : [
        options.apiKey ?? '',
        options.credentials?.secretAccessKey ?? '',
        options.credentials?.sessionToken ?? '',
      ];

/** Loads the client of the SDK's own package: it signs, and turns Amazon's event frames into server-sent events. */
async function loadBedrock(options: BedrockOptions, wire: ProviderWire): Promise<BaseAnthropic> {
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
  if (credentials === undefined)
    return new AnthropicBedrock({ ...common, providerChainResolver: () => awsChain(options) });
  return new AnthropicBedrock({
    ...common,
    awsAccessKey: credentials.accessKeyId,
    awsSecretKey: credentials.secretAccessKey,
    awsSessionToken: credentials.sessionToken ?? null,
  });
}

/**
 * Creates the search for AWS credentials, as the SDK's package makes it, but reads files anew each time: a sign-in in another
 * program changes them.
 */
async function awsChain({ profile }: BedrockOptions) {
  const [{ createCredentialChain, fromEnv, fromNodeProviderChain }, { FetchHttpHandler }] =
    await Promise.all([
      import('@aws-sdk/credential-providers'),
      import('@smithy/fetch-http-handler'),
    ]);
  return createCredentialChain(
    fromEnv(),
    fromNodeProviderChain({
      ...(profile === undefined ? {} : { profile }),
      ignoreCache: true,
      clientConfig: { requestHandler: new FetchHttpHandler() },
    }),
  );
}

/** Returns Bedrock's name of a model: ids and profiles that are already Bedrock's stay as they are. */
const bedrockModel = (id: string): string =>
  /anthropic\.|^arn:/.test(id) || !id.startsWith('claude-') ? id : `anthropic.${id}`;

/** Loads the client of the SDK's own package. */
async function loadVertex(options: VertexOptions, wire: ProviderWire): Promise<BaseAnthropic> {
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

/** Adds an auth client: the package takes nothing but headers and the project of it; an empty token sends no header. */
const withToken = <S extends object>(settings: S, token: string) => {
  const authClient: unknown = {
    projectId: undefined,
    getRequestHeaders: async () =>
      new Headers(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
  return Object.assign(settings, { authClient });
};
