import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** Keys of Amazon's that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The ways to credentials of one provider that settings name. */
export interface CloudAuth {
  /** The name of the setting whose command signs in. */
  readonly name: string;
  /** Runs the command that signs in; `tell` is given all lines that it printed, whenever there are more. Null: there is none. */
  readonly refresh:
    | ((tell: (lines: readonly string[]) => void, signal: AbortSignal) => Promise<Result<null>>)
    | null;
  /** Returns the keys that a command prints, for as long as they are fresh. Null: there is none. */
  readonly exported: ((signal: AbortSignal) => Promise<Result<AwsCredentials>>) | null;
  /** Forgets keys that were refused. */
  readonly forget: () => void;
}

/**
 * Creates a client for a cloud provider which signs in, once for a request, when its credentials are missing or refused, and
 * sends the request anew; never once an answer has begun. `build` makes the client of the keys that a command printed, if any.
 */
export function withCloudAuth(
  build: (keys: AwsCredentials | null) => ModelClient,
  auth: CloudAuth,
): ModelClient {
  let made: { readonly of: AwsCredentials | null; readonly client: ModelClient } | null = null;
  const clientOf = (keys: AwsCredentials | null): ModelClient => {
    if (made?.of !== keys) made = { of: keys, client: build(keys) };
    return made?.client ?? build(keys);
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (let isFirst = true; ; isFirst = false) {
      const keys = (await auth.exported?.(signal)) ?? ok(null);
      const refusal: ModelError | null = keys.ok
        ? yield* attempt(clientOf(keys.value), request, isFirst, signal)
        : refusedFor(keys.error);
      if (refusal === null) return;
      const renewed = isFirst ? yield* signIn(auth, signal) : err(null);
      if (!renewed.ok) return yield { type: 'failed', error: withCause(refusal, renewed.error) };
      auth.forget();
      made = null;
    }
  }
  return { stream };
}

const refusedFor = ({ message, fix }: Fault): ModelError => ({
  kind: 'credentials',
  message,
  retryable: false,
  ...(fix === undefined ? {} : { fix }),
});

const withCause = (refusal: ModelError, cause: Fault | null): ModelError =>
  cause === null ? refusal : { ...refusal, fix: [cause.message, cause.fix ?? ''].join(' ').trim() };

/** Passes an answer on; returns the failure that a sign-in may mend, held back, and else null. */
async function* attempt(
  client: ModelClient,
  request: ModelRequest,
  holdsBack: boolean,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, ModelError | null> {
  let began = false;
  for await (const event of client.stream(request, signal)) {
    if (event.type === 'message_started') began = true;
    const isHeld = event.type === 'failed' && isOfCredentials(event.error) && holdsBack && !began;
    if (isHeld && !signal.aborted) return event.error;
    yield event;
  }
  return null;
}

/** Tells missing and refused credentials from a model that is not allowed. Amazon refuses old ones with 403. */
const isOfCredentials = ({ kind, status, message }: ModelError): boolean =>
  kind === 'credentials' ||
  status === 401 ||
  (status === 403 && /\b(token|credentials?|signature|expired)\b/i.test(message));

/** Runs the command that signs in, and tells what it prints. Without one, keys that are printed anew may do. */
async function* signIn(
  { name, refresh, exported }: CloudAuth,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Result<null, Fault | null>> {
  if (refresh === null) return exported === null ? err(null) : ok(null);
  let output: readonly string[] = [];
  let told = 0;
  let wake = () => {};
  const ran = refresh((lines) => {
    output = lines;
    wake();
  }, signal);
  let result: Result<null> | null = null;
  yield { type: 'auth_status', isAuthenticating: true, output };
  yield notice(`The credentials are missing or no longer valid: ${name} runs.`);
  while (result === null) {
    const news = new Promise<null>((resolve) => {
      wake = () => resolve(null);
    });
    result = output.length > told ? null : await Promise.race([ran, news]);
    if (output.length === told) continue;
    yield { type: 'auth_status', isAuthenticating: true, output };
    yield notice(output.slice(told).join('\n'));
    told = output.length;
  }
  const error = result.ok ? {} : { error: result.error.message };
  yield { type: 'auth_status', isAuthenticating: false, output, ...error };
  return signal.aborted ? err(fault('aborted', 'The sign-in was stopped.')) : result;
}

const notice = (text: string): ModelEvent => ({
  type: 'notice',
  level: 'info',
  code: 'cloud_sign_in',
  text,
});
