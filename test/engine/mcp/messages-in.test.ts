import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asMessage, createLineReader } from '../../../src/main/engine/mcp/messages-in';

it('gives whole lines however they come, with characters that were cut in two', () => {
  const text = 'one\r\n\nzwei äöü 🦆\nopen';
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (sizes) => {
      const bytes = new TextEncoder().encode(text);
      const lines = createLineReader();
      const given: string[] = [];
      let from = 0;
      for (const size of [...sizes, bytes.length]) {
        given.push(...lines(bytes.subarray(from, from + size)));
        from += size;
      }
      expect(given).toEqual(['one', '', 'zwei äöü 🦆']);
    }),
  );
});

it('takes no message without an end', () => {
  const lines = createLineReader();
  const mega = new Uint8Array(1024 * 1024).fill(120);
  for (let count = 0; count < 10; count += 1) expect(lines(mega)).toEqual([]);
  expect(() => lines(mega)).toThrow();
});

const FAILURE = { jsonrpc: '2.0', id: 7, error: { code: -32_603, message: expect.any(String) } };
it.each([
  [
    { jsonrpc: '2.0', id: 7, result: {} },
    { jsonrpc: '2.0', id: 7, result: {} },
  ],
  [
    { id: 7, error: { code: 1, message: 'x' } },
    { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'x' } },
  ],
  [{ method: 'notifications/x' }, { method: 'notifications/x' }],
  [{ id: 7, result: 'words' }, FAILURE],
  [{ id: 7, result: [1] }, FAILURE],
  [{ id: 7 }, FAILURE],
  [{ id: 7, error: 'words' }, FAILURE],
  [{ result: {} }, null],
  [[], null],
  ['words', null],
  [null, null],
])('%j is the message %j', (value, message) => expect(asMessage(value)).toEqual(message));
