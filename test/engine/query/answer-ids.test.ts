import { expect, it } from 'vitest';
import { createEchoTool } from '../../support/echo-tool';
import { raw, reply, toolUse, wire } from '../../support/scripted-api-replies';
import { endOf, ofType, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();

/** An answer of a server that gives every answer the same id. */
const answer = (stopReason: string, block: object, delta: object) =>
  raw(
    wire({
      type: 'message_start',
      message: { id: 'msg_same', model: 'claude-sonnet-5-5', usage: { input_tokens: 5 } },
    }),
    wire({ type: 'content_block_start', index: 0, content_block: block }),
    wire({ type: 'content_block_delta', index: 0, delta }),
    wire({ type: 'content_block_stop', index: 0 }),
    wire({
      type: 'message_delta',
      delta: { stop_reason: stopReason },
      usage: { output_tokens: 7 },
    }),
    wire({ type: 'message_stop' }),
  );
const call = (id: string) =>
  answer(
    'tool_use',
    { type: 'tool_use', id, name: 'Read', input: {} },
    { type: 'input_json_delta', partial_json: `{"file_path":"/nowhere/${id}"}` },
  );
const says = (words: string, stopReason = 'end_turn') =>
  answer(stopReason, { type: 'text', text: '' }, { type: 'text_delta', text: words });

const rolesOf = (messages: readonly { readonly role: string }[] = []) =>
  messages.map((m) => m.role).join(' ');

it('answers with one and the same id stay answers of their own', async () => {
  const t = await start([call('a'), call('b'), says('done')]);
  const events = await t.run('go');
  expect(endOf(events).text).toBe('done');
  expect(t.api.requests.map((r) => rolesOf(r.body.messages))).toEqual([
    'user',
    'user assistant user',
    'user assistant user assistant user',
  ]);
  const ids = ofType(events, 'message_finished').map((e) => e.messageId);
  expect(ids[0]).toBe('msg_same');
  expect(new Set(ids).size).toBe(3);
});

it('an answer that is taken back takes no earlier one of the same id along', async () => {
  const t = await start([call('a'), says('cut', 'max_tokens'), says('whole')]);
  expect(endOf(await t.run('go')).text).toBe('whole');
  expect(rolesOf(t.api.requests[2]?.body.messages)).toBe('user assistant user');
});

/** Returns what the result of each call says, in the order of the calls. */
const resultsIn = (said: string) =>
  [...said.matchAll(/"tool_use_id":"([^"]+)","content":\[{"type":"text","text":"(\w+)"/g)].map(
    ([, id, text]) => [id, text],
  );

it('two calls of one response with one id have their own results', async () => {
  const t = await start(
    [
      reply([
        toolUse('Echo', { text: 'first', after: 'second' }, 'same'),
        toolUse('Echo', { text: 'second' }, 'same'),
      ]),
      reply([toolUse('Echo', { text: 'third' }, 'same')]),
      reply('done'),
      reply([toolUse('Echo', { text: 'fourth' }, 'same')]),
      reply('done'),
    ],
    { tools: [createEchoTool()] },
  );
  const events = await t.run('go');
  expect(ofType(events, 'call_settled').map(({ callId }) => callId)).toEqual([
    'same_2',
    'same',
    'same_3',
  ]);
  expect(ofType(events, 'block_started').map(({ callId }) => callId)).toEqual([
    'same',
    'same_2',
    'same_3',
    undefined,
  ]);
  expect(resultsIn(saidIn(t.api, 2))).toEqual([
    ['same', 'first'],
    ['same_2', 'second'],
    ['same_3', 'third'],
  ]);
  await t.reopen();
  await t.run('more');
  expect(resultsIn(saidIn(t.api, 4)).at(-1)).toEqual(['same_4', 'fourth']);
  expect(t.session.log.transcript().committed.filter(({ kind }) => kind === 'call')).toHaveLength(
    4,
  );
});

it('calls without an id have their own results', async () => {
  const t = await start(
    [
      reply([toolUse('Echo', { text: 'first' }, ''), toolUse('Echo', { text: 'second' }, '')]),
      reply('done'),
    ],
    { tools: [createEchoTool()] },
  );
  const events = await t.run('go');
  expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'done' });
  const settled = ofType(events, 'call_settled').map(({ callId }) => callId);
  expect(new Set(settled).size).toBe(2);
  expect(settled).not.toContain('');
  expect(resultsIn(saidIn(t.api, 1)).map(([, text]) => text)).toEqual(['first', 'second']);
});
