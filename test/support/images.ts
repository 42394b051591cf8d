const base64 = (text: string): Buffer => Buffer.from(text, 'base64');

/** Images of one pixel, whole, by media type. */
export const TINY_IMAGES = {
  'image/png': base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  // Start, frame header (1 × 1, one component), start of the scan, one byte of data, end.
  'image/jpeg': Buffer.from('ffd8ffc0000b080001000101011100ffda0008010100003f0000ffd9', 'hex'),
  'image/gif': base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  'image/webp': base64('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA='),
} as const;

/** A PNG that says it is so large; only its header and its end are real. */
export function pngOfSize(width: number, height: number): Buffer {
  const png = Buffer.from(TINY_IMAGES['image/png']);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}
