import { expect, it } from 'vitest';
import { createListChanges, LOOK_AGAIN_AFTER_MS } from '../../../src/main/engine/mcp/list-changes';
import { memoryClock } from '../../support/memory-clock';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('a storm of changes is looked at once at a time, at a bounded rate, and last behind its end', async () => {
  const clock = memoryClock();
  const looks: { readonly at: number; done(): void }[] = [];
  let version = 0;
  const changes = createListChanges(
    () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      looks.push({ at: version, done: resolve });
      return promise;
    },
    clock,
    new AbortController().signal,
  );
  changes.note();
  await turn();
  expect(looks).toEqual([]);
  changes.begin();
  const storm = () => {
    for (let n = 0; n < 40_000; n += 1) {
      version += 1;
      changes.note();
    }
  };
  storm();
  await turn();
  expect(looks).toHaveLength(1);
  looks[0]?.done();
  storm();
  await turn();
  expect(looks).toHaveLength(1);
  await clock.advance(LOOK_AGAIN_AFTER_MS);
  expect(looks.map(({ at }) => at)).toEqual([0, 80_000]);
  looks[1]?.done();
  await turn();
  await clock.advance(LOOK_AGAIN_AFTER_MS);
  expect(looks).toHaveLength(2);
  changes.note();
  await turn();
  expect(looks).toHaveLength(3);
});

it('a look that fails is not repeated until the next change, and the end of the server ends it', async () => {
  const clock = memoryClock();
  const over = new AbortController();
  let looks = 0;
  const changes = createListChanges(
    async () => {
      looks += 1;
      throw new Error('gone');
    },
    clock,
    over.signal,
  );
  changes.begin();
  changes.note();
  await turn();
  await clock.advance(LOOK_AGAIN_AFTER_MS);
  expect(looks).toBe(1);
  changes.note();
  await turn();
  expect(looks).toBe(2);
  over.abort();
  changes.note();
  await turn();
  expect([looks, clock.sleepers()]).toEqual([2, 0]);
});
