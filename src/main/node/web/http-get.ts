import { lookup as lookUp } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { err, ok } from '../../../shared/result';
import type { Web, WebAnswer, WebFault } from '../../engine/ports-documents';
import { createDecompressor } from '../decompressor';
import { errorCode } from '../file-fault';
import type { TrustMore } from '../network';

type Get = Web['get'];
type GetResult = Awaited<ReturnType<Get>>;

export interface HttpGetOptions {
  readonly isPrivateAddress: (address: string) => boolean;
  /** The name of the client, for the server's log. */
  readonly userAgent: string;
  /** Tells whether requests to this URL go through a proxy: then the proxy looks names up. */
  readonly proxied: (url: URL) => boolean;
  /** Trusts more where a connection failed for want of it. Default: nothing. */
  readonly trustMore?: TrustMore;
}

/** Creates a function that makes one GET with Node's own client, and connects to the very address it checked. */
export function createHttpGet(options: HttpGetOptions): Get {
  const getOnce = (
    [url, limits, signal]: Parameters<Get>,
    trustMore: TrustMore | undefined,
  ): ReturnType<Get> => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]);
    const failed = (error: unknown): GetResult => err(faultOf(error, url, signal, limits));
    if (stop.aborted) return Promise.resolve(failed(stop.reason));
    return new Promise((resolve) => {
      const secure = url.protocol === 'https:';
      const request = (secure ? https : http).get(url, {
        signal: stop,
        headers: {
          accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, */*;q=0.5',
          'accept-encoding': 'gzip, deflate, br',
          'user-agent': options.userAgent,
        },
        ...(options.proxied(url)
          ? {}
          : {
              // A connection of its own: one that is kept alive was checked for another request.
              agent: false,
              ...(limits.allowPrivate ? {} : { lookup: publicLookup(options.isPrivateAddress) }),
            }),
      });
      request.on('error', (error) =>
        resolve(trustMore?.(error) ? getOnce([url, limits, signal], undefined) : failed(error)),
      );
      request.on('response', (response) => {
        readAnswer(response, url, limits.maxBytes).then(
          (answer) => {
            request.destroy();
            resolve(ok(answer));
          },
          (error: unknown) => resolve(failed(error)),
        );
      });
    });
  };
  return (...asked) => getOnce(asked, options.trustMore);
}

const REDIRECTS = [301, 302, 303, 307, 308];

async function readAnswer(
  response: IncomingMessage,
  url: URL,
  maxBytes: number,
): Promise<WebAnswer> {
  const { statusCode: status = 0, headers } = response;
  if (REDIRECTS.includes(status) && headers.location !== undefined) {
    const location = URL.canParse(headers.location, url)
      ? new URL(headers.location, url).href
      : headers.location;
    return { kind: 'redirect', status, location };
  }
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset=["']?([^"']+)/.exec(parameter)?.[1])
    .find((name) => name !== undefined);
  const { body, truncated } = await readBody(response, maxBytes);
  return {
    kind: 'page',
    status,
    mediaType: mediaType.trim(),
    charset: charset ?? '',
    body,
    truncated,
  };
}

/** Reads the body, decompressed, up to `maxBytes`: a small answer may unpack to a huge one. */
async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: Uint8Array; readonly truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decompressed(response)) {
    const bytes: Buffer = chunk;
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    if (size > maxBytes) return { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function decompressed(response: IncomingMessage): Readable {
  const decoder = createDecompressor(response.headers['content-encoding']);
  // What goes wrong on the way destroys the decoder, and its reader learns of it there.
  return decoder === null ? response : pipeline(response, decoder, () => {});
}

function faultOf(
  error: unknown,
  url: URL,
  signal: AbortSignal,
  { timeoutMs }: { readonly timeoutMs: number },
): WebFault {
  const { host } = url;
  if (signal.aborted) return { code: 'aborted', message: `The request to ${host} was stopped.` };
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = errorCode(error) ?? '';
  if (code === PRIVATE_ADDRESS)
    return { code: 'private_address', message: `${host} leads to ${message}, a private address.` };
  // A request that is stopped by a signal says so; the reason is our own time limit here.
  if (name === 'TimeoutError' || name === 'AbortError')
    return { code: 'timeout', message: `${host} did not answer within ${timeoutMs / 1000} s.` };
  if (/^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code))
    return { code: 'unreachable', message: `${host} could not be reached (${code}).` };
  return { code: 'other', message: `The request to ${host} failed: ${message || code}` };
}

/** The code of the error for an address inside this machine or its network; the message is the address. */
export const PRIVATE_ADDRESS = 'LATHE_PRIVATE_ADDRESS';

/** Creates the system's lookup with an error in place of an address inside this machine or its network. */
export function publicLookup(isPrivateAddress: (address: string) => boolean): LookupFunction {
  return (host, options, done) =>
    lookUp(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '');
      const hidden = found.find(({ address }) => isPrivateAddress(address));
      if (hidden) return done(privateAddress(hidden.address), '');
      if (options.all) return done(null, found);
      const [first = { address: '', family: 4 }] = found;
      return done(null, first.address, first.family);
    });
}

const privateAddress = (address: string): NodeJS.ErrnoException =>
  Object.assign(new Error(address), { code: PRIVATE_ADDRESS });
