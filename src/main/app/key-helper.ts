import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { ModelClient, ModelEvent } from '../engine/model/model-client';
import type { Clock, Programs } from '../engine/ports';
import type { ApiKeyHelper } from '../engine/settings/effective';

/** How long a key is used before the helper is asked again. `CLAUDE_CODE_API_KEY_HELPER_TTL_MS`. Milliseconds. */
export const HELPER_TTL_MS = 300_000;
/** A helper that takes longer hangs. Milliseconds. */
const HELPER_TIMEOUT_MS = 30_000;
/** No key is longer. Bytes. */
const MAX_KEY_BYTES = 16 * 1024;

export interface KeyHelperOptions {
  readonly helper: ApiKeyHelper;
  /** Where it runs when the project itself names it; any other runs in `home`, where no project can meddle. */
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: string;
  readonly programs: Pick<Programs, 'run'>;
  readonly clock: Clock;
  readonly ttlMs?: number;
}

/** Gives the key that a helper prints, for as long as it is fresh. What the helper prints is never told. */
export type GetKey = (signal: AbortSignal) => Promise<Result<string>>;

/** Creates it with nothing asked yet. Requests at one time share one run. */
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

/** A client whose key a helper gives; `create` makes the one for a key. Another key makes another client. */
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

/** A request that is not sent for want of a key. */
export const refused = ({ message, fix }: Fault): ModelEvent => ({
  type: 'failed',
  error: { kind: 'auth', message, retryable: false, ...(fix === undefined ? {} : { fix }) },
});
