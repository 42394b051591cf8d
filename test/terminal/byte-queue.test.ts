import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteQueue } from '../../src/main/terminal/host/byte-queue';
import { runs } from '../support/runs';

type Act = { readonly type: 'push' | 'take' | 'drop' | 'shorten'; readonly bytes: number };

const act = fc.record({
  type: fc.constantFrom<Act['type']>('push', 'push', 'take', 'drop', 'shorten'),
  bytes: fc.nat(20_000),
});

describe('a queue of bytes', () => {
  test('holds what a plain list of bytes would hold', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const queue = new ByteQueue();
        let model = Buffer.alloc(0);
        let next = 0;
        for (const { type, bytes } of acts) {
          const count = Math.min(bytes, model.byteLength);
          if (type === 'push') {
            const pushed = Buffer.from(Array.from({ length: bytes }, () => (next += 1)));
            queue.push(pushed);
            model = Buffer.concat([model, pushed]);
          } else if (type === 'take') {
            expect(queue.take(bytes)).toEqual(model.subarray(0, count));
            model = model.subarray(count);
          } else if (type === 'drop') {
            queue.drop(count);
            model = model.subarray(count);
          } else {
            const kept = Buffer.from(model.subarray(0, Math.floor(count / 2)));
            queue.shorten(count, kept);
            model = Buffer.concat([kept, model.subarray(count)]);
          }
          expect(queue.length).toBe(model.byteLength);
          expect(queue.view().equals(model)).toBe(true);
          expect(queue.view(count >> 1).equals(model.subarray(count >> 1))).toBe(true);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('uses its memory again, however much goes through it', () => {
    const queue = new ByteQueue();
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let memory: ArrayBufferLike | null = null;
    for (let at = 0; at < 4_000; at += 1) {
      if (queue.length > 256 * 1024) queue.drop(chunk.byteLength);
      queue.push(chunk);
      if (at === 100) memory = queue.view().buffer;
    }
    expect(queue.view().buffer).toBe(memory);
    expect(queue.capacity).toBeLessThan(1024 * 1024);
  });

  test('what was taken is not overwritten, and an empty queue holds nothing', () => {
    const queue = new ByteQueue();
    queue.push(Buffer.from('first second'));
    const taken = queue.take(6);
    queue.push(Buffer.from(' third'));
    queue.drop(6);
    queue.push(Buffer.alloc(5_000, 'y'));
    expect(taken.toString()).toBe('first ');
    queue.drop(queue.length);
    expect(queue.capacity).toBe(0);
  });
});
