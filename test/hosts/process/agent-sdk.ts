import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  McpSdkServerConfigWithInstance,
  Options,
  SDKMessage,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk';
import { afterEach, beforeEach, expect } from 'vitest';
import { z as z4 } from 'zod';
import { z as z3 } from 'zod/v3';
import { NODE_WORDS } from '../../support/node-words';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { CLI, makeWorkspace, processesOf, type Workspace } from './lathe';

// Another version of the SDK can be named by the path of its module.
const module =
  process.env['LATHE_AGENT_SDK'] ??
  fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk'));
const sdk: typeof import('@anthropic-ai/claude-agent-sdk') = await import(module);
export const { tool, createSdkMcpServer, HOOK_EVENTS } = sdk;
/** The functions that read sessions on disk; undefined in a version without them, see {@link lacks}. */
export const { getSessionMessages, getSubagentMessages, listSessions, listSubagents } = sdk;
export const { InMemorySessionStore } = sdk;
const beside = (name: string) => readFile(join(dirname(module), name), 'utf8');
const types = await beside('sdk.d.ts');
const { peerDependencies = {} } = JSON.parse(await beside('package.json'));
/** The zod of this version of the SDK. */
export const z = (/^\^3/.test(peerDependencies.zod ?? '') ? z3 : z4) as typeof z4;

type ServerTools = NonNullable<Parameters<typeof createSdkMcpServer>[0]['tools']>;

/** Creates a server inside the program that adds two numbers, and has further tools. */
export const calculator = (...more: ServerTools): McpSdkServerConfigWithInstance =>
  createSdkMcpServer({
    name: 'calc',
    version: '1.0.0',
    tools: [
      tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
        content: [{ type: 'text', text: `the sum is ${a + b}` }],
      })),
      ...more,
    ],
  });

/**
 * Tells whether the types of the SDK that is tried know nothing of a word, so that this version has no such thing: what
 * each version offers is what its own `sdk.d.ts` says. The newest one offers all that is tested.
 */
export function lacks(word: string): boolean {
  const isKnown = types.includes(word);
  if (!isKnown && process.env['LATHE_AGENT_SDK'] === undefined)
    throw new Error(`The types of the agent SDK have no "${word}".`);
  return !isKnown;
}

/**
 * Drives the built command line by the agent SDK, another version of it where `named` gives one: a home, a project and an
 * API of their own for each test.
 */
export function agentSdk(named: () => Pick<typeof sdk, 'query'> = () => sdk) {
  let workspace: Workspace;
  let api: ScriptedApi | null = null;
  beforeEach(async () => {
    workspace = await makeWorkspace();
  });
  afterEach(async () => {
    expect(api?.refusals ?? []).toEqual([]);
    await expect.poll(() => processesOf(workspace)).toEqual([]);
    await api?.close();
    api = null;
    await workspace.remove();
  });

  /** Starts a new API, and returns the options by which Lathe asks it. */
  const surroundings = async (
    script: Script,
    withEnv: (env: Record<string, string | undefined>) => Record<string, string | undefined>,
  ) => {
    await api?.close();
    api = await startScriptedApi(script);
    return {
      cwd: workspace.project,
      pathToClaudeCodeExecutable: CLI,
      executableArgs: NODE_WORDS,
      env: withEnv({
        PATH: process.env['PATH'],
        HOME: workspace.home,
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'sk-test-0123456789',
      }),
    };
  };

  /** Starts a query on a new API, with nothing of this process's environment. */
  const start = async (
    script: Script,
    options: Options = {},
    prompt: string | AsyncIterable<SDKUserMessage> = 'go',
    withEnv: (env: Record<string, string | undefined>) => Record<string, string | undefined> = (
      env,
    ) => env,
  ) => {
    return named().query({
      prompt,
      options: { ...(await surroundings(script, withEnv)), ...options },
    });
  };
  const requests = () => api?.requests ?? [];

  /** Sends each prompt when the one before is answered. Returns what was said to each, and the last request it took. */
  const converse = async (
    script: Script,
    options: Options,
    prompts: readonly (string | SDKUserMessage)[],
  ) => {
    const turns = prompts.map((prompt) => ({
      prompt: typeof prompt === 'string' ? said(prompt) : prompt,
      messages: [] as SDKMessage[],
      last: '',
      over: Promise.withResolvers<void>(),
    }));
    async function* input() {
      for (const { prompt, over } of turns) {
        yield prompt;
        await over.promise;
      }
    }
    let at = 0;
    for await (const message of await start(script, options, input())) {
      const turn = turns[Math.min(at, turns.length - 1)];
      turn?.messages.push(message);
      if (!turn || message.type !== 'result') continue;
      turn.last = JSON.stringify(requests().at(-1)?.body.messages.at(-1));
      at += 1;
      turn.over.resolve();
    }
    return turns;
  };
  return {
    start,
    converse,
    surroundings: (script: Script) => surroundings(script, (env) => env),
    /** Runs a query to its end. */
    play: async (...args: Parameters<typeof start>) => all(await start(...args)),
    home: () => workspace.home,
    project: () => workspace.project,
    requests,
    /** The text of the last request to the model. */
    lastRequest: () => JSON.stringify(requests().at(-1)?.body),
    written: (name: string) => readFile(join(workspace.project, name), 'utf8').catch(() => null),
  };
}

/** Collects messages until there are no more. */
export async function all(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const seen: SDKMessage[] = [];
  for await (const message of messages) seen.push(message);
  return seen;
}

export const resultOf = (messages: readonly SDKMessage[]) =>
  messages.find((message) => message.type === 'result');

/** A message of the user. */
export const said = (content: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
});
