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
  now += 99;
  expect(await ask(1)).toBe('later');
  now += 1;
  expect(await ask(1)).toBe('at once');
});

it('leaves a disk alone for longer and longer, ten seconds at most, until it was quick for a while', async () => {
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
  const cautions = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
  for (const caution of cautions) {
    expect(await ask(50)).toBe('at once');
    now += caution - 1;
    expect(await ask(1)).toBe('later');
    now += 1;
  }
  for (let i = 0; i < 20; i += 1) await ask(1);
  expect(await ask(50)).toBe('at once');
  expect(await ask(50)).toBe('at once');
  now += 100;
  expect(await ask(1)).toBe('at once');
});

it('is as careful after a look that failed slowly, and fails as the look did', async () => {
  let now = 0;
  const look = createQuickLook(() => now);
  const gone = () => {
    now += 50;
    throw new Error('gone');
  };
  expect(() => look(gone, async () => 'later')).toThrow('gone');
  expect(await look(gone, async () => 'later')).toBe('later');
});

it('forgives a disk one slow look after many quick ones, and no second one soon after', async () => {
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
  for (let i = 0; i < 20; i += 1) await ask(0.01);
  expect(await ask(50)).toBe('at once');
  for (let i = 0; i < 19; i += 1) expect(await ask(0.01)).toBe('at once');
  expect(await ask(50)).toBe('at once');
  expect(await ask(0.01)).toBe('later');
});
