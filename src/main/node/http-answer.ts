import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** What may wait for a slow reader before the network is told to wait. Bytes. */
const READ_AHEAD_BYTES = 256 * 1024;

/** The rest of an answer nobody reads to its end: this much, this long, keeps its connection usable. Bytes, milliseconds. */
const REST_BYTES = 64 * 1024;
const REST_MS = 1_000;

/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** An answer of `node:http` as a `Response` whose body comes as it arrives and fails when the signal aborts. */
export function answerOf(message: IncomingMessage, signal: AbortSignal | undefined): Response {
  const { statusCode: status = 502, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  if (WITHOUT_BODY.has(status)) message.resume();
  const body = WITHOUT_BODY.has(status) ? null : bodyOf(unpacked(message), signal);
  return new Response(body, { status, statusText, headers });
}

/** Nothing packed is asked for; some servers and proxies pack all the same. */
function unpacked(message: IncomingMessage): Readable {
  const unpack = unpackerOf(message.headers['content-encoding']);
  if (unpack === null) return message;
  message.once('error', (cause) => unpack.destroy(cause));
  return message.pipe(unpack);
}

function unpackerOf(encoding: string | undefined): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}

function bodyOf(source: Readable, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        source.on('data', (chunk: Uint8Array) => {
          if (over) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once('end', () => {
          if (!over) controller.close();
          over = true;
        });
        const fail = (cause: Error) => {
          if (!over) controller.error(failure(cause, signal));
          over = true;
        };
        source.on('error', fail);
        // A connection that ends early may only close.
        source.once('close', () => fail(new Error('the connection was closed')));
      },
      pull: () => void source.resume(),
      cancel: () => {
        if (over) return;
        over = true;
        runOut(source);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD_BYTES }),
  );
}

/**
 * Whoever has what they wanted (`message_stop`) does not wait for the end of the answer. It is nearly always on its way, and
 * then the next request need not connect anew.
 */
function runOut(source: Readable): void {
  let left = REST_BYTES;
  const impatience = setTimeout(() => source.destroy(), REST_MS);
  source.on('data', (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left < 0) source.destroy();
  });
  source.once('close', () => clearTimeout(impatience));
  source.resume();
}

const failure = (cause: Error, signal: AbortSignal | undefined): unknown =>
  signal?.aborted ? signal.reason : new TypeError('terminated', { cause });
