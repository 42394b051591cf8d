import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClientConnection,
  type McpServer,
  methods,
  type PermissionOption,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import { type Choose, connectEditor, firstOf, kinds, textIn } from './editor';
import { lathe, makeWorkspace, type Run, type Workspace } from './lathe';

/** The parts that all tests share: a home, a server of the model, and while nothing ends it a run that an editor has started. */
let whole: Workspace;
let api: ScriptedApi;
let shared: Awaited<ReturnType<typeof begin>> | null = null;
const started: { readonly run: Run; readonly connection: ClientConnection }[] = [];
/** The home with a project of its own for one test. */
let workspace: Workspace;
/** The words of the model and the user in one test, and the requests that were there before it. */
let script: Script = [];
let choosing: Choose = () => null;
let before = 0;

beforeAll(async () => {
  whole = await makeWorkspace();
  api = await startScriptedApi((request) => {
    const number = api.requests.length - before - 1;
    if (typeof script === 'function') return script(request, number);
    return script[number] ?? error(400, 'the script has no answer left');
  });
});
afterAll(async () => {
  for (const { run, connection } of started) {
    connection.close();
    run.child.stdin.end();
    await run.finished;
  }
  await api.close();
  await whole.remove();
});
beforeEach(async () => {
  workspace = { ...whole, project: await mkdtemp(join(tmpdir(), 'lathe-project-')) };
});
afterEach(async () => {
  await rm(workspace.project, { recursive: true, force: true });
  // Nobody looks at a list of such sessions.
  expect(api.titleRequests).toEqual([]);
});

/** Starts Lathe as an editor does: the official client over the pipes of the built command line. */
async function begin(words: readonly string[]) {
  const run = lathe(whole, ['acp', ...words], {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  });
  const editor = connectEditor(run, (...question) => choosing(...question));
  started.push({ run, connection: editor.connection });
  const begun = await editor.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  return { ...editor, run, begun };
}

/** An editor for one test, in a run of its own only where that is started in another way. */
async function edit(says: Script, choose: Choose = () => null, words: readonly string[] = []) {
  script = says;
  choosing = choose;
  before = api.requests.length;
  if (words.length === 0) shared ??= await begin(words);
  const editor = (words.length === 0 ? shared : null) ?? (await begin(words));
  const { agent, updates, asked } = editor;
  updates.length = 0;
  asked.length = 0;
  const open = (mcpServers: McpServer[] = []) =>
    agent.request(methods.agent.session.new, { cwd: workspace.project, mcpServers });
  const prompt = (sessionId: string, text: string) =>
    agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
  return { ...editor, open, prompt };
}
const requests = () => api.requests.slice(before);

test('an editor opens a session, sees the work with its changes, and allows what is asked', async () => {
  const file = join(workspace.project, 'a.txt');
  const { begun, open, prompt, updates, asked } = await edit(
    [
      reply([
        { kind: 'thinking', text: 'Two lines.' },
        { kind: 'text', text: 'I write it.' },
        toolUse('TodoWrite', {
          todos: [{ content: 'Write', activeForm: 'Writing', status: 'in_progress' }],
        }),
        toolUse('Write', { file_path: file, content: 'one\ntwo\n' }),
      ]),
      reply([toolUse('Bash', { command: 'cat a.txt' })]),
      reply('All written.'),
    ],
    firstOf('allow_once'),
  );
  expect(begun).toMatchObject({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'lathe' },
    agentCapabilities: { loadSession: true },
  });
  const { sessionId, modes } = await open();
  expect(modes?.currentModeId).toBe('default');
  expect(modes?.availableModes.map(({ id }) => id)).not.toContain('bypassPermissions');
  await soon(() => expect(kinds(updates)).toContain('available_commands_update'));
  expect(await prompt(sessionId, 'write it')).toMatchObject({ stopReason: 'end_turn' });
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect(textIn(updates, 'agent_message_chunk')).toBe('I write it.All written.');
  const [question] = asked;
  expect(question?.toolCall).toMatchObject({
    kind: 'edit',
    content: [{ type: 'diff', oldText: null, newText: 'one\ntwo' }, expect.anything()],
  });
  expect(updates).toContainEqual({
    sessionUpdate: 'plan',
    entries: [{ content: 'Write', status: 'in_progress', priority: 'medium' }],
  });
  // Each call is told once as new, and ends.
  const calls = updates.flatMap((one) =>
    one.sessionUpdate === 'tool_call' ? [one.toolCallId] : [],
  );
  expect(new Set(calls).size).toBe(calls.length);
  const ended = updates.filter(
    (one) => one.sessionUpdate === 'tool_call_update' && one.status === 'completed',
  );
  expect(ended).toHaveLength(3);
  expect(JSON.stringify(ended)).toContain('one\\ntwo');
});

test('what is denied does not run, and what is allowed for the session is asked once', async () => {
  let answer: PermissionOption['kind'] = 'reject_once';
  const make = (name: string) => toolUse('Bash', { command: `touch ${name}` });
  const { open, prompt, updates, asked } = await edit(
    [
      reply([make('denied')]),
      reply('Not then.'),
      reply([make('x')]),
      reply([make('x')]),
      reply('Done.'),
    ],
    (options) => firstOf(answer)(options),
  );
  const { sessionId } = await open();
  await prompt(sessionId, 'one');
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'failed' }),
  );
  answer = 'allow_always';
  await prompt(sessionId, 'two');
  expect(asked).toHaveLength(2);
  await expect(readFile(join(workspace.project, 'denied'))).rejects.toThrow();
  expect(await readFile(join(workspace.project, 'x'), 'utf8')).toBe('');
});

test('a cancelled prompt stops its command, takes its question back, and the session goes on', async () => {
  const { agent, open, prompt, asked } = await edit([
    reply([toolUse('Bash', { command: 'touch never' })]),
    reply('Here again.'),
  ]);
  const { sessionId } = await open();
  const answered = prompt(sessionId, 'go');
  await soon(() => expect(asked).toHaveLength(1));
  await expect(prompt(sessionId, 'too early')).rejects.toThrow(/being answered/);
  await agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await answered).toMatchObject({ stopReason: 'cancelled' });
  expect(await prompt(sessionId, 'again')).toMatchObject({ stopReason: 'end_turn' });
});

test('a session is listed, loaded with its conversation in another run, and its mode is changed', async () => {
  const first = await edit([reply('Hello.'), reply('And on.')]);
  const { sessionId } = await first.open();
  await first.prompt(sessionId, 'greet');
  first.run.child.stdin.end();
  expect((await first.run.finished).code).toBe(0);
  shared = null;
  const { agent, updates } = await edit([reply('And on.')]);
  const { sessions } = await agent.request(methods.agent.session.list, { cwd: workspace.project });
  expect(sessions).toMatchObject([{ sessionId, title: 'greet' }]);
  const loaded = await agent.request(methods.agent.session.load, {
    sessionId,
    cwd: workspace.project,
    mcpServers: [],
  });
  expect(textIn(updates, 'user_message_chunk')).toBe('greet');
  expect(textIn(updates, 'agent_message_chunk')).toBe('Hello.');
  expect(loaded?.modes?.currentModeId).toBe('default');
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
  for (const modeId of ['bypassPermissions', 'nonsense'])
    await expect(
      agent.request(methods.agent.session.setMode, { sessionId, modeId }),
    ).rejects.toThrow();
  await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: 'text', text: 'look at ' },
      { type: 'resource', resource: { uri: 'file:///n.txt', text: 'a note' } },
    ],
  });
  expect(JSON.stringify(requests().at(-1)?.body)).toContain('a note');
  expect(JSON.stringify(requests().at(-1)?.body)).toContain('Hello.');
});

test('an empty prompt is refused and sends nothing, and an image goes along from a resource, too', async () => {
  const { agent, open, prompt } = await edit(() => reply('Seen.'));
  const { sessionId } = await open();
  await prompt(sessionId, 'first');
  for (const blocks of [[], [{ type: 'text', text: ' \n' }] as const])
    await expect(
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [...blocks] }),
    ).rejects.toThrow('The prompt is empty');
  expect(requests()).toHaveLength(1);
  const data = Buffer.from('a picture').toString('base64');
  await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [
      { type: 'image', mimeType: 'image/png', data },
      { type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: data } },
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: data } },
    ],
  });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  expect(requests().at(-1)?.body.messages.at(-1)?.content).toMatchObject([
    image,
    image,
    { type: 'text', text: expect.stringContaining('(not a text)') },
  ]);
});

test('a tool server of the editor is there; a folder, a session or a key that is not is said', async () => {
  const server = join(import.meta.dirname, '..', '..', '..', 'node_modules');
  const { agent, open, prompt } = await edit(() => reply('Seen.'));
  const { sessionId } = await open([
    {
      name: 'everything',
      command: process.execPath,
      args: [join(server, '@modelcontextprotocol/server-everything/dist/index.js')],
      env: [],
    },
  ]);
  await soon(async () => {
    await prompt(sessionId, 'what is there?');
    expect(JSON.stringify(requests().at(-1)?.body)).toContain('mcp__everything__');
  });
  const load = (id: string, cwd: string) =>
    agent.request(methods.agent.session.load, { sessionId: id, cwd, mcpServers: [] });
  await expect(load('0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10', workspace.project)).rejects.toThrow(
    /0b6f2c1e/,
  );
  await expect(
    agent.request(methods.agent.session.new, { cwd: '/no/such/folder', mcpServers: [] }),
  ).rejects.toThrow(/no\/such\/folder/);
  await expect(prompt('nobody', 'hi')).rejects.toThrow();
});

test('an editor chooses the effort of a session where the model has levels of it', async () => {
  const { agent, open, prompt } = await edit([reply('Hello.'), reply('Again.')]);
  const { sessionId, configOptions } = await open();
  const effortOf = (options: typeof configOptions) => options?.find(({ id }) => id === 'effort');
  expect(effortOf(configOptions)).toMatchObject({ category: 'thought_level', type: 'select' });
  const choose = (configId: string, value: string) =>
    agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
  const chosen = await choose('effort', 'low');
  expect(effortOf(chosen.configOptions)).toMatchObject({ currentValue: 'low' });
  await prompt(sessionId, 'hi');
  expect(requests()[0]?.body).toMatchObject({ output_config: { effort: 'low' } });
  await expect(choose('effort', 'nope')).rejects.toMatchObject({ code: -32_602 });
});

test('an editor is offered no effort for a model that has no levels of it', async () => {
  const { open } = await edit([], () => null, ['--model', 'claude-haiku-4-5']);
  const { configOptions } = await open();
  expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'model']);
});

test('an editor chooses the model and the mode of a session by its options, and hears of other choices', async () => {
  const { agent, open, prompt, updates } = await edit([reply('Hello.'), reply('Again.')]);
  const { sessionId, configOptions } = await open();
  const choices = (options: typeof configOptions) =>
    Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]));
  expect(choices(configOptions)).toMatchObject({ mode: 'default' });
  const model = configOptions?.find(({ id }) => id === 'model');
  const haiku = JSON.stringify(model).match(/"value":"(claude-haiku[^"]*)"/)?.[1] ?? '';
  const choose = (configId: string, value: string) =>
    agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
  expect(choices((await choose('model', haiku)).configOptions)).toMatchObject({ model: haiku });
  expect(choices((await choose('mode', 'plan')).configOptions)).toMatchObject({ mode: 'plan' });
  await prompt(sessionId, 'hi');
  expect(requests()[0]?.body.model).toBe(haiku);
  await prompt(sessionId, '/model opus');
  const told = updates.flatMap((one) =>
    one.sessionUpdate === 'config_option_update' ? [choices(one.configOptions)] : [],
  );
  expect(told).toEqual([
    { mode: 'plan', model: expect.stringContaining('opus'), effort: expect.any(String) },
  ]);
  const refused = { code: -32_602 };
  await expect(choose('model', 'claude-nope-9')).rejects.toMatchObject(refused);
  await expect(choose('mode', 'nope')).rejects.toMatchObject(refused);
  await expect(choose('weather', 'sunny')).rejects.toMatchObject(refused);
  await expect(prompt(sessionId, '')).rejects.toMatchObject(refused);
  const place = { cwd: workspace.project, mcpServers: [] };
  await expect(
    agent.request(methods.agent.session.load, { ...place, sessionId: 'nope' }),
  ).rejects.toMatchObject({ code: -32_002 });
});

test('an editor deletes a session, open or not, which can be had back', async () => {
  const { agent, begun, open, prompt } = await edit(() => reply('Hello.'));
  expect(begun.agentCapabilities?.sessionCapabilities?.delete).toEqual({});
  const ids: string[] = [];
  for (const text of ['one', 'two']) {
    const { sessionId } = await open();
    await prompt(sessionId, text);
    ids.push(sessionId);
  }
  const [closed = '', shown = ''] = ids;
  await agent.request(methods.agent.session.close, { sessionId: closed });
  const listed = async () =>
    (await agent.request(methods.agent.session.list, { cwd: workspace.project })).sessions.map(
      ({ sessionId }) => sessionId,
    );
  for (const sessionId of [closed, shown]) {
    await agent.request(methods.agent.session.delete, { sessionId });
    expect(await listed()).not.toContain(sessionId);
    await expect(prompt(sessionId, 'more')).rejects.toThrow();
  }
  // The client takes what is gone for deleted.
  expect(await agent.request(methods.agent.session.delete, { sessionId: closed })).toEqual({});
  const restoring = lathe(workspace, ['sessions', 'restore', closed]);
  restoring.child.stdin.end();
  expect((await restoring.finished).code).toBe(0);
  expect(await listed()).toEqual([closed]);
});
