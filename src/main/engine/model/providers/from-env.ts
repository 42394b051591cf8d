import type { ProviderOptions } from './cloud';

type Env = Readonly<Record<string, string | undefined>>;

/** The providers of an environment: which answers first, and which can take over. */
export interface ProviderPlan {
  readonly first: 'anthropic' | 'bedrock' | 'vertex';
  /** In the order anthropic → bedrock → vertex; only those that are set up. */
  readonly others: readonly ProviderOptions[];
}

/**
 * Reads the ecosystem's variables (`CLAUDE_CODE_USE_BEDROCK`, `CLAUDE_CODE_USE_VERTEX`, `AWS_*`,
 * `ANTHROPIC_VERTEX_PROJECT_ID`, `CLOUD_ML_REGION`, …). Another provider than the first takes over only when
 * `LATHE_PROVIDERS` names it, e.g. `anthropic,bedrock,vertex`: cloud credentials alone are no consent to costs there.
 * Pure.
 */
export function providersFromEnv(env: Env): ProviderPlan {
  const { first, wanted } = wantedProviders(env);
  const others: ProviderOptions[] = [];
  if (wanted.includes('bedrock')) others.push(bedrock(env));
  const vertexOptions = wanted.includes('vertex') ? vertex(env) : null;
  if (vertexOptions !== null) others.push(vertexOptions);
  return { first, others };
}

/** Returns the provider that answers first, and with it all that may take over, set up or not. Pure. */
export function wantedProviders(env: Env): {
  readonly first: ProviderPlan['first'];
  readonly wanted: readonly ProviderPlan['first'][];
} {
  const named = (env['LATHE_PROVIDERS'] ?? '')
    .split(/[\s,]+/)
    .map((name) => name.trim().toLowerCase());
  const first = isOn(env['CLAUDE_CODE_USE_BEDROCK'])
    ? 'bedrock'
    : isOn(env['CLAUDE_CODE_USE_VERTEX'])
      ? 'vertex'
      : 'anthropic';
  // The Messages API answers first or never.
  const clouds = (['bedrock', 'vertex'] as const).filter(
    (name) => name !== first && named.includes(name),
  );
  return { first, wanted: [first, ...clouds] };
}

const isOn = (value: string | undefined): boolean => /^(1|true|yes|on)$/i.test(value?.trim() ?? '');

const DEFAULT_REGION = 'us-east-1';

function bedrock(env: Env): ProviderOptions {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const apiKey = env['AWS_BEARER_TOKEN_BEDROCK'];
  const baseUrl = env['ANTHROPIC_BEDROCK_BASE_URL'];
  return {
    kind: 'bedrock',
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || DEFAULT_REGION,
    ...(apiKey ? { apiKey } : {}),
    ...(accessKeyId && secretAccessKey
      ? {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken ? { sessionToken } : {}),
          },
        }
      : {}),
    ...(env['AWS_PROFILE'] ? { profile: env['AWS_PROFILE'] } : {}),
    ...(baseUrl ? { baseUrl } : {}),
    ...(isOn(env['CLAUDE_CODE_SKIP_BEDROCK_AUTH']) ? { skipAuth: true } : {}),
    ...overrides(env),
  };
}

/** Returns null without a project: no request could be made. */
function vertex(env: Env): ProviderOptions | null {
  const projectId = env['ANTHROPIC_VERTEX_PROJECT_ID'] || env['GOOGLE_CLOUD_PROJECT'];
  const baseUrl = env['ANTHROPIC_VERTEX_BASE_URL'];
  if (!projectId) return null;
  return {
    kind: 'vertex',
    projectId,
    region: env['CLOUD_ML_REGION'] || 'global',
    ...(baseUrl ? { baseUrl } : {}),
    ...(isOn(env['CLAUDE_CODE_SKIP_VERTEX_AUTH']) ? { skipAuth: true } : {}),
    ...overrides(env),
  };
}

/** Reads `LATHE_MODEL_IDS`: `our-id=their-id`, separated by commas. */
function overrides(env: Env): { readonly modelIds?: Readonly<Record<string, string>> } {
  const pairs = (env['LATHE_MODEL_IDS'] ?? '').split(',').flatMap((pair) => {
    const [ours = '', theirs = ''] = pair.split('=').map((part) => part.trim());
    return ours === '' || theirs === '' ? [] : [[ours, theirs]];
  });
  return pairs.length === 0 ? {} : { modelIds: Object.fromEntries(pairs) };
}
