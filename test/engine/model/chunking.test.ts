import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createEventReader,
  type RawEvent,
} from '../../../src/main/engine/model/server-sent-events';
import {
  endOfStream,
  IDLE,
  reduceStream,
  type StreamEvent,
} from '../../../src/main/engine/model/stream-reducer';
import { runs } from '../../support/runs';

type Wire = Readonly<Record<string, unknown>>;

const NAMES = { messageId: 'msg', model: 'claude-opus-5-5' };
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const texts = fc.array(text, { maxLength: 4 });

/** A block as it starts, and its pieces. */
const block: fc.Arbitrary<{ readonly start: Wire; readonly deltas: readonly Wire[] }> = fc.oneof(
  texts.map((list) => ({
    start: { type: 'text', text: '' },
    deltas: list.map((t) => ({ type: 'text_delta', text: t })),
  })),
  fc.tuple(texts, fc.base64String()).map(([list, signature]) => ({
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...list.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ],
  })),
  fc.tuple(fc.jsonValue(), fc.boolean(), fc.uuid()).map(([value, whole, id]) => {
    const json = JSON.stringify({ value });
    return {
      start: { type: 'tool_use', id, name: 'Read', input: {} },
      deltas: [json.slice(0, 3), json.slice(3, whole ? undefined : -1)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    };
  }),
  fc.record({ type: fc.constant('hologram'), shape: text }).map((start) => ({
    start,
    deltas: [{ type: 'hologram_delta', shape: '!' }],
  })),
);

/** What may stand between events: a sign of life, something new, a comment. */
const between = fc.constantFrom(
  '',
  'event: ping\ndata: {"type":"ping"}\n\n',
  ': hello\n\n',
  'data: {"type":"weather"}\n\n',
);

const wire = (data: Wire): string => `event: ${data['type']}\ndata: ${JSON.stringify(data)}\n\n`;

/** A whole stream as it stands on the wire, in the order of blocks or crosswise, ended well or not. */
const stream = fc
  .record({
    blocks: fc.array(block, { maxLength: 4 }),
    crosswise: fc.boolean(),
    noise: fc.array(between, { minLength: 1, maxLength: 5 }),
    ends: fc.boolean(),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
  })
  .map(({ blocks, crosswise, noise, ends, newline }) => {
    const of = blocks.map(({ start, deltas }, index) => ({
      open: [{ type: 'content_block_start', index, content_block: start }],
      pieces: deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      close: [{ type: 'content_block_stop', index }],
    }));
    const content: Wire[] = crosswise
      ? [
          ...of.flatMap(({ open }) => open),
          ...of.toReversed().flatMap(({ pieces }) => pieces),
          ...of.flatMap(({ close }) => close),
        ]
      : of.flatMap(({ open, pieces, close }) => [...open, ...pieces, ...close]);
    const events: Wire[] = [
      { type: 'message_start', message: { id: 'm', model: 'claude-opus-5-5', usage: {} } },
      ...content,
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      ...(ends ? [{ type: 'message_stop' }] : []),
    ];
    const lines = events.map((event, i) => `${noise[i % noise.length]}${wire(event)}`).join('');
    return new TextEncoder().encode(lines.replaceAll('\n', newline));
  });

/** The finished blocks, the end, and each block's pieces as one text: where they are cut means nothing. */
function read(chunks: readonly Uint8Array[]): unknown {
  const reader = createEventReader();
  const raw: RawEvent[] = [...chunks.flatMap((chunk) => reader.take(chunk)), ...reader.end()];
  let state = IDLE;
  const told: StreamEvent[] = [];
  for (const { data } of raw.filter((event) => event.data !== '')) {
    const step = reduceStream(state, JSON.parse(data), NAMES);
    state = step.state;
    told.push(...step.events);
  }
  return { told, end: endOfStream(state).events };
}

it('any cutting of any stream gives the same message', () => {
  const cuts = fc.array(fc.nat({ max: 2000 }), { maxLength: 60 });
  fc.assert(
    fc.property(stream, cuts, (bytes, at) => {
      const places = [...new Set([0, ...at.map((n) => n % (bytes.length + 1)), bytes.length])];
      const sorted = places.toSorted((a, b) => a - b);
      const chunks = sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
      const single = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
      expect(read(chunks)).toEqual(read([bytes]));
      expect(read(single)).toEqual(read([bytes]));
    }),
    { numRuns: runs(300) },
  );
});
