import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createDecompressor, UnknownEncoding } from '../decompressor';

/** The rest of an abandoned answer that is still read, so that its connection can be kept. Bytes, milliseconds. */
const REST_BYTES = 64 * 1024;
const REST_MS = 1_000;

/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** The most of a refusal that is read, and the time it may take: its status says the most. Bytes, milliseconds. */
const REFUSAL_BYTES = 64 * 1024;
const REFUSAL_MS = 5_000;

/**
 * Turns an answer of `node:http` into a `Response` whose body comes as it arrives and fails when the signal aborts. Reads
 * the body of a refusal or a redirect first, and cuts it if it is long or slow. Throws {@link UnknownEncoding}.
 */
export async function answerOf(
  message: IncomingMessage,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { statusCode: status = 502 } = message;
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (status < 200 || status > 599) return withStatus(status, await beginningOf(message), headers);
  const rest = { status, headers };
  if (WITHOUT_BODY.has(status)) message.resume();
  if (WITHOUT_BODY.has(status)) return new Response(null, rest);
  try {
    if (status >= 300) return new Response(await refusalOf(message), rest);
    return new Response(bodyOf(unpacked(message), signal), rest);
  } catch (problem) {
    message.destroy();
    // A refusal says the most by its status.
    if (status >= 300 && problem instanceof UnknownEncoding) return new Response(null, rest);
    throw problem;
  }
}

/** Makes a refusal of a status that HTTP does not have, and no `Response` takes (RFC 9110, 15: it counts as one of 500). */
const withStatus = (status: number, body: Buffer<ArrayBuffer>, headers: [string, string][]) =>
  Object.defineProperty(new Response(body, { status: 500, headers }), 'status', { value: status });

/** Reads the body of a refusal. One that is not packed as it says is taken as it is, where that is text. */
async function refusalOf(message: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const source = unpacked(message);
  if (source === message) return beginningOf(message);
  let isPacked = true;
  source.once('error', () => {
    isPacked = false;
  });
  const sent: Uint8Array[] = [];
  let left = REFUSAL_BYTES;
  message.on('data', (chunk: Uint8Array) => {
    if (left > 0) sent.push(chunk);
    left -= chunk.byteLength;
  });
  const said = await beginningOf(source);
  const plain = Buffer.concat(sent);
  return isPacked || !isText(plain) ? said : plain;
}

/** Tells whether bytes are text: no packed body is free of control characters for long. */
const isText = (bytes: Buffer): boolean => !/[^\P{Cc}\t\r\n]|\ufffd/u.test(bytes.toString());

/** Reads a body until it ends, breaks off, or is cut. */
function beginningOf(source: Readable): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let left = REFUSAL_BYTES;
    const impatience = setTimeout(() => source.destroy(), REFUSAL_MS);
    source.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.byteLength;
      if (left <= 0) source.destroy();
    });
    // A part still says something; 'close' comes in any case.
    source.on('error', () => {});
    source.once('close', () => {
      clearTimeout(impatience);
      resolve(Buffer.concat(chunks));
    });
  });
}

/** Unpacks a body. Lathe asks for none that is packed; some servers and proxies pack all the same. */
function unpacked(message: IncomingMessage): Readable {
  const unpack = createDecompressor(message.headers['content-encoding']);
  if (unpack === null) return message;
  message.once('error', (cause) => unpack.destroy(cause));
  unpack.once('close', () => message.destroy());
  return message.pipe(unpack);
}

/** Streams a body; gives all that has come since the last read at once, so that many small chunks cost no more than a large one. */
function bodyOf(source: Readable, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let asked: (() => void) | null = null;
  let over = false;
  const answer = () => {
    asked?.();
    asked = null;
  };
  const give = () => {
    const chunk: Uint8Array | null = asked === null ? null : source.read();
    if (chunk === null || over) return;
    controller?.enqueue(chunk);
    answer();
  };
  const finish = (how: () => void) => {
    if (over) return;
    over = true;
    how();
    answer();
  };
  const fail = (cause: Error) => finish(() => controller?.error(failure(cause, signal)));
  return new ReadableStream<Uint8Array>(
    {
      start: (made) => {
        controller = made;
        source.on('readable', give).on('error', fail);
        source.once('end', () => finish(() => made.close()));
        // A connection that ends early may only close.
        source.once('close', () => {
          if (!over) fail(new Error('the connection was closed'));
        });
      },
      pull: () =>
        new Promise((resolve) => {
          asked = resolve;
          give();
        }),
      cancel: () =>
        finish(() => {
          source.off('readable', give);
          runOut(source);
        }),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Reads the rest of an answer that its reader left (after `message_stop`). Its end is nearly always on its way, and then
 * the next request need not connect anew.
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
