import type { Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
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
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return null;
  }
}
