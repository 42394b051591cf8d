import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, beforeEach, expect } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { CLI, makeWorkspace, processesOf, type Workspace } from './lathe';

// Another version of the SDK can be named by the path of its module.
const sdk: typeof import('@anthropic-ai/claude-agent-sdk') = await import(
  process.env['LATHE_AGENT_SDK'] ?? '@anthropic-ai/claude-agent-sdk'
);
export const { tool, createSdkMcpServer, HOOK_EVENTS } = sdk;

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
  return {
    start,
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
