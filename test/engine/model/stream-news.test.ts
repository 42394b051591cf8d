import { Stream } from '@anthropic-ai/sdk/core/streaming';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/runs';
import { close, delta, end, finished, json, open, play, start, toolBlock } from './stream-events';

describe('what a newer API sends', () => {
  it('keeps citations with their text, in their order', () => {
    const cite = (cited_text: string) => ({
      type: 'citations_delta',
      citation: { type: 'char_location', cited_text },
    });
    const { out } = play([
      start(),
      open(0, { type: 'text', text: '', citations: null }),
      delta(0, { type: 'text_delta', text: 'So it is' }),
      delta(0, cite('one')),
      delta(0, cite('two')),
      close(0),
      ...end(),
    ]);
    expect(finished(out)).toEqual([
      {
        type: 'text',
        text: 'So it is',
        citations: [
          { type: 'char_location', cited_text: 'one' },
          { type: 'char_location', cited_text: 'two' },
        ],
      },
    ]);
  });

  it('keeps compaction blocks and server tools as they came', () => {
    const { out } = play([
      start(),
      open(0, { type: 'compaction', content: null, encrypted_content: null }),
      delta(0, { type: 'compaction_delta', content: 'summary', encrypted_content: 'x1' }),
      close(0),
      open(1, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      json(1, '{"query":"la'),
      json(1, 'the"}'),
      close(1),
      open(2, { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] }),
      close(2),
      ...end(),
    ]);
    expect(finished(out).map((block) => (block.type === 'other' ? block.raw : null))).toEqual([
      { type: 'compaction', content: 'summary', encrypted_content: 'x1' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'lathe' } },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'u' }] },
    ]);
  });

  it('tells why the prompt cache was missed', () => {
    const diagnostics = { cache_miss_reason: { type: 'tools_changed' } };
    const { out } = play([{ type: 'message_start', message: { diagnostics } }, ...end()]);
    expect(out.at(-1)).toMatchObject({ type: 'completed', cacheMissReason: 'tools_changed' });
  });

  it('gives a sign of life for whatever shows nothing', () => {
    const { out } = play([start(), { type: 'ping' }, { type: 'weather' }, 7, ...end()]);
    expect(out.filter((e) => e.type === 'alive')).toEqual([
      { type: 'alive', content: false },
      { type: 'alive', content: false },
      { type: 'alive', content: false },
      { type: 'alive', content: true },
    ]);
  });
});

describe('what counts as content, so that an answer without an end is cut', () => {
  const text = { type: 'text', text: '' };
  const other = { type: 'later' };
  const cite = (citation: unknown) => ({ type: 'citations_delta', citation });
  const input = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
  it.each<[what: string, block: object, d: object, counts: boolean]>([
    ['text', text, { type: 'text_delta', text: 'a' }, true],
    ['no text', text, { type: 'text_delta', text: '' }, false],
    ['no text beside something', text, { type: 'text_delta', text: '', more: 'a' }, false],
    ['a citation', text, cite({ type: 'char_location' }), true],
    ['no citation', text, cite(null), false],
    ['a piece of another kind', text, { type: 'thinking_delta', thinking: 'a' }, false],
    ['a thought', { type: 'thinking' }, { type: 'thinking_delta', thinking: 'a' }, true],
    ['no thought', { type: 'thinking' }, { type: 'thinking_delta', thinking: '' }, false],
    ['a signature', { type: 'thinking' }, { type: 'signature_delta', signature: 'a' }, true],
    ['no signature', { type: 'thinking' }, { type: 'signature_delta', signature: '' }, false],
    ['input', toolBlock, input('{'), true],
    ['no input', toolBlock, input(''), false],
    ['input of a server tool', other, input('{'), true],
    ['no input of a server tool', other, input(''), false],
    ['a field of a new kind', other, { type: 'later', field: 'a' }, true],
    ['an object of a new kind', other, { type: 'later', field: { a: 1 } }, true],
    ['no field of a new kind', other, { type: 'later', field: '', none: null, at: 7 }, false],
    ['nothing of a new kind', other, { type: 'later' }, false],
  ])('%s', (_, block, d, counts) => {
    const { out } = play([start(), open(0, block), delta(0, d)]);
    const last = out.at(-1);
    expect(last?.type === 'alive' ? last.content : true).toBe(counts);
  });

  it('a reason to stop does once, a count of tokens does not', () => {
    const told = (stop_reason: string | null, output_tokens: number) => ({
      type: 'message_delta',
      delta: { stop_reason },
      usage: { output_tokens },
    });
    const { out } = play([start(), told(null, 1), told('end_turn', 2), told('end_turn', 3)]);
    expect(out.flatMap((e) => (e.type === 'alive' ? [e.content] : []))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('the bytes of a stream', () => {
  const events = [
    start({ input_tokens: 3 }),
    { type: 'ping' },
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'häß 👩🏽‍🚀' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    close(0),
    open(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Grüße\n\n日本 ' }),
    close(1),
    open(2, toolBlock),
    json(2, '{"command":"echo 👋'),
    json(2, ' \\u00e9"}'),
    close(2),
    ...end('tool_use', { output_tokens: 9 }),
  ];
  const bytes = new TextEncoder().encode(
    events.map((e) => `event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`).join(''),
  );

  it('give the same answer, wherever they are cut', async () => {
    const whole = play(events).out;
    const cuts = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...new Set(places.toSorted((a, b) => a - b)), bytes.length];
        const body = new ReadableStream<Uint8Array>({
          start: (out) => {
            for (let i = 1; i < edges.length; i += 1)
              out.enqueue(bytes.subarray(edges[i - 1], edges[i]));
            out.close();
          },
        });
        const received: unknown[] = [];
        for await (const raw of Stream.rawEvents(new Response(body)))
          received.push(JSON.parse(raw.data));
        expect(play(received).out).toEqual(whole);
      }),
      { numRuns: runs(60) },
    );
  });
});
