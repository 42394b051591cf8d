import type { ImageBlock } from '../../../../../shared/message';
import { err, ok, type Result } from '../../../../../shared/result';
import { imageFault, MAKE_SMALLER } from './image-fault';

/** The largest image the Messages API takes: 5 MiB in base64, so three quarters of that in the file. Bytes. */
const MAX_IMAGE_BYTES = (5 * 1024 * 1024 * 3) / 4;

/** How the image formats that models can see begin. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

/** So much of a file tells whether it is an image. */
export const SIGNATURE_BYTES = 16;

/** The media type of an image that models can see, judged by its first bytes; null for anything else. */
export function imageType(start: Uint8Array): string | null {
  const text = Buffer.from(start.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  return SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? null;
}

/** An image of `size` bytes as a block for the model; one that is too large needs no `bytes`. The error is for the model. */
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
