import { describe, expect, it } from 'vitest';
import { startScriptedApi } from './scripted-api';
import { refusal, type WireRequest } from './scripted-api-check';
import { reply, thinking, toolUse } from './scripted-api-replies';

const text = (value: string) => [{ type: 'text', text: value }];
const request = (messages: unknown, rest: object = {}): WireRequest =>
  JSON.parse(JSON.stringify({ model: 'm', max_tokens: 1, messages, ...rest }));
const use = { type: 'tool_use', id: 'x', name: 'T', input: {} };
const result = { type: 'tool_result', tool_use_id: 'x', content: 'r' };
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('the scripted API refuses what the API refuses', () => {
  it.each([
    ['no messages', request([]), /at least one/],
    ['assistant first', request([assistant('a'), user('b')]), /first message/],
    ['the same role twice', request([user('a'), user('b')]), /alternate/],
    ['a prefill', request([user('a'), assistant('b')]), /prefill/],
    ['blank text', request([user(text(' '))]), /non-whitespace/],
    ['an open call', request([user('a'), assistant([use]), user('b')]), /without `tool_result`/],
    ['a stray result', request([user([result])]), /unexpected `tool_use_id`/],
    [
      'two results',
      request([user('a'), assistant([use]), user([result, result])]),
      /single result/,
    ],
    [
      'results after text',
      request([user('a'), assistant([use]), user([...text('b'), result])]),
      /come first/,
    ],
    ['an id twice', request([user('a'), assistant([use, use]), user([result])]), /unique/],
    [
      'thinking at the end',
      request([user('a'), assistant([{ type: 'thinking', signature: 's' }]), user('b')]),
      /final block/,
    ],
    [
      'five breakpoints',
      request([user(Array.from({ length: 5 }, () => ({ ...text('a')[0], cache_control: {} })))]),
      /maximum of 4/,
    ],
    ['temperature', request([user('a')], { temperature: 1 }), /temperature/],
    ['a forced tool', request([user('a')], { tool_choice: { type: 'any' } }), /tool_choice/],
    ['a tool twice', request([user('a')], { tools: [{ name: 'T' }, { name: 'T' }] }), /unique/],
    [
      'a binding without its beta',
      request([user('a')], { thinking: { block_binding: {} } }),
      /Extra inputs/,
    ],
  ])('%s', (_, body, words) => {
    expect(refusal(body, [])).toMatch(words);
  });

  it('and takes a good history', () => {
    const messages = [
      user('a'),
      assistant([use]),
      user([result, ...text('b')]),
      assistant('c'),
      user('d'),
    ];
    expect(refusal(request(messages), [])).toBeNull();
  });
});

describe('the scripted API', () => {
  const post = (url: string, body: object) =>
    fetch(`${url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) });

  it('streams, answers whole, records, and says when its script has run out', async () => {
    const api = await startScriptedApi([
      reply(['hello', toolUse('T', { a: 1 }, 'id1')]),
      reply([thinking('hm'), 'whole']),
    ]);
    const ask = request([user('a')]);
    const streamed = await (await post(api.url, { ...ask, stream: true })).text();
    expect(streamed).toMatch(/^event: message_start\n[\s\S]*event: message_stop\ndata: .*\n\n$/);
    expect(await (await post(api.url, ask)).json()).toMatchObject({
      content: [{ type: 'thinking' }, { type: 'text', text: 'whole' }],
      stop_reason: 'end_turn',
    });
    const none = await post(api.url, ask);
    expect(none.status).toBe(400);
    expect(await none.text()).toContain('no answer left');
    expect(api.requests).toHaveLength(3);
    await api.close();
  });

  it('refuses over the wire and remembers it', async () => {
    const api = await startScriptedApi([reply('x')]);
    const answer = await post(api.url, request([assistant('a')]));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(api.refusals).toHaveLength(1);
    await api.close();
  });
});
