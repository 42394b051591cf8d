import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { Connection } from '../../shared/settings';
import { tapeMode } from '../engine/model/cassette';
import { type ModelClientOptions, parseCustomHeaders } from '../engine/model/create-client';
import type { ModelClient, ModelEvent } from '../engine/model/model-client';
import type { AnthropicOptions } from '../engine/model/providers/anthropic';
import { providersFromEnv } from '../engine/model/providers/from-env';
import type { Clock, Programs } from '../engine/ports';
import type { ApiKeyHelper } from '../engine/settings/effective';
import type { StoredKey } from './key-store';

/** The endpoint and keys of a model client. */
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

/** The connection to a model that holds now. `credentials` is null when the user has to be asked. */
export interface ResolvedConnection {
  readonly connection: Connection;
  readonly credentials: Credentials | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Chooses among the demo (when the user chose it), a key they entered on purpose, a cloud provider, the environment,
 * a helper that settings name, and the stored key, in this order; recorded answers need no key.
 * The environment is that of Lathe, never what a folder sets. Pure.
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
    return {
      connection: { kind: 'authToken', from: CLOUDS[first] },
      credentials: { provider: first },
    };
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

/** Returns every source of a key but the stored one, in the order of {@link resolveConnection}. Pure. */
export function sourcesOf(env: Environment, helper?: ApiKeyHelper): readonly string[] {
  const { first } = providersFromEnv(env);
  return [
    ...(first === 'anthropic' ? [] : [CLOUDS[first]]),
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].filter((name) => env[name]),
    ...(helper ? ['apiKeyHelper'] : []),
  ];
}

const CLOUDS = { bedrock: 'Amazon Bedrock', vertex: 'Google Vertex AI' } as const;

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

/** Tells whether a text is an endpoint we may send a key to: http only on this machine. */
export function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && local);
}

/** The settings of requests that the environment gives. */
type RequestSettings = Pick<AnthropicOptions, 'version' | 'betas' | 'customHeaders' | 'timeoutMs'> &
  Pick<ModelClientOptions, 'maxAttempts' | 'idleMs' | 'unattended'>;

/**
 * Reads what the environment says of requests (docs/configuration.md, and Lathe's own `LATHE_API_VERSION`,
 * `LATHE_STREAM_IDLE_MS`, `LATHE_UNATTENDED`). Values that are no numbers are left out. Pure.
 */
export function requestSettings(env: Environment): RequestSettings {
  const version = env['LATHE_API_VERSION']?.trim();
  const timeoutMs = wholeNumber(env['API_TIMEOUT_MS']);
  const retries = wholeNumber(env['CLAUDE_CODE_MAX_RETRIES']);
  const idleMs = wholeNumber(env['LATHE_STREAM_IDLE_MS']);
  return {
    betas: (env['ANTHROPIC_BETAS'] ?? '')
      .split(',')
      .map((beta) => beta.trim())
      .filter((beta) => beta !== ''),
    customHeaders: parseCustomHeaders(env['ANTHROPIC_CUSTOM_HEADERS']),
    ...(version ? { version } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
    ...(retries === null ? {} : { maxAttempts: retries + 1 }),
    ...(idleMs === null ? {} : { idleMs }),
    ...(/^(1|true|yes|on)$/i.test(env['LATHE_UNATTENDED'] ?? '') ? { unattended: true } : {}),
  };
}

const wholeNumber = (text: string | undefined): number | null =>
  /^\d{1,9}$/.test(text?.trim() ?? '') ? Number(text) : null;

/** The time a key is used before the helper is asked again. `CLAUDE_CODE_API_KEY_HELPER_TTL_MS`. Milliseconds. */
export const HELPER_TTL_MS = 300_000;
/** The longest run of a helper: one that takes longer hangs. Milliseconds. */
const HELPER_TIMEOUT_MS = 30_000;
/** The longest key. Bytes. */
const MAX_KEY_BYTES = 16 * 1024;

interface KeyHelperOptions {
  readonly helper: ApiKeyHelper;
  /** The folder it runs in when the project itself names it; any other runs in `home`, where no project can meddle. */
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: string;
  readonly programs: Pick<Programs, 'run'>;
  readonly clock: Clock;
  readonly ttlMs?: number;
}

/** Returns the key that a helper prints, for as long as it is fresh. Never shows what the helper prints. */
type GetKey = (signal: AbortSignal) => Promise<Result<string>>;

/** Creates the source of a helper's key, with nothing asked yet. Requests at one time share one run. */
export function createKeyHelper(options: KeyHelperOptions): GetKey {
  const { clock, ttlMs = HELPER_TTL_MS } = options;
  let known: { readonly key: string; readonly until: number } | null = null;
  return async (signal) => {
    if (known !== null && clock.now() < known.until) return ok(known.key);
    const key = await ask(options, signal);
    known = key.ok ? { key: key.value, until: clock.now() + ttlMs } : null;
    return key;
  };
}

async function ask(options: KeyHelperOptions, signal: AbortSignal): Promise<Result<string>> {
  const { helper, project, home, env, platform, programs } = options;
  const shell = platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
  const limits = { maxBytes: MAX_KEY_BYTES, timeoutMs: HELPER_TIMEOUT_MS };
  const ran = await programs.run(
    [...shell, helper.command],
    { cwd: helper.ofProject ? project : home, env, ...limits },
    signal,
  );
  if (!ran.ok)
    return ran.error.code === 'timeout'
      ? failed(helper, `did not finish in ${HELPER_TIMEOUT_MS / 1000} s`)
      : failed(helper, 'could not be run');
  const { exitCode, stdout, truncated } = ran.value;
  if (exitCode !== 0) return failed(helper, `failed with exit code ${exitCode}`);
  const key = new TextDecoder().decode(stdout).trim();
  if (key === '') return failed(helper, 'printed no key');
  return truncated || !/^[!-~]+$/.test(key)
    ? failed(helper, 'printed something that is no key')
    : ok(key);
}

const failed = ({ file }: ApiKeyHelper, what: string): Result<never> =>
  err(
    fault(
      'key_helper',
      `apiKeyHelper in ${file} ${what}.`,
      'Run its command in a terminal to see why.',
    ),
  );

/** Creates a client whose key a helper gives; `create` makes the client of one key. Another key makes another client. */
export function withKeyHelper(getKey: GetKey, create: (key: string) => ModelClient): ModelClient {
  let made: { readonly key: string; readonly client: ModelClient } | null = null;
  return {
    stream: async function* (request, signal): AsyncGenerator<ModelEvent> {
      const key = await getKey(signal);
      if (!key.ok) return yield refused(key.error);
      if (made?.key !== key.value) made = { key: key.value, client: create(key.value) };
      yield* made.client.stream(request, signal);
    },
  };
}

/** Creates the failure of a request that is not sent for want of a key. */
export const refused = ({ message, fix }: Fault): ModelEvent => ({
  type: 'failed',
  error: { kind: 'auth', message, retryable: false, ...(fix === undefined ? {} : { fix }) },
});
