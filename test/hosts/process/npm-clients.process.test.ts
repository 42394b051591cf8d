import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, resultOf, said } from './agent-sdk';
import { CLI } from './lathe';
import { installed, WANTED } from './npm-clients';

const WRITE = { file_path: 'a.txt', content: 'from the model' };
const DENIED = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse' as const,
    permissionDecision: 'deny' as const,
    permissionDecisionReason: 'no writing here',
  },
};
const SUM = async ({ a, b }: { a: number; b: number }) => ({
  content: [{ type: 'text' as const, text: `the sum is ${a + b}` }],
});
const ADDS = () => [reply([toolUse('mcp__calc__add', { a: 2, b: 40 })]), reply('done')];
const WRITES = () => [reply([toolUse('Write', WRITE)]), reply('done')];

type Sdk = typeof import('@anthropic-ai/claude-agent-sdk');

describe.runIf(WANTED).each(['0.1.44', '0.2.97'])('the agent SDK %s', (version) => {
  const npm = installed(`@anthropic-ai/claude-agent-sdk@${version}`);
  let sdk: Sdk;
  const { start, play, project, requests, lastRequest, written, surroundings } = agentSdk(
    () => sdk,
  );
  beforeEach(async (context) => {
    npm.needed(context);
    sdk = await npm.load<Sdk>('@anthropic-ai/claude-agent-sdk');
  });

  test('prompts that stream in are answered, mode and model change', async () => {
    const ready = Promise.withResolvers<void>();
    async function* prompts() {
      await ready.promise;
      yield said('go');
    }
    const running = await start([reply('Hello')], { includePartialMessages: true }, prompts());
    await running.setModel('haiku');
    await running.setPermissionMode('acceptEdits');
    expect((await running.supportedModels()).length).toBeGreaterThan(0);
    expect((await running.supportedCommands()).length).toBeGreaterThan(0);
    expect(await running.accountInfo()).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
    ready.resolve();
    const results: unknown[] = [];
    for await (const message of running) if (message.type === 'result') results.push(message);
    expect(results).toMatchObject([{ result: 'Hello' }]);
    expect(requests()[0]?.body.model).toContain('haiku');
  });

  test('its canUseTool and its hooks decide', async () => {
    await play(WRITES(), {
      canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }),
    });
    expect(await written('a.txt')).toBe('from the model');
    const other = { ...WRITE, file_path: 'b.txt' };
    await play([reply([toolUse('Write', other)]), reply('done')], {
      permissionMode: 'acceptEdits',
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [async () => DENIED] }] },
    });
    expect(await written('b.txt')).toBeNull();
    expect(lastRequest()).toContain('no writing here');
  });

  test('its tools are called', async () => {
    const shape = version.startsWith('0.1')
      ? { a: z3.number(), b: z3.number() }
      : { a: z.number(), b: z.number() };
    const add = sdk.tool('add', 'Adds', shape as { a: z.ZodNumber; b: z.ZodNumber }, SUM);
    const calc = sdk.createSdkMcpServer({ name: 'calc', tools: [add] });
    await play(ADDS(), { mcpServers: { calc }, allowedTools: ['mcp__calc__add'] });
    expect(lastRequest()).toContain('the sum is 42');
  });

  test('a session is resumed, and answers have a shape', async () => {
    const first = resultOf(await play([reply('one')], {}, 'remember the duck'))?.session_id ?? '';
    await play([reply('two')], { resume: first });
    expect(lastRequest()).toContain('remember the duck');
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const shaped = version.startsWith('0.1')
      ? { outputSchema: schema }
      : { outputFormat: { type: 'json_schema', schema } };
    const script = [reply([toolUse('StructuredOutput', { n: 3 })]), reply('done')];
    expect(resultOf(await play(script, shaped as Options))).toMatchObject({
      structured_output: { n: 3 },
    });
  });

  test('its sessions of several prompts work, where it has them', async (context) => {
    const { unstable_v2_createSession: create } = sdk as unknown as {
      unstable_v2_createSession?: (options: object) => {
        send(text: string): Promise<void>;
        stream(): AsyncIterable<{ type: string; result?: string }>;
        close(): void;
      };
    };
    if (create === undefined) return context.skip('this version has none');
    const { env } = await surroundings(() => reply('hello'));
    const session = create({ model: 'sonnet', pathToClaudeCodeExecutable: CLI, env });
    for (const prompt of ['one', 'two']) {
      await session.send(prompt);
      const results: unknown[] = [];
      for await (const one of session.stream()) if (one.type === 'result') results.push(one.result);
      expect(results).toEqual(['hello']);
    }
    session.close();
    expect(lastRequest()).toContain('one');
    expect(project()).not.toBe('');
  });
});

describe.runIf(WANTED)('ai-sdk-provider-claude-code', () => {
  const npm = installed('ai-sdk-provider-claude-code@4.1.0', 'ai@7', 'zod@4');
  const { surroundings, lastRequest, written } = agentSdk();
  interface Ai {
    generateText(options: object): Promise<{ readonly text: string; readonly output: unknown }>;
    readonly Output: { object(shape: { readonly schema: unknown }): unknown };
  }
  interface Provider {
    createClaudeCode(options: object): (model: string) => unknown;
    createCustomMcpServer(options: object): unknown;
  }
  beforeEach((context) => npm.needed(context));

  const ask = async (
    script: Parameters<typeof surroundings>[0],
    settings: object = {},
    more: (ai: Ai) => object = () => ({}),
  ) => {
    const ai = await npm.load<Ai>('ai');
    const { createClaudeCode } = await npm.load<Provider>('ai-sdk-provider-claude-code');
    const defaultSettings = { ...(await surroundings(script)), ...settings };
    const model = createClaudeCode({ defaultSettings })('sonnet');
    return ai.generateText({ model, prompt: 'go', ...more(ai) });
  };

  test('answers, with tools, permissions, hooks and a shape', async () => {
    expect((await ask([reply('Hello')])).text).toBe('Hello');
    const canUseTool = async () => ({ behavior: 'deny', message: 'no way' });
    await ask(WRITES(), { canUseTool, streamingInput: 'always' });
    expect(lastRequest()).toContain('no way');
    const hooks = { PreToolUse: [{ matcher: 'Write', hooks: [async () => DENIED] }] };
    await ask(WRITES(), { permissionMode: 'acceptEdits', hooks });
    expect(lastRequest()).toContain('no writing here');
    expect(await written('a.txt')).toBeNull();
    const { createCustomMcpServer } = await npm.load<Provider>('ai-sdk-provider-claude-code');
    const inputSchema = z.object({ a: z.number(), b: z.number() });
    const tools = { add: { description: 'Adds', inputSchema, handler: SUM } };
    const calc = createCustomMcpServer({ name: 'calc', version: '1.0.0', tools });
    await ask(ADDS(), { mcpServers: { calc }, allowedTools: ['mcp__calc__add'] });
    expect(lastRequest()).toContain('the sum is 42');
    const schema = z.object({ n: z.number() });
    const script = [reply([toolUse('StructuredOutput', { n: 3 })]), reply('done')];
    const shaped = await ask(script, {}, ({ Output }) => ({ output: Output.object({ schema }) }));
    expect(shaped.output).toEqual({ n: 3 });
  });
});

describe.runIf(WANTED).each(['1.0.73', '2.0.0'])('claude-code-router %s', (version) => {
  const npm = installed(`@musistudio/claude-code-router@${version}`);
  const { home, project, written } = agentSdk();
  beforeEach((context) => npm.needed(context));

  test('asks a model of another provider, which calls a tool', async () => {
    const provider = await startChatProvider();
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port: PORT } = free.address() as AddressInfo;
    free.close();
    const folder = join(home(), '.claude-code-router');
    const api_base_url = `${provider.url}/v1/chat/completions`;
    const config = {
      ...{ PORT, HOST: '127.0.0.1', LOG: false, NON_INTERACTIVE_MODE: true },
      Providers: [{ name: 'fake', api_base_url, api_key: 'sk-f', models: ['big', 'small'] }],
      Router: { default: 'fake,big', background: 'fake,small' },
    };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    const cli = npm.path('@musistudio/claude-code-router/dist/cli.js');
    const words = ['code', '-p', 'make a file', '--permission-mode', 'bypassPermissions'];
    const env = {
      PATH: process.env['PATH'],
      HOME: home(),
      CLAUDE_PATH: `${process.execPath} ${CLI}`,
    };
    const child = spawn(process.execPath, [cli, ...words], {
      ...{ cwd: project(), env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      let printed = '';
      child.stdout.on('data', (text) => {
        printed += text;
      });
      child.stderr.resume();
      await once(child, 'close');
      expect(printed).toContain('Routed answer');
      expect(await written('r.txt')).toBe('routed\n');
      expect(provider.models()).toContain('big');
    } finally {
      child.kill();
      const pidFile = join(folder, '.claude-code-router.pid');
      if (existsSync(pidFile)) {
        try {
          process.kill(Number(await readFile(pidFile, 'utf8')));
        } catch {
          // It has ended by itself.
        }
      }
      provider.close();
    }
  });
});

/** A server of the chat completions API: its model writes a file by a command, then answers. */
async function startChatProvider() {
  const models: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { model, messages, tools } = JSON.parse(text) as {
      model: string;
      messages: readonly { role: string }[];
      tools?: readonly unknown[];
    };
    models.push(model);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish_reason: string | null = null) => {
      const choices = [{ index: 0, delta, finish_reason }];
      const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    if (tools !== undefined && !messages.some(({ role }) => role === 'tool')) {
      const args = JSON.stringify({ command: 'echo routed > r.txt', description: 'writes' });
      const call = { name: 'Bash', arguments: args };
      send({
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
      });
      send({}, 'tool_calls');
    } else {
      send({ role: 'assistant', content: 'Routed answer' });
      send({}, 'stop');
    }
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    models: () => models,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
