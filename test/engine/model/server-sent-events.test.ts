import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerByRead } from '../../../src/main/engine/model/read-answer';
import {
  AnswerTooLarge,
  createEventReader,
  type RawEvent,
} from '../../../src/main/engine/model/server-sent-events';

const bytes = (text: string) => new TextEncoder().encode(text);

function readAll(pieces: readonly Uint8Array[]): readonly RawEvent[] {
  const reader = createEventReader();
  return [...pieces.flatMap((piece) => reader.take(piece)), ...reader.end()];
}

it.each<[what: string, text: string, events: readonly RawEvent[]]>([
  ['one event', 'event: a\ndata: 1\n\n', [{ data: '1' }]],
  [
    'the name of an event of an answer',
    'event: message_stop\ndata: {}\n\n',
    [{ data: '{}', type: 'message_stop' }],
  ],
  ['lines of data are joined', 'data: 1\ndata: 2\n\n', [{ data: '1\n2' }]],
  ['only one space goes', 'data:  1\ndata:2\n\n', [{ data: ' 1\n2' }]],
  ['comments and other fields', ': hi\nid: 7\nretry\ndata\n\n', [{ data: '' }]],
  [
    'words that keep the line open',
    'event: beat\ndata: still here\n\n',
    [{ data: '', words: 'still here' }],
  ],
  ['damaged JSON under another name', 'event: x\ndata: {"a\n\n', [{ data: '{"a' }]],
  ['an end mark under a name', 'event: done\ndata: [DONE]\n\n', [{ data: '[DONE]' }]],
  ['an event without data', 'event: a\n\ndata: 1\n\n', [{ data: '1' }]],
  ['CR LF', 'event: a\r\ndata: 1\r\n\r\n', [{ data: '1' }]],
  ['CR alone', 'event: a\rdata: 1\r\r', [{ data: '1' }]],
  ['CR at the very end', 'data: 1\r', [{ data: '1', unfinished: true }]],
  ['a mark in front', '\ufeffdata: 1\n\n', [{ data: '1' }]],
  ['blank lines alone', '\n\n\n', []],
  [
    'an event that never ended',
    'data: 1\n\nevent: b\ndata: 2\n',
    [{ data: '1' }, { data: '2', unfinished: true }],
  ],
  ['a line that never ended', 'data: 2', [{ data: '2', unfinished: true }]],
])('reads %s', (_, text, events) => {
  expect(readAll([bytes(text)])).toEqual(events);
});

it('gives the same events however the bytes are cut', () => {
  const line = fc.oneof(
    fc.constantFrom('', 'event: ä', 'data: 日本 🎉', 'data', ': ping', '\ufeffdata: x'),
    fc.string().map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  );
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
    .map((lines) => lines.map(([words, end]) => words + end).join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 400 })), (whole, cuts) => {
      const all = bytes(whole);
      const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b)];
      const pieces = at.map((from, i) => all.subarray(from, at[i + 1] ?? all.length));
      expect(readAll(pieces)).toEqual(readAll([all]));
    }),
  );
});

it('gives the events of one read together, and none for a read that ends none', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes('data: 1\n\ndata: 2\n\ndata'));
      controller.enqueue(bytes(': 3'));
      controller.enqueue(bytes('\n\n'));
      controller.close();
    },
  });
  const reads = [];
  for await (const events of answerByRead(new Response(body)))
    reads.push(events.map(({ data }) => data));
  expect(reads.filter((events) => events.length > 0)).toEqual([['1', '2'], ['3']]);
});

it('tells of a comment, by which a line is kept open, and of no part of an event', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of [': on its way\n\n', 'data', ': 1', '\n\n'])
        controller.enqueue(bytes(piece));
      controller.close();
    },
  });
  const reads = [];
  for await (const events of answerByRead(new Response(body)))
    reads.push(events.map(({ data }) => data));
  expect(reads).toEqual([[], ['1']]);
});

it('lets the rest of an answer go when nobody reads on', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('data: 1\n\n')),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const _ of answerByRead(new Response(body))) break;
  expect(cancelled).toBe(true);
  expect(body.locked).toBe(false);
});

it('takes a long line in a thousand pieces, and an event of many lines', () => {
  const piece = bytes('x'.repeat(1_000));
  const reader = createEventReader();
  reader.take(bytes('data: '));
  for (let i = 0; i < 1_000; i += 1) expect(reader.take(piece)).toEqual([]);
  expect(reader.take(bytes('\n\n'))[0]?.data.length).toBe(1_000_000);
  for (let i = 0; i < 1_000; i += 1) reader.take(bytes(`data: ${i}\n`));
  expect(reader.take(bytes('\n'))[0]?.data.split('\n').length).toBe(1_000);
});

it.each([
  ['a line', 'x'.repeat(1024)],
  ['the lines of an event', `${'x'.repeat(1024)}\ndata: `],
])('gives up on %s without an end', (_, piece) => {
  const reader = createEventReader();
  reader.take(bytes('data: '));
  const mebibyte = bytes(piece.repeat(1024));
  const feed = () => {
    for (let i = 0; i < 17; i += 1) reader.take(mebibyte);
  };
  expect(feed).toThrow(AnswerTooLarge);
});
