import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { HookSetting } from '../../shared/hooks';
import { errorCode } from './file-fault';
import type { TrustMore } from './network';
import { PRIVATE_ADDRESS, publicLookup } from './web/http-get';

/** The end of a hook that was called over HTTP. */
type PostEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'cancelled' | 'failed'; readonly message: string };

/** Calls a hook at its address. Never rejects. */
export type HookPost = (
  hook: Pick<HookSetting, 'run' | 'headers' | 'allowedEnvVars'>,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
) => Promise<PostEnd>;

export interface HookPostOptions {
  readonly isPrivateAddress: (address: string) => boolean;
  /** Tells whether a host as written can only be this machine or its network: then the user meant it. */
  readonly isPrivateHost: (host: string) => boolean;
  /** Tells whether requests to this URL go through a proxy: then the proxy looks names up. */
  readonly proxied: (url: URL) => boolean;
  /** Trusts more where a connection failed for want of it. Default: nothing. */
  readonly trustMore?: TrustMore;
}

/** The longest answer that counts. Bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Creates a function that sends a hook's input to its address and takes the answer for its output. It follows no
 * redirects and connects to no private address behind a public name: the user agreed to the address in the settings.
 * Anything but success and a JSON object is an error that blocks nothing.
 */
export const createHookPost =
  (options: HookPostOptions): HookPost =>
  (hook, input, env, signal) => {
    if (signal.aborted) return Promise.resolve(CANCELLED);
    const failed = (thrown: unknown): PostEnd =>
      signal.aborted
        ? CANCELLED
        : { kind: 'failed', message: `the address could not be reached: ${reasonOf(thrown)}` };
    const post = (trustMore: TrustMore | undefined): Promise<PostEnd> =>
      new Promise((done) => {
        try {
          const request = open(new URL(hook.run), hook, env, signal, options);
          request.on('error', (thrown) =>
            done(trustMore?.(thrown) ? post(undefined) : failed(thrown)),
          );
          request.on('response', (response) => {
            readAnswer(response)
              .then(done, (thrown: unknown) => done(failed(thrown)))
              .finally(() => request.destroy());
          });
          request.end(input);
        } catch (thrown) {
          // A header that is none, or an address that is none.
          done(failed(thrown));
        }
      });
    return post(options.trustMore);
  };

const CANCELLED: PostEnd = { kind: 'cancelled', message: 'ended before it was done' };

function open(
  url: URL,
  hook: Parameters<HookPost>[0],
  env: Parameters<HookPost>[2],
  signal: AbortSignal,
  { isPrivateAddress, isPrivateHost, proxied }: HookPostOptions,
) {
  const meant = isPrivateHost(url.hostname.toLowerCase());
  return (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    headers: { ...headersOf(hook, env), 'content-type': 'application/json' },
    signal,
    ...(proxied(url)
      ? {}
      : { agent: false, ...(meant ? {} : { lookup: publicLookup(isPrivateAddress) }) }),
  });
}

/** Fills `$NAME` and `${NAME}` with the variables that the hook may use; others become empty. */
function headersOf(
  { headers = {}, allowedEnvVars = [] }: Pick<HookSetting, 'headers' | 'allowedEnvVars'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const value = (name: string) => (allowedEnvVars.includes(name) ? (env[name] ?? '') : '');
  const filled = (text: string) =>
    text.replace(
      /\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g,
      (_, braced: string | undefined, bare: string | undefined) => value(braced ?? bare ?? ''),
    );
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, filled(text)]));
}

async function readAnswer(response: IncomingMessage): Promise<PostEnd> {
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 299) {
    return { kind: 'failed', message: `the address answered with status ${status}` };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > MAX_BYTES) return { kind: 'failed', message: TOO_LONG };
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  if (text !== '' && !(text.startsWith('{') && text.endsWith('}'))) {
    return {
      kind: 'failed',
      message: 'the address answered with something other than a JSON object',
    };
  }
  return { kind: 'exited', exitCode: 0, stdout: text, stderr: '' };
}

const TOO_LONG = `the answer is longer than ${MAX_BYTES / 1024 / 1024} MiB`;

function reasonOf(thrown: unknown): string {
  const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = errorCode(thrown);
  if (code === PRIVATE_ADDRESS) return `it leads to ${message}, a private address`;
  return message || code || 'no reason was given';
}
