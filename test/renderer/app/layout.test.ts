import { expect, it } from 'vitest';
import { widened } from '../../../src/renderer/app/layout';

const wanted = { side: 240, dock: 460 };
const squeezed = (width: number) => ({
  side: (180 / width) * 100,
  centre: ((width - 460) / width) * 100,
  dock: (280 / width) * 100,
});

it.each([
  ['gives both columns what they want where there is room', 1440, 240, 460],
  ['gives the list its width first, and the dock what is left', 1100, 240, 298],
  ['gives nothing where the conversation has only what it needs', 1022, null, null],
])('%s', (_name, width, side, dock) => {
  const grown = widened(squeezed(width), wanted, width);
  const pixels = (share = 0) => Math.round((share / 100) * width);
  expect(grown && [pixels(grown['side']), pixels(grown['dock'])]).toEqual(side && [side, dock]);
  const { side: s = 0, centre = 0, dock: d = 0 } = grown ?? { centre: 100 };
  expect(s + centre + d).toBeCloseTo(100);
});

it('never opens a closed column and never makes one narrower', () => {
  expect(widened({ side: 0, centre: 100, dock: 0 }, wanted, 1440)).toBeNull();
  expect(widened({ side: 20, centre: 45, dock: 35 }, wanted, 1440)).toBeNull();
});
