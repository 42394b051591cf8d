import { afterEach, describe, expect, it } from 'vitest';
import { placeCacheBreakpoints } from '../../../src/main/engine/messages/cache';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import type { ModelEvent, ModelRequest } from '../../../src/main/engine/model/model-client';
import type { AssistantMessage, Message } from '../../../src/shared/message';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import {
  drop,
  error,
  raw,
  reply,
  reset,
  thinking,
  toolUse,
} from '../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock, typesOf } from './fakes';

let api: ScriptedApi;
const serve = async (script: Script) => {
  api = await startScriptedApi(script);
  return api;
};
afterEach(() => api.close());

/** The smallest honest loop: what a conversation needs of these parts, and nothing more. */
function conversation(model = 'claude-opus-5-5') {
  const history: Message[] = [];
  const state = { model, context: 'facts of today', freshFrom: '' };
  const client = clientFor(api.url);
  const request = (): ModelRequest => {
    const { freshFrom, ...rest } = state;
    const messages = normalizeMessages(history, freshFrom === '' ? rest : { ...rest, freshFrom });
    const tools = [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }];
    const system = ['static', 'dynamic'].map((text) => ({ type: 'text' as const, text }));
    return {
      ...ask(''),
      model: state.model,
      ...placeCacheBreakpoints({ system, tools, messages }),
    };
  };
  const turn = async (content: Message): Promise<ModelEvent[]> => {
    history.push(content);
    const events = await collect(client, request());
    const answer: AssistantMessage = {
      role: 'assistant',
      id: `a${history.length}`,
      model: state.model,
      content: events.flatMap((e) => (e.type === 'block_finished' ? [e.block] : [])),
    };
    history.push(answer);
    return events;
  };
  const say = (text: string) =>
    turn({ role: 'user', id: `u${history.length}`, content: [{ type: 'text', text }] });
  const results = () => {
    const last = history.at(-1);
    const calls =
      last?.role === 'assistant' ? last.content.filter((b) => b.type === 'tool_use') : [];
    return turn({
      role: 'user',
      id: `u${history.length}`,
      content: calls.map((c) => ({
        type: 'tool_result' as const,
        tool_use_id: c.id,
        content: [{ type: 'text' as const, text: 'contents' }],
      })),
    });
  };
  return { state, history, say, results };
}

const sentThinking = (n: number): string[] =>
  JSON.stringify(api.requests[n]?.body.messages).match(/"thinking":"[^"]*"/g) ?? [];

describe('a conversation', () => {
  it('with tools and thinking stays acceptable, and every request extends the one before', async () => {
    await serve([
      reply([thinking('one'), 'let me look', toolUse('Read', { a: 1 }), toolUse('Read', { a: 2 })]),
      reply([thinking('two'), toolUse('Read', {})]),
      reply('done'),
      reply([thinking('three'), 'again']),
      reply('end'),
    ]);
    const talk = conversation();
    await talk.say('hello');
    await talk.results();
    await talk.results();
    await talk.say('more');
    await talk.say('and more');
    expect(api.refusals).toEqual([]);
    expect(sentThinking(4)).toHaveLength(3);
    const bare = api.requests.map((r) =>
      r.body.messages.map((m) =>
        JSON.stringify(m).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
      ),
    );
    for (const [i, messages] of bare.entries())
      if (i > 0) expect(messages.slice(0, bare[i - 1]?.length)).toEqual(bare[i - 1]);
    const marks = api.requests.map((r) => JSON.stringify(r.body).match(/cache_control/g)?.length);
    expect(marks).toEqual([4, 4, 4, 4, 4]);
  });

  it('survives a switch of the model and back', async () => {
    await serve((_, n) => reply([thinking(`t${n}`), `answer ${n}`]));
    const talk = conversation();
    await talk.say('1');
    talk.state.model = 'claude-sonnet-5-5';
    await talk.say('2');
    await talk.say('3');
    talk.state.model = 'claude-opus-5-5';
    await talk.say('4');
    expect(api.refusals).toEqual([]);
    expect(sentThinking(2)).toEqual(['"thinking":"t1"']);
    expect(sentThinking(3)).toEqual(['"thinking":"t0"']);
  });

  it('survives a changed prefix: told, nothing is refused; untold, the request is repaired', async () => {
    await serve((_, n) => reply([thinking(`t${n}`), `answer ${n}`]));
    const talk = conversation();
    await talk.say('1');
    talk.state.context = 'facts of tomorrow';
    const events = await talk.say('2');
    expect(events.at(-1)?.type).toBe('message_finished');
    expect(api.refusals).toEqual([expect.stringContaining('bound to a different prefix')]);
    talk.state.context = 'facts of next week';
    talk.state.freshFrom = `u${talk.history.length}`;
    await talk.say('3');
    await talk.say('4');
    expect(api.refusals).toHaveLength(1);
    expect(sentThinking(api.requests.length - 1)).toEqual(['"thinking":"t2"']);
  });
});

describe('failures on the wire', () => {
  it.each([408, 409, 429, 500, 502, 503, 529])('%i is tried again', async (status) => {
    await serve([error(status), error(status), reply('ok')]);
    expect(typesOf(await collect(clientFor(api.url), ask('x'))).at(-1)).toBe('message_finished');
    expect(api.requests).toHaveLength(3);
  });

  it.each([400, 401, 402, 403, 413, 422])('%i is not', async (status) => {
    await serve([error(status), reply('ok')]);
    expect(typesOf(await collect(clientFor(api.url), ask('x')))).toEqual(['failed']);
    expect(api.requests).toHaveLength(1);
  });

  it('a stream refused with 404 is asked for in one piece, and the next answers at once so', async () => {
    await serve((r) => (r.body.stream ? error(404) : reply('whole')));
    const client = clientFor(api.url);
    const events = await collect(client, ask('x'));
    expect(events[0]).toMatchObject({ type: 'notice', code: 'stream_refused' });
    expect(typesOf(events).slice(1)).toEqual(typesOf(await collect(client, ask('y'))));
    expect(events.at(-1)?.type).toBe('message_finished');
    expect(api.requests.map((r) => r.body.stream)).toEqual([true, undefined, undefined]);
  });

  it('streams that come garbled twice in a row are asked for no more; one that is whole counts anew', async () => {
    const garbled = raw(
      'data: {"type":"message_start"}\n\ndata: {"type":"content_block_stop"}\n\n',
    );
    const streams = [garbled, reply('whole'), garbled, garbled];
    await serve(
      ({ body }) => (body.stream === true ? streams.shift() : undefined) ?? reply('fine'),
    );
    const client = clientFor(api.url);
    const told: string[] = [];
    for (let i = 0; i < 6; i += 1)
      for (const event of await collect(client, ask('x')))
        if (event.type === 'notice') told.push(event.text.replace(/^.*?open\. /, ''));
    expect(api.requests.map(({ body }) => body.stream === true)).toEqual([
      true,
      false,
      true,
      true,
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(told).toEqual([
      'Asking for the answer in one piece instead.',
      'Asking for the answer in one piece instead.',
      'It was not the first: from here on answers come in one piece.',
    ]);
  });

  it('what is not there in one piece either is told; the next request may stream again', async () => {
    await serve([error(404), error(404, 'model: gone'), reply('streamed')]);
    const client = clientFor(api.url);
    expect(await collect(client, ask('x'))).toMatchObject([
      {
        type: 'failed',
        error: { kind: 'not_found', message: expect.stringContaining('no model') },
      },
    ]);
    expect(typesOf(await collect(client, ask('y'))).at(-1)).toBe('message_finished');
    expect(api.requests.map((r) => r.body.stream)).toEqual([true, undefined, true]);
  });

  it('a dropped connection is tried again, with the waits the server asks for', async () => {
    await serve([drop(), error(429, 'slow down', { 'retry-after': '17' }), reply('ok')]);
    const clock = fakeClock();
    const events = await collect(clientFor(api.url, { clock }), ask('x'));
    expect(clock.slept).toEqual([500, 17_000]);
    expect(events.at(-1)?.type).toBe('message_finished');
  });

  it('an answer cut in its text is asked for anew; one with a finished call ends there', async () => {
    await serve([
      reset(reply('a long text that will be cut in the middle of it all'), 5),
      reply('whole'),
      reset(reply([toolUse('Read', {}), 'and then']), 6),
      reply('never asked for'),
    ]);
    const first = await collect(clientFor(api.url), ask('x'));
    expect(typesOf(first)).toContain('message_voided');
    expect(first.findLast((e) => e.type === 'block_finished')).toMatchObject({
      block: { text: 'whole' },
    });
    const second = await collect(clientFor(api.url), ask('y'));
    expect(typesOf(second)).not.toContain('message_voided');
    expect(second.at(-1)).toMatchObject({ type: 'message_finished', stopReason: 'tool_use' });
    expect(second).toContainEqual(expect.objectContaining({ type: 'notice', code: 'answer_cut' }));
    expect(api.requests.map((r) => r.body.stream)).toEqual([true, undefined, true]);
  });

  it('three overloads in a row bring the fallback model', async () => {
    await serve((r) => (r.body.model === 'claude-opus-5-5' ? error(529) : reply('from the other')));
    const client = clientFor(api.url, { fallbackModels: ['claude-sonnet-5-5'] });
    const events = await collect(client, ask('x'));
    expect(api.requests.map((r) => r.body.model)).toEqual([
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ]);
    expect(events).toContainEqual({
      type: 'model_fallback',
      from: 'claude-opus-5-5',
      to: 'claude-sonnet-5-5',
    });
    expect(events.at(-1)?.type).toBe('message_finished');
  });
});
