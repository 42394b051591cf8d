/** The first bytes of the image formats that models can see. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
];

/** So much of a file tells whether it is an image. */
export const SIGNATURE_BYTES = 16;

/** Returns the media type of an image that models can see, judged by its first bytes; null for anything else. */
export function imageType(start: Uint8Array): string | null {
  const text = String.fromCharCode(...start.subarray(0, SIGNATURE_BYTES));
  return SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0] ?? null;
}
