import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options, Query, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import type { RecordedRequest } from '../../support/scripted-api';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, all, lacks, resultOf, said } from './agent-sdk';

const { start, play, converse, home, project, lastRequest } = agentSdk();

/** Returns the messages of type `system` with a subtype. */
const told = (messages: readonly SDKMessage[], subtype: string) =>
  messages.filter((one) => one.type === 'system' && one.subtype === subtype);

test('what a hook prints is told while it runs', async (t) => {
  t.skip(lacks('hook_progress'));
  const mark = join(project(), 'go');
  const command = `echo begun; until [ -e ${mark} ]; do sleep 0.1; done; echo over`;
  const settings = { hooks: { Stop: [{ hooks: [{ type: 'command' as const, command }] }] } };
  const running = await start([reply('done')], { settings, includeHookEvents: true });
  const seen: SDKMessage[] = [];
  for await (const message of running) {
    seen.push(message);
    if (told([message], 'hook_progress').length > 0) await writeFile(mark, '');
  }
  expect(told(seen, 'hook_progress')[0]).toMatchObject({
    ...{ hook_event: 'Stop', stdout: 'begun\n', stderr: '', output: 'begun\n' },
    hook_id: Object(told(seen, 'hook_started').at(-1))['hook_id'],
  });
  expect(told(seen, 'hook_response').at(-1)).toMatchObject({ stdout: 'begun\nover\n' });
});

test('what a command says that needs no model is told', async (t) => {
  t.skip(lacks('local_command_output'));
  const messages = await play([], {}, '/cost');
  const [output] = told(messages, 'local_command_output');
  expect(output).toMatchObject({ content: expect.stringContaining('This session') });
  expect(resultOf(messages)).toMatchObject({
    subtype: 'success',
    result: Object(output)['content'],
  });
});

test('an answer that never takes the shape that was asked for is an error', async (t) => {
  t.skip(lacks('outputFormat'));
  const schema = { type: 'object', properties: { ducks: { type: 'number' } } };
  const outputFormat = { type: 'json_schema' as const, schema };
  const seen: SDKMessage[] = [];
  for await (const message of await start(() => reply('Three.'), { outputFormat })) {
    seen.push(message);
    // The SDK throws behind a result that is an error.
    if (message.type === 'result') break;
  }
  expect(resultOf(seen)).toMatchObject({
    ...{ subtype: 'error_max_structured_output_retries', is_error: true },
    errors: [expect.stringContaining('shape')],
  });
});

test('notes of earlier work that go along are named', async (t) => {
  t.skip(lacks('memory_recall'));
  const folder = join(
    ...[home(), '.claude', 'projects'],
    (await realpath(project())).replace(/[^A-Za-z0-9]/g, '-'),
    'memory',
  );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'parser.md'), 'The parser is slow.');
  await writeFile(join(project(), 'a.txt'), 'a\n'.repeat(100));
  let turn = 0;
  const script = ({ body }: RecordedRequest) => {
    if (JSON.stringify(body.system).includes('You choose notes')) return reply('1');
    turn += 1;
    const isTold = JSON.stringify(body.messages).includes('The parser is slow.');
    return isTold || turn > 60
      ? reply('done')
      : reply([toolUse('Read', { file_path: 'a.txt', offset: turn })]);
  };
  const canUseTool = async () => ({ behavior: 'deny' as const, message: 'no' });
  const messages = await play(script, { canUseTool }, prompts('why is the parser slow'));
  expect(told(messages, 'memory_recall')).toMatchObject([
    { mode: 'select', memories: [{ path: join(folder, 'parser.md'), scope: 'personal' }] },
  ]);
});

test('the end of a visit that a tool server asked for is told, of those it asked for', async (t) => {
  t.skip(lacks('elicitation_complete'));
  const visit = {
    type: 'stdio' as const,
    command: process.execPath,
    args: ['-e', VISIT],
    alwaysLoad: true,
  };
  const messages = await all(
    await start(
      [reply([toolUse('mcp__visit__pay', {})]), reply('Paid.')],
      {
        ...{ mcpServers: { visit }, allowedTools: ['mcp__visit'] },
        onElicitation: async () => ({ action: 'accept' as const }),
      },
      prompts('pay'),
    ),
  );
  expect(resultOf(messages)).toMatchObject({ result: 'Paid.' });
  expect(told(messages, 'elicitation_complete')).toMatchObject([
    { mcp_server_name: 'visit', elicitation_id: 'e1' },
  ]);
});

/** The requests of the SDK's query that its types leave out. */
interface Reporting extends Query {
  getStatus(): Promise<object>;
  exportConversation(): Promise<object>;
  askSideQuestion(question: string): Promise<object | null>;
}

test('a program is given the status, the conversation as text, and the begin of slow work', async (t) => {
  t.skip(lacks('control_request_progress'));
  const asked = Promise.withResolvers<void>();
  async function* input() {
    yield said('count');
    await asked.promise;
  }
  const running = (await start([reply('Two.'), reply('Aside.')], {}, input())) as Reporting;
  const seen: SDKMessage[] = [];
  for await (const message of running) {
    seen.push(message);
    if (message.type !== 'result') continue;
    expect(await running.exportConversation()).toEqual({
      text: '> count\n\n● Two.',
      default_filename: expect.stringMatching(/^\d{4}-\d\d-\d\d-count\.txt$/),
    });
    const folder = { label: 'Folder', value: await realpath(project()) };
    expect(JSON.stringify(await running.getStatus())).toContain(JSON.stringify(folder));
    expect(await running.askSideQuestion('And?')).toMatchObject({ response: 'Aside.' });
    asked.resolve();
  }
  expect(told(seen, 'control_request_progress')).toMatchObject([{ status: 'started' }]);
});

const DECLINES = reply('', {
  stopReason: 'refusal',
  stopDetails: { type: 'refusal', category: 'bio', explanation: 'Not that.' },
});
const WHY = { api_refusal_category: 'bio', api_refusal_explanation: 'Not that.' };

test('another model answers a prompt that one declined, where the program names one', async (t) => {
  t.skip(lacks('model_refusal_fallback'));
  const uuid = '55555555-5555-4555-8555-555555555555';
  async function* input() {
    yield { ...said('go'), uuid } as const;
  }
  const options = { model: 'claude-sonnet-5-5', fallbackModel: 'claude-haiku-5-5' };
  const messages = await play([DECLINES, reply('Fine.')], options, input());
  expect(told(messages, 'model_refusal_fallback')).toMatchObject([
    {
      ...{ trigger: 'refusal', direction: 'retry', scope: 'session', ...WHY },
      ...{ original_model: 'claude-sonnet-5-5', fallback_model: 'claude-haiku-5-5' },
      ...{ retracted_message_uuids: [], refused_user_message_uuid: uuid },
    },
  ]);
  expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'Fine.' });
  const alone: SDKMessage[] = [];
  for await (const message of await start([DECLINES])) {
    alone.push(message);
    // The SDK throws behind a result that is an error.
    if (message.type === 'result') break;
  }
  expect(told(alone, 'model_refusal_fallback')).toEqual([]);
  expect(told(alone, 'model_refusal_no_fallback')).toMatchObject([WHY]);
});

test('tokens of thinking that is not shown are counted as the API counts them', async (t) => {
  t.skip(lacks('SDKThinkingTokensMessage'));
  const counted = (tokens: number | null) => ({
    ...{ type: 'thinking_delta', thinking: '', estimated_tokens: tokens },
  });
  const thought = {
    kind: 'raw' as const,
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [counted(64), counted(null), counted(128), { type: 'signature_delta', signature: 's' }],
  };
  const messages = await play([reply([thought, 'Done.'])], {
    thinking: { type: 'adaptive', display: 'omitted' },
  });
  expect(told(messages, 'thinking_tokens')).toMatchObject([
    { estimated_tokens: 64, estimated_tokens_delta: 64 },
    { estimated_tokens: 192, estimated_tokens_delta: 128 },
  ]);
});

test('a program begins the conversation anew by /clear, and its hooks hear of the end and the beginning', async (t) => {
  t.skip(lacks('conversation_reset'));
  const uuid = '66666666-6666-4666-8666-666666666666';
  // The SDK hangs up behind the last prompt, and hears no hooks then.
  const heardAll = Promise.withResolvers<void>();
  async function* input() {
    yield said('count the geese');
    yield { ...said('/clear'), uuid } as const;
    yield said('count the ducks');
    await heardAll.promise;
  }
  const heard: unknown[] = [];
  const hear = [
    {
      hooks: [
        async (value: object) => {
          const { hook_event_name: event, source, reason } = Object(value);
          heard.push([event, source ?? reason]);
          if (heard.length > 2) heardAll.resolve();
          return {};
        },
      ],
    },
  ];
  const hooks = { SessionStart: hear, SessionEnd: hear };
  const messages = await play([reply('One.'), reply('Two.')], { hooks }, input());
  const { session_id: resume = '' } = resultOf(messages) ?? {};
  expect(messages.filter(({ type }) => type === 'conversation_reset')).toMatchObject([
    { trigger: 'clear', new_conversation_id: resume, user_message_uuid: uuid, session_id: resume },
  ]);
  expect(heard).toEqual([
    ['SessionStart', 'startup'],
    ['SessionEnd', 'clear'],
    ['SessionStart', 'clear'],
  ]);
  expect(lastRequest()).not.toContain('geese');
  await play([reply('Three.')], { resume }, 'and the swans');
  expect(lastRequest()).toContain('count the ducks');
  expect(lastRequest()).not.toContain('geese');
});

test('what calls came to is told in a few words, where the environment asks for it', async (t) => {
  t.skip(lacks('SDKToolUseSummaryMessage'));
  await writeFile(join(project(), 'a.txt'), 'geese');
  const calls = [
    toolUse('Read', { file_path: 'a.txt' }, 'toolu_a'),
    toolUse('Glob', { pattern: '*.txt' }, 'toolu_b'),
  ];
  const script = ({ body }: RecordedRequest) =>
    JSON.stringify(body.system).includes('You name what a coding agent just did')
      ? reply('Read about the geese')
      : reply(JSON.stringify(body.messages).includes('tool_result') ? 'Done.' : calls);
  const asks = { CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES: '1' };
  const options = { maxTurns: 5 };
  const seen = await all(await start(script, options, 'go', (env) => ({ ...env, ...asks })));
  expect(seen.filter(({ type }) => type === 'tool_use_summary')).toMatchObject([
    { summary: 'Read about the geese', preceding_tool_use_ids: ['toolu_a', 'toolu_b'] },
  ]);
  const plain = await play(script, options);
  expect(plain.filter(({ type }) => type === 'tool_use_summary')).toEqual([]);
});

async function* prompts(text: string) {
  yield said(text);
}

/** A tool server whose tool sends the user to an address, and says afterwards that it is done, and more than that. */
const VISIT = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const done = (elicitationId) => send({ method: 'notifications/elicitation/complete', params: { elicitationId } });
const tools = [{ name: 'pay', inputSchema: { type: 'object', properties: {} } }];
const elicitation = { mode: 'url', message: 'Pay', url: 'https://pay.example/', elicitationId: 'e1' };
let call = null;
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'visit', version: '1' };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') {
    call = id;
    send({ id: 'ask', method: 'elicitation/create', params: elicitation });
  } else if (id === 'ask') {
    done('other');
    done('e1');
    done('e1');
    send({ id: call, result: { content: [{ type: 'text', text: 'paid' }] } });
  } else if (id !== undefined) send({ id, result: {} });
});`;

test('a long wait for the API is a passing notice, which stands until it is over', async (t) => {
  t.skip(lacks('SDKNotificationMessage'));
  const busy = error(429, 'busy', { 'retry-after': '90' });
  const running = await start(() => busy);
  const seen: SDKMessage[] = [];
  for await (const message of running) {
    seen.push(message);
    if (told([message], 'notification').length > 0) break;
  }
  expect(told(seen, 'notification')).toMatchObject([
    {
      key: 'api_wait',
      priority: 'high',
      timeout_ms: 90_000,
      text: expect.stringContaining('2 min'),
    },
  ]);
  expect(told(seen, 'api_retry')).toMatchObject([{ retry_delay_ms: 90_000, error: 'rate_limit' }]);
});

const STAND_IN = { model: 'claude-sonnet-5-5', fallbackModel: 'claude-haiku-5-5' };
/** Answers of a program, and what then becomes of the prompt. The last one holds for the session. */
const DIALOGS = [
  ['edit_prompt', { is_error: false, terminal_reason: 'aborted_streaming' }, 0],
  [null, { is_error: true, stop_reason: 'refusal' }, 0],
  ['retry_fallback', { subtype: 'success', result: 'Fine.' }, 1],
] as const;
let dialogs: ReturnType<typeof converse> | null = null;
const asked: unknown[] = [];
test.skipIf(lacks('refusal_fallback_prompt')).each(DIALOGS)(
  'a program is asked whether another model may answer: %s',
  async (answer, end, retries) => {
    const onUserDialog: Options['onUserDialog'] = async (request) => {
      const result = DIALOGS[asked.push(request) - 1]?.[0] ?? null;
      return result === null ? { behavior: 'cancelled' } : { behavior: 'completed', result };
    };
    const options = {
      ...STAND_IN,
      supportedDialogKinds: ['refusal_fallback_prompt'],
      onUserDialog,
    };
    const script = [DECLINES, DECLINES, DECLINES, reply('Fine.')];
    dialogs ??= converse(script, options, ['one', 'two', 'three']);
    const at = DIALOGS.findIndex(([other]) => other === answer);
    const { messages: seen = [] } = (await dialogs)[at] ?? {};
    expect(asked).toHaveLength(DIALOGS.length);
    expect(asked[at]).toMatchObject({
      dialogKind: 'refusal_fallback_prompt',
      payload: { originalModel: STAND_IN.model, fallbackModel: STAND_IN.fallbackModel },
    });
    expect(resultOf(seen)).toMatchObject(end);
    expect(told(seen, 'model_refusal_fallback')).toHaveLength(retries);
    expect(told(seen, 'model_refusal_no_fallback')).toEqual([]);
  },
);

test('the limits of a plan are told where answers tell of them, once until they change', async (t) => {
  t.skip(lacks('SDKRateLimitInfo'));
  const limits = (used: string) => ({
    'anthropic-ratelimit-unified-status': 'allowed',
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-utilization': used,
    'anthropic-ratelimit-unified-5h-reset': '1764554400',
  });
  const glob = toolUse('Glob', { pattern: '*' });
  const messages = await play([
    reply([glob], { headers: limits('0.2') }),
    reply([glob], { headers: limits('0.2') }),
    reply('done', { headers: limits('0.3') }),
  ]);
  const info = { status: 'allowed', rateLimitType: 'five_hour', resetsAt: 1764554400 };
  expect(messages.filter(({ type }) => type === 'rate_limit_event')).toMatchObject([
    { rate_limit_info: { ...info, utilization: 0.2 } },
    { rate_limit_info: { ...info, utilization: 0.3 } },
  ]);
});
