import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

test('what is pinned goes on when everything else is ended, and is there for the next Lathe', async () => {
  const first = terminals.connect();
  const kept = bash(terminals, 'echo up; sleep 1000');
  const other = bash(terminals, 'sleep 1000');
  await spawned(first, kept);
  await spawned(first, other);
  expect((await first.pin(kept.id, true)).ok).toBe(true);
  await first.close({ keepTerminals: false });
  const next = terminals.connect();
  // Starts no host: the one of before is still there, because something runs in it.
  await next.kill('nothing', 0);
  const listed = await next.list();
  const find = (id: string) => listed.find((one) => one.id === id);
  expect(find(kept.id)).toMatchObject({ pinned: true });
  expect(find(kept.id)?.endedAt).toBeUndefined();
  expect(find(other.id)?.endedAt).toBeDefined();
  await next.pin(kept.id, false);
  await next.close({ keepTerminals: false });
  const last = terminals.connect();
  expect((await last.list()).filter((one) => one.endedAt === undefined)).toEqual([]);
});
