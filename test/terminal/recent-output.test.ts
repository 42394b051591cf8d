import { expect, test } from 'vitest';
import { RECENT_BYTES, RecentOutput } from '../../src/main/terminal/host/batcher';

test('small batches cost the memory of their bytes, and come back whole', () => {
  const recent = new RecentOutput();
  const count = 40_000;
  for (let at = 0; at < count; at += 1) recent.push(Buffer.concat([Buffer.from(`${at}\r\n`)]));
  expect(recent.heldBytes).toBeLessThan(2 * RECENT_BYTES);
  const tail = `${count - 2}\r\n${count - 1}\r\n`;
  expect(recent.since(recent.end - tail.length)?.toString()).toBe(tail);
  expect(recent.since(0)).toBeNull();
});

test('a viewer that changed the size goes on from its own count, and nobody from before', () => {
  const recent = new RecentOutput();
  expect(recent.since(0)?.toString()).toBe('');
  recent.push(Buffer.from('before'));
  const changed = recent.end;
  recent.forget();
  expect(recent.since(changed)).toBeNull();
  recent.push(Buffer.from('after'));
  expect([0, changed].map((offset) => recent.since(offset))).toEqual([null, null]);
  // It has counted the two bytes that it got.
  expect(recent.since(changed + 2)?.toString()).toBe('ter');
  expect(recent.since(changed + 5)?.toString()).toBe('');
});
