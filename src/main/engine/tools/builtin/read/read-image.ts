import type { ImageBlock } from '../../../../../shared/message';
import { err, ok, type Result } from '../../../../../shared/result';

/** The largest image the Messages API takes: 5 MiB in base64, so three quarters of that in the file. Bytes. */
const MAX_IMAGE_BYTES = (5 * 1024 * 1024 * 3) / 4;

/**
 * Returns an image of `size` bytes as a block for the model; one that is too large needs no `bytes`. The error is for
 * the model.
 */
export function imageBlock(
  path: string,
  mediaType: string,
  size: number,
  bytes: Uint8Array,
): Result<ImageBlock, string> {
  if (size > MAX_IMAGE_BYTES) {
    return err(
      `${path} is an image of ${(size / 1024 / 1024).toFixed(2)} MiB; the limit is ${(MAX_IMAGE_BYTES / 1024 / 1024).toFixed(2)} MiB. ${MAKE_SMALLER}`,
    );
  }
  const fault = imageFault(mediaType, bytes);
  if (fault !== null) return err(`${path} is an image that cannot be shown: ${fault}`);
  const data = Buffer.from(bytes).toString('base64');
  return ok({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });
}

/** The Messages API refuses images that are larger on any side. Pixels. */
const MAX_SIDE = 8000;

/** The advice about an image that is too large. */
const MAKE_SMALLER = 'Make a smaller copy and read that.';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the reason a model could not be shown an image of this type, judged by its header and its end; null when nothing speaks
 * against it. One image the API refuses would end the query. Pure.
 */
export function imageFault(mediaType: string, bytes: Uint8Array): string | null {
  const size = READERS[mediaType]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!size || size.width === 0 || size.height === 0) return 'it is damaged or cut short.';
  if (size.width <= MAX_SIDE && size.height <= MAX_SIDE) return null;
  return `it is ${size.width} × ${size.height} pixels; the limit is ${MAX_SIDE} on each side. ${MAKE_SMALLER}`;
}

/** Reads the size that an image says it has; null for one that is not whole. */
const READERS: Readonly<Record<string, (bytes: Buffer) => Size | null>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
};

/** Sizes stand in the first chunk; the last one is called IEND (PNG specification, 11.2). */
function pngSize(bytes: Buffer): Size | null {
  const isWhole = bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.lastIndexOf('IEND') > 24;
  return isWhole ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
}

/** Sizes stand in the frame header, at the end is the marker FF D9 (ITU T.81, B.2). */
function jpegSize(bytes: Buffer): Size | null {
  if (bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) < 4) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // C0 to CF are frames, but for the tables C4, C8 and CC.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** Reads the screen's size; the last byte of the data is a semicolon (GIF89a specification, 18 and 27). */
function gifSize(bytes: Buffer): Size | null {
  const isWhole = bytes.length > 13 && bytes.lastIndexOf(';') >= 13;
  return isWhole ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null;
}

/** RIFF says how long the file is; the first chunk says how large the image (WebP container specification). */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const sides = bytes.readUInt32LE(21);
      return { width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
