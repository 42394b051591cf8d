import type { Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { UnknownEncodingCode } from '../engine/ports-documents';

/** Codes that `content-encoding` has for a body that is not packed. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity', 'none']);

/** A body that is packed in a way which nothing here can unpack. */
export class UnknownEncoding extends Error {
  readonly code: UnknownEncodingCode = 'LATHE_UNKNOWN_ENCODING';

  constructor(encoding: string) {
    super(`its content-encoding is "${encoding.slice(0, MAX_SHOWN)}", which is not known here`);
  }
}

/** The most that is told of a header, which a server may fill with anything. Characters. */
const MAX_SHOWN = 40;

/** Creates what unpacks a body of this `content-encoding`; null when it is not packed. Throws {@link UnknownEncoding}. */
export function createDecompressor(encoding: string | undefined): Transform | null {
  const all = encoding?.trim().toLowerCase() ?? '';
  const [code, ...others] = all
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !PLAIN.has(one));
  if (code === undefined) return null;
  const unpack = others.length > 0 ? null : unpackerOf(code);
  if (unpack === null) throw new UnknownEncoding(all);
  return unpack;
}

function unpackerOf(code: string): Transform | null {
  switch (code) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createAnyInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return null;
  }
}

/** Creates what inflates with the header that the standard wants (RFC 1950), and without: some servers send none. */
function createAnyInflate(): Transform {
  const inflate = createInflateRaw();
  const transform = inflate._transform.bind(inflate);
  let head: Buffer | null = Buffer.alloc(0);
  inflate._transform = (chunk: Buffer, ...rest) => {
    if (head === null) return transform(chunk, ...rest);
    const [, done] = rest;
    head = Buffer.concat([head, chunk]);
    // The end is told by an empty chunk.
    if (head.length < HEADER_BYTES && chunk.length > 0) return done();
    const body = hasHeader(head) ? head.subarray(HEADER_BYTES) : head;
    head = null;
    transform(body, ...rest);
  };
  return inflate;
}

const HEADER_BYTES = 2;

/** Tells whether bytes begin as RFC 1950 has it: the method 8, and both together a multiple of 31. */
const hasHeader = (head: Buffer): boolean =>
  head.length >= HEADER_BYTES && (head.readUInt8(0) & 15) === 8 && head.readUInt16BE(0) % 31 === 0;
