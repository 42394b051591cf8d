import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageFault } from '../../../../src/main/engine/tools/builtin/read/read-image';
import { imageType } from '../../../../src/shared/image-type';
import { pngOfSize, TINY_IMAGES } from '../../../support/images';
import { runs } from '../../../support/runs';

const LOSSLESS = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
const EXTENDED = Buffer.from(
  `RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\x1f\0\x40\x1f\0`,
  'latin1',
);

describe('what a model cannot be shown', () => {
  it.each(Object.entries(TINY_IMAGES))('not a whole %s', (type, image) => {
    expect(imageType(image)).toBe(type);
    expect(imageFault(type, image)).toBeNull();
  });

  it.each(Object.entries(TINY_IMAGES))('a %s that was cut short', (type, image) => {
    for (let length = 12; length < image.length - 12; length += 1)
      expect(imageFault(type, image.subarray(0, length))).toContain('cut short');
  });

  it.each([
    [8000, 8000, null],
    [8001, 1, '8001 × 1 pixels; the limit is 8000'],
    [1, 8001, '1 × 8001 pixels'],
    [0, 5, 'damaged'],
  ])('a PNG of %i × %i', (width, height, words) => {
    const fault = imageFault('image/png', pngOfSize(width, height));
    if (words === null) expect(fault).toBeNull();
    else expect(fault).toContain(words);
  });

  it('knows the sizes of the three forms of WebP, and of a JPEG behind other segments', () => {
    expect(imageFault('image/webp', LOSSLESS)).toBeNull();
    expect(imageFault('image/webp', EXTENDED)).toContain('8000 × 8001 pixels');
    const jpeg = TINY_IMAGES['image/jpeg'];
    const comment = Buffer.from('fffffe0006aaaaaaaa', 'hex');
    const large = Buffer.from(jpeg);
    large.writeUInt16BE(9000, 7);
    const behind = Buffer.concat([large.subarray(0, 2), comment, large.subarray(2)]);
    expect(imageFault('image/jpeg', behind)).toContain('1 × 9000 pixels');
  });

  it('answers whatever the bytes are', () => {
    const types = fc.constantFrom(...Object.keys(TINY_IMAGES), 'image/tiff');
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc
        .tuple(fc.constantFrom(...Object.values(TINY_IMAGES)), fc.uint8Array({ maxLength: 40 }))
        .map(([image, rest]) => Buffer.concat([image.subarray(0, 24), rest])),
    );
    fc.assert(
      fc.property(types, bytes, (type, data) => {
        const fault = imageFault(type, data);
        expect(fault === null || fault.length > 0).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });
});
