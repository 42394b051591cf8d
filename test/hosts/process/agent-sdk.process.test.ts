import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, all, lacks, resultOf, said } from './agent-sdk';
import { makeWorkspace } from './lathe';

const { start, play, home, project, requests, lastRequest, written } = agentSdk();

/** Returns a prompt that comes when `begin` is called, and not before. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* prompts() {
    await promise;
    yield said('go');
  }
  return { prompts, begin: resolve };
}

test('a prompt is answered', async () => {
  const messages = await play([reply('Hello there')]);
  const kinds = messages.map((one) => ('subtype' in one ? one.subtype : one.type));
  const states = 'session_state_changed';
  expect(kinds).toEqual(['init', states, 'status', 'assistant', 'success', states]);
  expect(messages[0]).toMatchObject({ subtype: 'init', cwd: project() });
  expect(resultOf(messages)).toMatchObject({ subtype: 'success', result: 'Hello there' });
});

test('prompts that stream in are answered in one session, with partial messages', async () => {
  async function* prompts() {
    yield said('one');
    yield said('two');
  }
  const options = { includePartialMessages: true };
  const messages = await play([reply('first'), reply('second')], options, prompts());
  const results = messages.filter(({ type }) => type === 'result');
  expect(results).toMatchObject([{ result: 'first' }, { result: 'second' }]);
  const streamed = messages.flatMap((one) => (one.type === 'stream_event' ? one.event.type : []));
  expect(streamed).toContain('content_block_delta');
  expect(lastRequest()).toContain('two');
});

test('servers that the program names are started, in a folder that nobody trusts', async () => {
  const server = join(
    import.meta.dirname,
    '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  );
  const { prompts, begin } = held();
  const everything = { type: 'stdio' as const, command: process.execPath, args: [server, 'stdio'] };
  const running = await start([reply('done')], { mcpServers: { everything } }, prompts());
  await expect
    .poll(() => running.mcpServerStatus())
    .toMatchObject([{ name: 'everything', status: 'connected' }]);
  begin();
  expect(resultOf(await all(running))).toMatchObject({ result: 'done' });
});

test('mode, model and thinking change in the middle, and the session tells what it has', async () => {
  const { prompts, begin } = held();
  const running = await start([reply('done')], {}, prompts());
  await running.setModel('haiku');
  await running.setMaxThinkingTokens(2_000);
  await running.setPermissionMode('acceptEdits');
  await expect(running.setPermissionMode('bypassPermissions')).rejects.toThrow(/not started with/);
  expect(await running.supportedCommands()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'compact', builtin: true }),
      expect.objectContaining({ name: 'clear', aliases: ['reset', 'new'] }),
    ]),
  );
  const models = await running.supportedModels();
  expect(models.map(({ value }) => value)).toContain('sonnet');
  const byMode = models.find(({ value }) => value === 'opusplan');
  expect(byMode).toMatchObject({ resolvedModel: 'claude-sonnet-5-5' });
  expect(await running.accountInfo()).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
  expect(await running.mcpServerStatus()).toEqual([]);
  begin();
  const messages = await all(running);
  expect(messages[0]).toMatchObject({ permissionMode: 'acceptEdits' });
  expect(requests()[0]?.body.model).toContain('haiku');
});

test('a model that depends on the mode is one a program can choose, and plans with another than it works with', async () => {
  const running = await start([reply('done')], { model: 'opusplan', permissionMode: 'plan' });
  const messages = await all(running);
  expect(messages[0]).toMatchObject({ permissionMode: 'plan', model: 'claude-opus-5-5' });
  expect(requests()[0]?.body.model).toBe('claude-opus-5-5');
});

test('files go back to a prompt, what somebody else changed stays, and a dry run changes nothing', async (t) => {
  t.skip(lacks('rewindFiles'));
  let goOn = () => {};
  const rewound = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* prompts() {
    yield said('first');
    await rewound;
  }
  const command = 'printf one > a.txt; printf two > b.txt';
  const script = [reply([toolUse('Bash', { command })]), reply('done')];
  const running = await start(
    script,
    {
      allowedTools: ['Bash'],
      permissionMode: 'acceptEdits',
      enableFileCheckpointing: true,
      extraArgs: { 'replay-user-messages': null },
    },
    prompts(),
  );
  let promptId = '';
  for await (const message of running) {
    if (message.type === 'user' && 'isReplay' in message) promptId = message.uuid ?? '';
    if (message.type !== 'result') continue;
    expect(await written('a.txt')).toBe('one');
    await writeFile(join(project(), 'b.txt'), 'mine');
    const told = { canRewind: true, filesChanged: ['a.txt'], filesLeft: ['b.txt'] };
    expect(await running.rewindFiles(promptId, { dryRun: true })).toMatchObject(told);
    expect(await written('a.txt')).toBe('one');
    expect(await running.rewindFiles(promptId)).toMatchObject(told);
    expect(await running.rewindFiles('nobody')).toMatchObject({ canRewind: false });
    goOn();
  }
  expect(await written('a.txt')).toBeNull();
  expect(await written('b.txt')).toBe('mine');
});

test('an interrupt ends the query, and the session goes on', async () => {
  let goOn = () => {};
  const stopped = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* prompts() {
    yield said('begin');
    await stopped;
    yield said('and now?');
  }
  const script = [reply([toolUse('Bash', { command: 'sleep 600' })]), reply('still here')];
  const running = await start(script, { allowedTools: ['Bash'] }, prompts());
  const results: unknown[] = [];
  for await (const message of running) {
    if (message.type === 'assistant' && results.length === 0) await running.interrupt();
    if (message.type !== 'result') continue;
    results.push(message);
    goOn();
  }
  expect(results).toMatchObject([
    { subtype: 'error_during_execution' },
    { subtype: 'success', result: 'still here' },
  ]);
});

test('a system prompt replaces the general part, or is added to it', async () => {
  await play([reply('done')], { systemPrompt: 'You are a parrot.' });
  const system = () => JSON.stringify(requests()[0]?.body.system);
  expect(system()).toContain('You are a parrot.');
  const whole = system().length;
  const append = 'Always rhyme.';
  await play([reply('done')], { systemPrompt: { type: 'preset', preset: 'claude_code', append } });
  expect(system()).toContain(append);
  expect(system().length).toBeGreaterThan(whole);
});

test('only the settings that the program names count', async () => {
  await mkdir(join(home(), '.claude'));
  await writeFile(join(home(), '.claude', 'CLAUDE.md'), 'Be kind to ducks.');
  await play([reply('done')], { settingSources: ['user'] });
  expect(lastRequest()).toContain('Be kind to ducks.');
  await play([reply('done')], { settingSources: [] });
  expect(lastRequest()).not.toContain('Be kind to ducks.');
});

test('a program that names the settings of the folder trusts it for its run', async () => {
  await mkdir(join(project(), '.claude'));
  await writeFile(join(project(), 'CLAUDE.md'), 'Be kind to geese.');
  const settings = { permissions: { allow: ['Write'] } };
  await writeFile(join(project(), '.claude', 'settings.json'), JSON.stringify(settings));
  const script = () => [
    reply([toolUse('Write', { file_path: 'a.txt', content: 'quack' })]),
    reply('done'),
  ];
  await play(script());
  expect(lastRequest()).not.toContain('Be kind to geese.');
  expect(await written('a.txt')).toBeNull();
  await play(script(), { settingSources: ['project'] });
  expect(lastRequest()).toContain('Be kind to geese.');
  expect(await written('a.txt')).toBe('quack');
});

test('a session is resumed, continued and forked', async () => {
  const idOf = (messages: readonly SDKMessage[]) => resultOf(messages)?.session_id ?? '';
  const first = idOf(await play([reply('one')], {}, 'remember the duck'));
  const again = [{ resume: first }, { continue: true }, { resume: first, forkSession: true }];
  for (const options of again) {
    const id = idOf(await play([reply('more')], options));
    expect(lastRequest()).toContain('remember the duck');
    if ('forkSession' in options) expect(id).not.toBe(first);
    else expect(id).toBe(first);
  }
});

test('limits of turns and money end a query', async () => {
  const script = () => reply([toolUse('Glob', { pattern: '*' })]);
  const turns = await start(script, { maxTurns: 2 });
  const seen: SDKMessage[] = [];
  for await (const message of turns) {
    seen.push(message);
    if (message.type === 'result') break;
  }
  expect(resultOf(seen)).toMatchObject({ subtype: 'error_max_turns', is_error: true });
});

test('tools are limited to those that are named, and folders are added', async (t) => {
  t.skip(lacks('tools?: string[] | {'));
  const elsewhere = await makeWorkspace();
  const messages = await play([reply('done')], {
    tools: ['Read', 'Task', 'Bash'],
    disallowedTools: ['Bash'],
    additionalDirectories: [elsewhere.project],
  });
  expect(messages[0]).toMatchObject({ tools: ['Agent', 'Read'] });
  expect(lastRequest()).toContain(elsewhere.project);
  await elsewhere.remove();
});

test('an answer has the shape that was asked for', async (t) => {
  t.skip(lacks('outputFormat'));
  const schema = {
    type: 'object',
    properties: { ducks: { type: 'number' } },
    required: ['ducks'],
    additionalProperties: false,
  };
  const script = [
    reply('There are three.'),
    reply([toolUse('StructuredOutput', { ducks: 'three' })]),
    reply([toolUse('StructuredOutput', { ducks: 3 })]),
    reply([text('done')]),
  ];
  const messages = await play(script, { outputFormat: { type: 'json_schema', schema } });
  expect(resultOf(messages)).toMatchObject({
    subtype: 'success',
    structured_output: { ducks: 3 },
  });
  expect(requests()).toHaveLength(4);
});

test('the use of the context is told, and prompts are replayed when they are wanted', async (t) => {
  t.skip(lacks('getContextUsage'));
  let goOn = () => {};
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* prompts() {
    yield said('how full?');
    await asked;
  }
  const options = { extraArgs: { 'replay-user-messages': null } };
  const running = await start([reply('done')], options, prompts());
  const seen: SDKMessage[] = [];
  for await (const message of running) {
    seen.push(message);
    if (message.type !== 'result') continue;
    const usage = await running.getContextUsage();
    expect(usage).toMatchObject({ maxTokens: expect.any(Number), model: expect.any(String) });
    expect(usage.totalTokens).toBeGreaterThan(0);
    goOn();
  }
  expect(seen).toContainEqual(expect.objectContaining({ type: 'user', isReplay: true }));
});

test('a session that is not to be kept leaves no log', async (t) => {
  t.skip(lacks('persistSession'));
  const first = await play([reply('one')], { persistSession: false });
  const resume = resultOf(first)?.session_id ?? '';
  await expect(play([reply('two')], { resume })).rejects.toThrow();
  expect(requests()).toEqual([]);
});

test('kinds of sub-agents that the program names are offered', async () => {
  const helper = { description: 'Helps a lot', prompt: 'Be kind.', tools: ['Read'] };
  const messages = await play([reply('done')], { agents: { helper } });
  expect(messages[0]).toMatchObject({ agents: expect.arrayContaining(['helper']) });
  expect(lastRequest()).toContain('Helps a lot');
});

test('only models that settings make available can be chosen', async () => {
  const { prompts, begin } = held();
  const settings = JSON.stringify({ availableModels: ['haiku'], model: 'sonnet' });
  const running = await start([reply('done')], { extraArgs: { settings } }, prompts());
  expect((await running.supportedModels()).map(({ value }) => value)).toEqual(['opus', 'haiku']);
  await expect(running.setModel('sonnet')).rejects.toThrow(/not in availableModels/);
  await running.setModel('haiku');
  begin();
  expect(resultOf(await all(running))).toMatchObject({ result: 'done' });
  expect(requests()[0]?.body.model).toContain('haiku');
});

test('a model that settings deny is never taken, and the usual one is another', async (t) => {
  t.skip(lacks('managedSettings'));
  const { prompts, begin } = held();
  const settings = JSON.stringify({ availableModels: ['sonnet'], enforceAvailableModels: true });
  const managedSettings = { deniedModels: ['haiku'] };
  const running = await start(
    [reply('done')],
    { extraArgs: { settings }, managedSettings },
    prompts(),
  );
  expect((await running.supportedModels()).map(({ value }) => value)).toEqual(['sonnet']);
  await expect(running.setModel('haiku')).rejects.toThrow(/in deniedModels/);
  begin();
  expect(resultOf(await all(running))).toMatchObject({ result: 'done' });
  expect(requests()[0]?.body.model).toContain('sonnet');
});
