import type { ImageBlock } from '../../../../../shared/message';
import { err, ok, type Result } from '../../../../../shared/result';
import type { FileStat, Files } from '../../../ports';

/** The largest image the Messages API takes. Bytes. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** How the image formats that models can see begin. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

const SIGNATURE_BYTES = 16;

/** The media type of an image that models can see, judged by its first bytes; null for anything else. */
export async function imageType(path: string, files: Files): Promise<string | null> {
  const start = await files.readRange(path, 0, SIGNATURE_BYTES);
  if (!start.ok) return null;
  const text = Buffer.from(start.value).toString('latin1');
  return SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? null;
}

/** An image as a block for the model. The error is for the model. */
export async function readImage(
  path: string,
  mediaType: string,
  stat: FileStat,
  files: Files,
): Promise<Result<ImageBlock, string>> {
  const read = await files.read(path, MAX_IMAGE_BYTES);
  if (read.ok) {
    const data = Buffer.from(read.value).toString('base64');
    return ok({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });
  }
  if (read.error.code !== 'too_large') return err(read.error.message);
  const size = (stat.size / 1024 / 1024).toFixed(1);
  return err(
    `${path} is an image of ${size} MiB; the limit is 5 MiB. Make a smaller copy and read that.`,
  );
}
