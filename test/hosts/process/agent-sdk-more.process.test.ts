import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options, Query, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { hang, reply, text, thinking, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, calculator, lacks, resultOf, said } from './agent-sdk';

const { start, play, converse, home, project, requests, lastRequest, written } = agentSdk();

const put = async (path: string, content: string) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
};
const WRITE = { file_path: 'a.txt', content: 'from the model' };
const DENY = async () => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse' as const,
    permissionDecision: 'deny' as const,
    permissionDecisionReason: 'no writing here',
  },
});

test('a beginning that is sent again is answered, and its hooks hold on', async (t) => {
  t.skip(lacks('reinitialize'));
  const again = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await again.promise;
    yield said('second');
  }
  const script = [reply('one'), reply([toolUse('Write', WRITE)]), reply('two')];
  const options: Options = {
    permissionMode: 'acceptEdits',
    mcpServers: { calc: calculator() },
    hooks: { PreToolUse: [{ matcher: 'Write', hooks: [DENY] }] },
  };
  const running = await start(script, options, prompts());
  const results: unknown[] = [];
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results.push(message.subtype);
    if (results.length > 1) continue;
    expect(await running.reinitialize()).toMatchObject({ hooks_applied: true });
    again.resolve();
  }
  expect(results).toEqual(['success', 'success']);
  expect(lastRequest()).toContain('no writing here');
  expect(await written('a.txt')).toBeNull();
});

test('servers inside the program come in the middle of a session', async (t) => {
  t.skip(lacks('setMcpServers'));
  const named = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await named.promise;
    yield said('second');
    // Versions before 0.3 hang up after their last prompt, also while it is answered.
    await over.promise;
  }
  const script = [reply('one'), reply([toolUse('mcp__calc__add', { a: 2, b: 40 })]), reply('done')];
  const running = await start(script, { allowedTools: ['mcp__calc__add'] }, prompts());
  let isNamed = false;
  for await (const message of running) {
    if (message.type !== 'result') continue;
    if (isNamed) over.resolve();
    if (isNamed) continue;
    isNamed = true;
    expect(await running.setMcpServers({ calc: calculator() })).toMatchObject({ added: ['calc'] });
    // It is there for the next prompt, however soon that comes.
    expect(await running.mcpServerStatus()).toMatchObject([{ name: 'calc', status: 'connected' }]);
    named.resolve();
  }
  expect(lastRequest()).toContain('the sum is 42');
});

/** Prompts of a program that says no more and does not hang up. */
async function* endless() {
  yield said('count the geese');
  await new Promise(() => {});
}

test.runIf(process.platform === 'linux' && !lacks('close(): void'))(
  'a program opens a session again that it left open, unless something goes on in it',
  async () => {
    const first = await start([reply('four')], {}, endless());
    const idOf = async (query: Query, type: SDKMessage['type']): Promise<string> => {
      for (;;) {
        const { value } = await query.next();
        if (value?.type === type) return value.session_id ?? '';
      }
    };
    const resume = await idOf(first, 'result');
    const messages = await play([reply('five')], { resume });
    expect(resultOf(messages)).toMatchObject({ session_id: resume, result: 'five' });
    expect(lastRequest()).toContain('count the geese');
    first.close();
    const busy = await start(() => hang(), { resume }, endless());
    await idOf(busy, 'system');
    await expect.poll(() => requests().length).toBe(1);
    await expect(play([reply('no')], { resume })).rejects.toThrow(/is open/);
    busy.close();
  },
);

test.runIf(process.platform === 'linux' && !lacks('close(): void'))(
  'a session whose task still runs in the background is not taken from the run that has it',
  async () => {
    const command = { command: 'sleep 600', run_in_background: true };
    const script = [reply([toolUse('Bash', command)]), reply('it runs')];
    const first = await start(script, { allowedTools: ['Bash'] }, endless());
    let resume = '';
    while (resume === '') {
      const { value } = await first.next();
      if (value?.type === 'result') resume = value.session_id;
    }
    await expect(play([reply('no')], { resume })).rejects.toThrow(/is open/);
    first.close();
  },
);

test('an interrupt tells which prompts still wait', async (t) => {
  t.skip(lacks('still_queued'));
  const uuid = '22222222-2222-4222-8222-222222222222';
  const over = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('begin');
    yield { ...said('second'), uuid } as const;
    await over.promise;
  }
  const script = [reply([toolUse('Bash', { command: 'sleep 600' })]), reply('still here')];
  const running = await start(script, { allowedTools: ['Bash'] }, prompts());
  let receipt: unknown;
  for await (const message of running) {
    if (message.type === 'assistant' && receipt === undefined) receipt = await running.interrupt();
    if (message.type === 'result' && message.subtype === 'success') over.resolve();
  }
  expect(receipt).toEqual({ still_queued: [uuid] });
  expect(lastRequest()).toContain('second');
});

test('prompts as they are written have no commands and no mentions', async (t) => {
  t.skip(lacks('verbatimPrompts'));
  await writeFile(join(project(), 'note.txt'), 'the duck is secret');
  await play([reply('done')], { verbatimPrompts: true }, '/compact @note.txt');
  expect(lastRequest()).toContain('/compact @note.txt');
  expect(lastRequest()).not.toContain('the duck is secret');
});

const HELPER = { helper: { description: 'Helps', prompt: 'Be kind.' } };
const delegated = (call = toolUse('Read', { file_path: 'none' })) => [
  reply([toolUse('Agent', { prompt: 'go', description: 'does it', subagent_type: 'helper' })]),
  reply([thinking('hm'), text('looking around'), call]),
  reply('a report'),
  reply('done'),
];

test('of sub-agents the calls are told, and their words where a program wants them', async (t) => {
  t.skip(lacks('forwardSubagentText'));
  const inside = (messages: readonly SDKMessage[]) =>
    JSON.stringify(
      messages.filter((one) => 'parent_tool_use_id' in one && one.parent_tool_use_id !== null),
    );
  const calls = inside(await play(delegated(), { agents: HELPER }));
  expect(calls).toContain('tool_use');
  expect(calls).not.toContain('looking around');
  const words = inside(await play(delegated(), { agents: HELPER, forwardSubagentText: true }));
  expect(words).toContain('looking around');
  expect(words).toContain('a report');
});

test('what hooks do is told at the beginning, and at all events where a program wants it', async (t) => {
  t.skip(lacks('includeHookEvents'));
  const command = (line: string) => [{ hooks: [{ type: 'command' as const, command: line }] }];
  const settings = { hooks: { SessionStart: command('echo hi'), Stop: command('true') } };
  const told = (messages: readonly SDKMessage[]) =>
    messages.flatMap((one) =>
      one.type === 'system' && one.subtype === 'hook_response' ? one.hook_event : [],
    );
  expect(told(await play([reply('done')], { settings }))).toEqual(['SessionStart']);
  const both = await play([reply('done')], { settings, includeHookEvents: true });
  expect(told(both)).toEqual(['SessionStart', 'Stop']);
});

test('what is wrong with plugins is told with the first line, by the plugin', async () => {
  const path = join(home(), 'plug');
  await put(join(path, '.claude-plugin', 'plugin.json'), '{"name":"plug"}');
  await put(join(path, 'agents', 'odd.md'), '---\nname: odd\n---\nNo description.');
  const none = join(project(), 'none');
  const [init] = await play([reply('done')], {
    plugins: [
      { type: 'local', path },
      { type: 'local', path: none },
    ],
  });
  expect(init).toMatchObject({
    plugins: [{ name: 'plug', path }],
    plugin_errors: [
      { plugin: 'inline[1]', type: 'generic-error', path: none },
      { plugin: 'plug@inline', message: expect.stringContaining('odd.md') },
    ],
  });
  const [fine] = await play([reply('done')], {});
  expect(fine).not.toHaveProperty('plugin_errors');
});

test('a plugin comes without its servers, or joins a session', async (t) => {
  t.skip(lacks('skipMcpDiscovery'));
  const path = join(home(), 'plug');
  await put(join(path, '.claude-plugin', 'plugin.json'), '{"name":"plug","version":"1.0.0"}');
  await put(join(path, 'commands', 'hum.md'), '---\ndescription: Hums\n---\nhum');
  const servers = { s: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] } };
  await put(join(path, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  const bare = { type: 'local' as const, path, skipMcpDiscovery: true };
  for (const pluginDelivery of ['argv', 'initialize'] as const) {
    const [init] = await play([reply('done')], { plugins: [bare], pluginDelivery });
    const slash_commands = expect.arrayContaining(['plug:hum']);
    expect(init).toMatchObject({ mcp_servers: [], slash_commands });
  }
  const added = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await added.promise;
  }
  const running = await start([reply('one')], {}, prompts());
  for await (const message of running) {
    if (message.type !== 'result') continue;
    const { commands, mcpServers } = await running.reloadPlugins({ addPlugins: [bare] });
    expect(commands.map(({ name }) => name)).toContain('plug:hum');
    expect(mcpServers).toEqual([]);
    added.resolve();
  }
});

test('a program starts the process itself, and the small options reach the model', async (t) => {
  t.skip(lacks('SYSTEM_PROMPT_DYNAMIC_BOUNDARY'));
  const sessionId = '11111111-1111-4111-8111-111111111111';
  const options: Options = {
    sessionId,
    model: 'sonnet',
    fallbackModel: 'haiku',
    betas: ['context-1m-2025-08-07'],
    effort: 'low',
    maxBudgetUsd: 3,
    strictMcpConfig: true,
    title: 'Ducks',
    systemPrompt: ['You are a parrot.', '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__', 'Today you rest.'],
    executableArgs: ['--no-warnings'],
    mcpServersDelivery: 'initialize',
    spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) =>
      spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'inherit'] }),
  };
  const [init, ...messages] = await play([reply('done')], options);
  expect(init).toMatchObject({ session_id: sessionId });
  expect(resultOf(messages)).toMatchObject({ result: 'done' });
  const [request] = requests();
  expect(request?.betas).toContain('context-1m-2025-08-07');
  expect(request?.body).toMatchObject({ output_config: { effort: 'low' } });
  expect(request?.body.model).toContain('sonnet');
  const system = JSON.stringify(request?.body.system);
  expect(system).toContain('You are a parrot.\\n\\nToday you rest.');
});

const CHANGED_OUTPUT: readonly [string, unknown][] = [
  ['updatedToolOutput', 'a secret was here'],
  ['updatedMCPToolOutput', [{ type: 'text', text: 'a secret was here' }]],
];
const CHANGES = CHANGED_OUTPUT.filter(([name]) => !lacks(name));
let changed: ReturnType<typeof converse> | null = null;
test.each(CHANGES)('a hook says by %s what the model reads of a call', async (name) => {
  const given = CHANGES.values();
  const hook = async () => {
    const { value: [key, output] = ['', null] } = given.next();
    return { hookSpecificOutput: { hookEventName: 'PostToolUse' as const, [key]: output } };
  };
  changed ??= converse(
    CHANGES.flatMap(() => [reply([toolUse('mcp__calc__add', { a: 2, b: 40 })]), reply('done')]),
    {
      mcpServers: { calc: calculator() },
      allowedTools: ['mcp__calc__add'],
      hooks: { PostToolUse: [{ hooks: [hook] }] },
    },
    CHANGES.map(() => 'go'),
  );
  const { last } = (await changed)[CHANGES.findIndex(([other]) => other === name)] ?? {};
  expect(last).toContain('a secret was here');
  expect(last).not.toContain('the sum is 42');
});

test('a program that aborts ends the run', async () => {
  const abortController = new AbortController();
  const script = [reply([toolUse('Bash', { command: 'sleep 600' })])];
  const running = await start(script, { allowedTools: ['Bash'], abortController });
  const ended = (async () => {
    for await (const message of running) if (message.type === 'assistant') abortController.abort();
  })();
  await expect(ended).rejects.toThrow();
});

test('kinds of agents carry fields of their own', async (t) => {
  t.skip(lacks('agent?: string'));
  const helper = {
    ...HELPER.helper,
    model: 'opus',
    effort: 'low' as const,
    permissionMode: 'acceptEdits' as const,
    maxTurns: 3,
    disallowedTools: ['Bash'],
    initialPrompt: 'Look at the ducks first.',
  };
  await play(delegated(toolUse('Write', { file_path: 'a.txt', content: 'quack' })), {
    model: 'sonnet',
    agents: { helper },
  });
  expect(await written('a.txt')).toBe('quack');
  const inside = requests()[1]?.body;
  expect(inside).toMatchObject({ output_config: { effort: 'low' } });
  expect(inside?.model).toContain('opus');
  expect(JSON.stringify(inside?.tools)).not.toContain('"Bash"');
  await play([reply('done')], { agent: 'helper', agents: { helper } });
  expect(lastRequest()).toContain('Be kind.');
  expect(lastRequest()).toContain('Look at the ducks first.');
});

test('what a program says of single tools of its server restricts them, and only that', async (t) => {
  t.skip(lacks('McpServerToolPolicy'));
  const asked: string[] = [];
  const policy = (permission_policy: 'always_ask' | 'always_deny' | 'always_allow') => ({
    ...calculator(),
    tools: [{ name: 'add', permission_policy }],
  });
  const names = ['ask', 'deny', 'allow'] as const;
  const script = names.flatMap((name) => [
    reply([toolUse(`mcp__${name}__add`, { a: 1, b: 2 })]),
    reply('done'),
  ]);
  const [ask, deny] = await converse(
    script,
    {
      mcpServers: {
        ask: policy('always_ask'),
        deny: policy('always_deny'),
        allow: policy('always_allow'),
      },
      canUseTool: async (name, updatedInput) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput };
      },
      allowedTools: ['mcp__ask__add', 'mcp__deny__add'],
    },
    names,
  );
  expect(ask?.last).toContain('the sum is 3');
  expect(deny?.last).not.toContain('the sum is 3');
  expect(asked).toEqual(['mcp__ask__add', 'mcp__allow__add']);
});
