import type { Usage } from '../../../../shared/message';
import type { Clock } from '../../ports';
import { createEndpointClient } from '../endpoint-client';
import type { ModelClient } from '../model-client';
import { secretsInHeaders } from '../quote';
import { DEFAULT_TIMEOUT_MS, type Transport } from '../sdk';
import { type BedrockOptions, bedrockModel, bedrockTransport } from './bedrock';
import { type VertexOptions, vertexTransport } from './vertex';
import type { ProviderWire } from './wire';

/** A provider besides the Messages API itself. */
export type ProviderOptions = (BedrockOptions | VertexOptions) & {
  /** Its names of models that differ from ours. */
  readonly modelIds?: Readonly<Record<string, string>>;
};

/** What a provider's client needs besides its own options. */
export interface ProviderSurroundings extends Partial<ProviderWire> {
  readonly clock: Clock;
  readonly price: (usage: Usage, model: string) => number;
}

/** For people. */
export const providerName = ({ kind }: ProviderOptions): string =>
  kind === 'bedrock' ? 'Amazon Bedrock' : 'Google Vertex AI';

const FIX_KEY: Readonly<Record<ProviderOptions['kind'], string>> = {
  bedrock:
    'Check the AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_BEARER_TOKEN_BEDROCK) and that the model is allowed in the region (AWS_REGION).',
  vertex:
    'Check the Google credentials (GOOGLE_APPLICATION_CREDENTIALS), the project (ANTHROPIC_VERTEX_PROJECT_ID) and that the model is allowed in the region (CLOUD_ML_REGION).',
};

/** A client for one provider: one request, one answer, no retries. */
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
    taskBudget: false,
    modelId: (model) =>
      (Object.hasOwn(known, model) ? known[model] : undefined) ??
      (options.kind === 'bedrock' ? bedrockModel(model) : model),
    clock,
    price,
  });
}

const transportOf = (options: ProviderOptions, wire: ProviderWire): Transport =>
  options.kind === 'bedrock' ? bedrockTransport(options, wire) : vertexTransport(options, wire);

const secretsOf = (options: ProviderOptions): readonly string[] =>
  options.kind === 'vertex'
    ? [options.accessToken ?? '']
    : [
        options.apiKey ?? '',
        options.credentials?.secretAccessKey ?? '',
        options.credentials?.sessionToken ?? '',
      ];
