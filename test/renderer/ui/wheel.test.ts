import { describe, expect, it } from 'vitest';
import { leansSideways } from '../../../src/renderer/ui/wheel';

describe('a turn of the wheel', () => {
  it.each([
    ['straight down', 0, 20, false, false],
    ['down, a little sideways', 1, 20, false, true],
    ['up, a little sideways', -3, -30, false, true],
    ['sideways, a little down', 30, 3, false, false],
    ['as much sideways as down', 20, 20, false, false],
    ['that zooms', 1, 20, true, false],
  ])('%s', (_, deltaX, deltaY, ctrlKey, leans) => {
    expect(leansSideways({ deltaX, deltaY, ctrlKey })).toBe(leans);
  });
});
