import type { Connection } from '../../shared/settings';
import { tapeMode } from '../engine/model/cassette';
import { providersFromEnv } from '../engine/model/providers/from-env';
import type { ApiKeyHelper } from '../engine/settings/effective';
import type { StoredKey } from './key-store';

/** What a model client needs to reach its endpoint. */
export interface Credentials {
  readonly apiKey?: string;
  readonly authToken?: string;
  readonly baseUrl?: string;
  /** Prints the key when it is needed. */
  readonly helper?: ApiKeyHelper;
  /** A cloud provider answers in the place of the Messages API. */
  readonly provider?: 'bedrock' | 'vertex';
  /** The offline demo: no other provider ever takes over. */
  readonly demo?: true;
}

/** How Lathe reaches a model now. `credentials` is null when the person has to be asked. */
export interface ResolvedConnection {
  readonly connection: Connection;
  readonly credentials: Credentials | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Chooses among the demo (when the person chose it), a key they entered on purpose, a cloud provider, the environment
 * a helper that settings name, and the stored key, in this order; recorded answers need no key.
 * Only the environment Lathe was started with counts, never what a folder sets. Pure.
 */
export function resolveConnection(
  env: Environment,
  stored: StoredKey | null,
  demoUrl: string | null,
  prefersStored = false,
  helper?: ApiKeyHelper,
): ResolvedConnection {
  if (demoUrl !== null) {
    return {
      connection: { kind: 'demo', baseUrl: demoUrl },
      credentials: { apiKey: 'offline-demo', baseUrl: demoUrl, demo: true },
    };
  }
  const baseUrl = env['ANTHROPIC_BASE_URL'] || undefined;
  if (prefersStored && stored) return fromStore(stored, baseUrl);
  const { first } = providersFromEnv(env);
  if (first !== 'anthropic') {
    const from = first === 'bedrock' ? 'Amazon Bedrock' : 'Google Vertex AI';
    return { connection: { kind: 'authToken', from }, credentials: { provider: first } };
  }
  const apiKey = env['ANTHROPIC_API_KEY'];
  const authToken = env['ANTHROPIC_AUTH_TOKEN'];
  // A gateway may want both: one for itself, one for the model behind it.
  const both = apiKey && authToken && baseUrl !== undefined ? { authToken } : {};
  if (apiKey) return resolved('apiKey', 'ANTHROPIC_API_KEY', { apiKey, ...both }, baseUrl);
  if (authToken) return resolved('authToken', 'ANTHROPIC_AUTH_TOKEN', { authToken }, baseUrl);
  if (helper) return resolved('apiKey', 'apiKeyHelper', { helper }, baseUrl);
  if (stored) return fromStore(stored, baseUrl);
  if (tapeMode(env['LATHE_VCR']) === 'playback')
    return resolved('apiKey', 'LATHE_VCR', { apiKey: 'recorded' }, baseUrl);
  return { connection: { kind: 'none' }, credentials: null };
}

const fromStore = (stored: StoredKey, baseUrl: string | undefined): ResolvedConnection =>
  resolved('apiKey', 'stored key', { apiKey: stored.key }, stored.baseUrl ?? baseUrl);

function resolved(
  kind: 'apiKey' | 'authToken',
  from: string,
  secret: Credentials,
  baseUrl: string | undefined,
): ResolvedConnection {
  const endpoint = baseUrl === undefined ? {} : { baseUrl };
  return { connection: { kind, from, ...endpoint }, credentials: { ...secret, ...endpoint } };
}

/** Whether a text is an endpoint we may send a key to: http only on this machine. */
export function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && local);
}
