import { expect, test } from 'vitest';
import type { Client } from '../../../src/renderer/api/transport';
import type { Lathe } from '../../../src/renderer/store/lathe';
import { createScreenStore } from '../../../src/renderer/store/screen';
import { takeWheel } from '../../../src/renderer/store/terminals';
import { err, fault, ok, type Result } from '../../../src/shared/result';

/** A window whose host answers a wish for the wheel as told. */
function windowWith(answer: () => Result<null>) {
  const store = createScreenStore();
  const client = { terminals: { takeWheel: async () => answer() } } as unknown as Client;
  const lathe: Pick<Lathe, 'store' | 'ask'> = { store, ask: (act) => act(client) };
  return { store, take: (taken: boolean) => takeWheel(lathe, 't', taken) };
}

test('a window remembers a wheel as its own only when it got it, and until it gave it back', async () => {
  const refused = err(fault('host_hung', 'The terminal host does not answer.'));
  let answer: Result<null> = refused;
  const { store, take } = windowWith(() => answer);
  const wheels = () => store.getState().wheels;
  await take(true);
  expect(wheels()).toEqual([]);
  expect(store.getState().toasts).toMatchObject([{ text: refused.error.message }]);
  answer = ok(null);
  await take(true);
  await take(true);
  expect(wheels()).toEqual(['t']);
  answer = refused;
  await take(false);
  expect(wheels()).toEqual(['t']);
  answer = ok(null);
  await take(false);
  expect(wheels()).toEqual([]);
});
