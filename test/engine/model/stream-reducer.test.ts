import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfStream } from '../../../src/main/engine/model/stream-reducer';
import {
  close,
  delta,
  end,
  finished,
  json,
  kinds,
  open,
  play,
  start,
  toolBlock,
} from './stream-events';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('phases', () => {
  it('go idle, message_start, content, tool_input, complete', () => {
    const events = [
      start(),
      open(0, { type: 'text', text: '' }),
      close(0),
      open(1, toolBlock),
      close(1),
      ...end('tool_use'),
    ];
    const phases = events.map((_, i) => play(events.slice(0, i + 1)).state.phase);
    expect(phases).toEqual([
      'message_start',
      'content',
      'content',
      'tool_input',
      'content',
      'content',
      'complete',
    ]);
  });

  it('ignores whatever comes after the end', () => {
    const { out } = play([start(), ...end(), start(), open(0, toolBlock), ...end()]);
    expect(kinds(out)).toEqual(['message_started', 'completed']);
  });
});

describe('content', () => {
  it('is the same however it is cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.jsonValue(),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (text, value, sizes) => {
          const input = { value };
          const cut = (whole: string): string[] => {
            const out: string[] = [];
            for (let at = 0, n = 0; at < whole.length; n += 1) {
              const size = sizes[n % sizes.length] ?? 1;
              out.push(whole.slice(at, at + size));
              at += size;
            }
            return out;
          };
          const { out } = play([
            start(),
            open(0, { type: 'text', text: '' }),
            ...cut(text).map((t) => delta(0, { type: 'text_delta', text: t })),
            close(0),
            open(1, toolBlock),
            ...cut(JSON.stringify(input)).map((p) => json(1, p)),
            close(1),
            ...end('tool_use'),
          ]);
          expect(finished(out)).toEqual([
            { type: 'text', text },
            { type: 'tool_use', id: 't1', name: 'Bash', input: JSON.parse(JSON.stringify(input)) },
          ]);
        },
      ),
    );
  });

  it('a tool input cut anywhere is invalid, never a smaller input', () => {
    const whole = JSON.stringify({ command: 'rm -rf /tmp/a/b', list: [1, 2, { x: 'é"\\' }] });
    for (let at = 1; at < whole.length; at += 1) {
      const { out } = play([start(), open(0, toolBlock), json(0, whole.slice(0, at)), close(0)]);
      expect(finished(out)[0]).toMatchObject({
        input: {},
        invalid: expect.stringContaining('JSON'),
      });
    }
  });

  it('a tool input that is nested too deeply to be written again is invalid, however it comes', () => {
    const ofText = (input: string) =>
      finished(play([start(), open(0, toolBlock), json(0, input), close(0)]).out)[0];
    const invalid = { input: {}, invalid: expect.stringContaining('nested more than') };
    expect(ofText(nested(20_000))).toMatchObject(invalid);
    expect(ofText(nested(100))).not.toHaveProperty('invalid');
    const whole = { ...toolBlock, input: JSON.parse(nested(20_000)) };
    expect(finished(play([start(), open(0, whole), close(0)]).out)[0]).toMatchObject(invalid);
  });

  it('blocks may interleave', () => {
    const { out } = play([
      start(),
      open(0, { type: 'text', text: 'a' }),
      open(1, toolBlock),
      delta(0, { type: 'text_delta', text: 'b' }),
      json(1, '{"x":'),
      close(0),
      json(1, '1}'),
      close(1),
      ...end(),
    ]);
    expect(finished(out)).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { x: 1 } },
    ]);
  });

  const [a, b, c] = [0, 1, 2].map((index) => [
    open(index, { type: 'text', text: '' }),
    delta(index, { type: 'text_delta', text: 'abc'.charAt(index) }),
    close(index),
  ]);

  it.each([
    ['one after the other', [a, b, c].flat()],
    [
      'ends in another order',
      [a?.[0], b?.[0], c?.[0], a?.[1], b?.[1], c?.[1], c?.[2], b?.[2], a?.[2]],
    ],
    [
      'pieces in another order',
      [a?.[0], b?.[0], c?.[0], c?.[1], b?.[1], a?.[1], b?.[2], a?.[2], c?.[2]],
    ],
    [
      'one inside the other',
      [a?.[0], b?.[0], b?.[1], b?.[2], c?.[0], a?.[1], a?.[2], c?.[1], c?.[2]],
    ],
    ['none has an end', [a?.[0], a?.[1], b?.[0], b?.[1], c?.[0], c?.[1]]],
    ['the first has no end', [a?.[0], a?.[1], b, c].flat()],
    ['the middle one has no end', [a, b?.[0], b?.[1], c].flat()],
  ])('blocks keep the order in which they began: %s', (_, events) => {
    const { out } = play([start(), ...events, ...end()]);
    expect(finished(out)).toEqual(['a', 'b', 'c'].map((text) => ({ type: 'text', text })));
    const indexes = out.flatMap((event) => (event.type === 'block_finished' ? [event.index] : []));
    expect(indexes).toEqual([0, 1, 2]);
    expect(kinds(out).at(-1)).toBe('completed');
  });

  it('a tool use without an end is taken when it is whole, and else never as a smaller one', () => {
    const last = (input: string) =>
      finished(play([start(), open(0, toolBlock), json(0, input), ...end('tool_use')]).out);
    expect(last('{"x":1}')).toMatchObject([{ input: { x: 1 } }]);
    expect(last('{"x":1')).toMatchObject([{ input: {}, invalid: expect.stringContaining('JSON') }]);
  });

  it('keeps blocks it does not know, their pieces folded in', () => {
    const { out } = play([
      start(),
      open(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      json(0, '{"query":'),
      json(0, '"x"}'),
      close(0),
      open(1, { type: 'compaction', content: 'a' }),
      delta(1, { type: 'compaction_delta', content: 'b', __proto__x: 1 }),
      close(1),
      open(2, { type: 'redacted_thinking', data: 'zzz' }),
      close(2),
      ...end(),
    ]);
    expect(finished(out)).toEqual([
      {
        type: 'other',
        raw: { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      },
      { type: 'other', raw: { type: 'compaction', content: 'ab', __proto__x: 1 } },
      { type: 'redacted_thinking', data: 'zzz' },
    ]);
    expect(kinds(out)).not.toContain('block_delta');
  });

  it('ignores unknown events and pieces of another kind', () => {
    const { out } = play([
      { type: 'ping' },
      start(),
      { type: 'something_new', index: 0 },
      'nonsense',
      null,
      open(0, { type: 'text', text: '' }),
      delta(0, { type: 'input_json_delta', partial_json: '{}' }),
      delta(0, { type: 'new_delta', text: 'x' }),
      delta(0, { type: 'text_delta', text: 'ok' }),
      close(0),
      ...end(),
    ]);
    expect(finished(out)).toEqual([{ type: 'text', text: 'ok' }]);
    expect(kinds(out).at(-1)).toBe('completed');
  });

  it('takes pieces without a type for what their field says', () => {
    const { out } = play([
      start(),
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { thinking: 'hm' }),
      delta(0, { type: null, signature: 's' }),
      close(0),
      open(1, { type: 'text', text: '' }),
      delta(1, { text: 'a' }),
      delta(1, { type: '', text: 'b' }),
      delta(1, { partial_json: '{}' }),
      close(1),
      open(2, toolBlock),
      delta(2, { partial_json: '{"a":1}' }),
      close(2),
      ...end(),
    ]);
    expect(finished(out)).toMatchObject([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'ab' },
      { type: 'tool_use', input: { a: 1 } },
    ]);
  });

  it('takes a whole input that came with the start', () => {
    const { out } = play([start(), open(0, { ...toolBlock, input: { a: 1 } }), close(0)]);
    expect(finished(out)[0]).toMatchObject({ input: { a: 1 } });
  });

  it('takes an input that comes as an object, and twice as none', () => {
    const piece = (partial_json: unknown) => delta(0, { type: 'input_json_delta', partial_json });
    const inputOf = (begun: object, ...pieces: object[]) =>
      finished(play([start(), open(0, begun), ...pieces, close(0)]).out)[0];
    const input = (...pieces: object[]) => inputOf(toolBlock, ...pieces);
    expect(input(piece({ a: 1 }))).toMatchObject({ input: { a: 1 } });
    expect(input(piece('{"a":'), piece({ b: 2 }), piece('}'))).toMatchObject({
      input: { a: { b: 2 } },
    });
    expect(input(piece({}), piece('{"a":1}'))).toMatchObject({ input: { a: 1 } });
    expect(input(piece({ a: 1 }), piece({ a: 1 }))).toMatchObject({ input: { a: 1 } });
    expect(inputOf({ ...toolBlock, input: { a: 1 } }, piece({}))).toMatchObject({
      input: { a: 1 },
    });
    const invalid = { input: {}, invalid: expect.stringContaining('not valid JSON') };
    expect(input(piece({ a: 1 }), piece({ b: 2 }))).toMatchObject(invalid);
    expect(input(piece(JSON.parse(nested(50_000))))).toMatchObject(invalid);
  });
});

describe('a garbled stream fails instead of guessing', () => {
  it.each([
    ['a piece for no block', [start(), delta(3, { type: 'text_delta', text: 'x' })]],
    ['a block twice', [start(), open(0, toolBlock), open(0, toolBlock)]],
    ['a finished block again', [start(), open(0, toolBlock), close(0), open(0, toolBlock)]],
    ['an end for no block', [start(), close(0)]],
    ['a second message', [start(), start()]],
    ['content before the message', [open(0, toolBlock)]],
    ['a tool use without a name', [start(), open(0, { type: 'tool_use', id: 'x' })]],
    ['an index that is no number', [start(), { ...open(0, toolBlock), index: '0' }]],
    [
      'an open block without a reason to end',
      [start(), open(0, toolBlock), { type: 'message_stop' }],
    ],
  ])('%s', (_, events) => {
    const { state, out } = play([...events, close(0), ...end()]);
    expect(out.at(-1)).toMatchObject({ type: 'failed', error: { retryable: true } });
    expect(out.filter((e) => e.type === 'failed')).toHaveLength(1);
    expect(state.phase).toBe('complete');
    expect(endOfStream(state).events).toEqual([]);
  });

  it('an end before the reason to stop is a truncation, wherever it comes', () => {
    const whole = [start(), open(0, toolBlock), json(0, '{}'), close(0), ...end('tool_use')];
    for (let n = 0; n < whole.length - 1; n += 1) {
      const { state } = play(whole.slice(0, n));
      expect(endOfStream(state)).toMatchObject({
        events: [{ type: 'failed', error: { kind: 'truncated' } }],
      });
    }
    expect(endOfStream(play(whole).state).events).toEqual([]);
  });

  it('an answer that is whole but for its message_stop is taken, and no other', () => {
    const [reason = {}] = end('tool_use', { output_tokens: 7 });
    const begun = [start({ input_tokens: 3 }), open(0, toolBlock), json(0, '{}')];
    const { state, out } = play([...begun, close(0), reason]);
    const last = endOfStream(state);
    expect(finished(out)).toHaveLength(1);
    expect(last.events).toMatchObject([
      {
        type: 'completed',
        stopReason: 'tool_use',
        usage: { inputTokens: 3, outputTokens: 7 },
      },
    ]);
    expect(last.state.phase).toBe('complete');
    for (const events of [
      [...begun, reason],
      [...begun, close(0)],
      [...begun, close(0), open(1, toolBlock), reason],
      [...begun, close(0), { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } }],
    ])
      expect(endOfStream(play(events).state)).toMatchObject({ events: [{ type: 'failed' }] });
  });

  it('an error event ends it', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    expect(play([start(), error, ...end()]).out.at(-1)).toEqual({
      type: 'stream_error',
      errorType: 'overloaded_error',
      message: 'busy',
    });
  });
});

describe('usage', () => {
  it('is never summed over events that repeat running totals', () => {
    const { out } = play([
      start({ input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 }),
      { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } },
      ...end('end_turn', { input_tokens: 10, output_tokens: 9, cache_read_input_tokens: null }),
    ]);
    expect(out.at(-1)).toEqual({
      type: 'completed',
      stopReason: 'end_turn',
      usage: { inputTokens: 10, outputTokens: 9, cacheReadTokens: 5, cacheWriteTokens: 0 },
    });
  });

  it.each([
    ['endless', Number.POSITIVE_INFINITY, 4],
    ['negative', -7, 4],
    ['a fraction', 7.5, 8],
    ['a text', '9', 4],
  ])('take a counter that is %s for what it is', (_what, output_tokens, outputTokens) => {
    const taken = { type: 'compaction', output_tokens: -1e9 };
    const { out } = play([
      start({ output_tokens: 4 }),
      ...end('end_turn', { output_tokens, iterations: [taken] }),
    ]);
    expect(out.at(-1)).toMatchObject({ usage: { outputTokens } });
  });

  it.each([
    [{ cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } }, 7],
    [{ cache_creation_input_tokens: 7, cache_creation: { ephemeral_5m_input_tokens: 7 } }, 7],
    [{ cache_creation_input_tokens: 9, cache_creation: { later: 'x', ephemeral_1h: -1 } }, 9],
    [{ cache_creation: null }, 0],
    [{ cache_creation: [5] }, 0],
  ])('counts what was written to the cache, in parts too: %j', (usage, cacheWriteTokens) => {
    const { out } = play([start(usage), ...end('end_turn', {})]);
    expect(out.at(-1)).toMatchObject({ usage: { cacheWriteTokens } });
  });

  it('holds what the API spent on summaries of its own, which stands beside the totals', () => {
    const own = { type: 'compaction', input_tokens: 100, output_tokens: 20 };
    const iterations = [own, { type: 'message', input_tokens: 10, output_tokens: 9 }];
    const { out } = play([
      start({ input_tokens: 10, output_tokens: 1 }),
      ...end('end_turn', { input_tokens: 10, output_tokens: 9, iterations }),
    ]);
    expect(out.at(-1)).toMatchObject({ usage: { inputTokens: 110, outputTokens: 29 } });
  });
});
