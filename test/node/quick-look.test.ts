import { expect, it } from 'vitest';
import { createQuickLook } from '../../src/main/node/quick-look';

it('blocks only while the disk answers at once', async () => {
  let now = 0;
  const look = createQuickLook(() => now);
  const ask = (ms: number) =>
    look(
      () => {
        now += ms;
        return 'at once';
      },
      async () => 'later',
    );
  expect(await ask(1)).toBe('at once');
  expect(await ask(50)).toBe('at once');
  expect(await ask(1)).toBe('later');
  now += 9_999;
  expect(await ask(1)).toBe('later');
  now += 1;
  expect(await ask(1)).toBe('at once');
});

it('is as careful after a look that failed slowly, and fails as the look did', async () => {
  let now = 0;
  const look = createQuickLook(() => now);
  const gone = () => {
    now += 50;
    throw new Error('gone');
  };
  await expect(look(gone, async () => 'later')).rejects.toThrow('gone');
  expect(await look(gone, async () => 'later')).toBe('later');
});
