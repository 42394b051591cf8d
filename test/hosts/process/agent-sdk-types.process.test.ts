import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HookEvent, Options, Query } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import type { RecordedRequest } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { refusedByTypes, type Typed } from '../headless/refused-by-types';
import { agentSdk, createSdkMcpServer, HOOK_EVENTS, lacks, said, tool, z } from './agent-sdk';

const { start, home, project } = agentSdk();

/** The events whose hooks hear of something in this run, and so of the shape that the types give their input. */
const HEARD: readonly HookEvent[] = [
  ...(['CwdChanged', 'FileChanged', 'InstructionsLoaded', 'MessageDisplay'] as const),
  ...(['PermissionRequest', 'PostCompact', 'PostModelSwitch', 'PostToolBatch'] as const),
  ...(['PostToolUse', 'PostToolUseFailure', 'PreCompact', 'PreModelSwitch', 'PreToolUse'] as const),
  ...(['SessionStart', 'Stop', 'SubagentStart', 'SubagentStop'] as const),
  ...(['UserPromptExpansion', 'UserPromptSubmit'] as const),
];
const GEESE = 'You count geese.';
const PROMPTS = ['begin', '/hum', 'look again', '/compact'];

/** The first prompt does much; the third one makes the model look at a file that has changed. */
function model() {
  let turn = 0;
  return ({ body }: RecordedRequest) => {
    if (JSON.stringify(body).includes(GEESE)) return reply('Four geese.');
    turn += 1;
    if (turn === 1)
      return reply([
        toolUse('Read', { file_path: 'a.txt' }),
        toolUse('Read', { file_path: 'none.txt' }),
        toolUse('Agent', { prompt: 'go', description: 'Counts', subagent_type: 'geese' }),
        toolUse('mcp__calc__add', { a: 1 }),
      ]);
    if (turn === 2) return reply([toolUse('Bash', { command: 'mkdir sub && cd sub' })]);
    if (turn === 3) return reply([toolUse('Write', { file_path: 'b.txt', content: 'x' })]);
    return reply(`answer ${turn}`);
  };
}

/** What a program reads of a session by its methods, with the types that these promise. */
const read = async (query: Query): Promise<readonly Typed[]> => [
  { type: 'SDKControlInitializeResponse', value: await query.initializationResult() },
  ...(await query.mcpServerStatus()).map((value) => ({ type: 'McpServerStatus', value })),
  ...(await query.supportedAgents()).map((value) => ({ type: 'AgentInfo', value })),
  { type: 'SDKControlGetContextUsageResponse', value: await query.getContextUsage() },
  {
    type: 'SDKControlGetUsageResponse',
    value: await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(),
  },
  { type: 'SDKControlReadFileResponse', value: await query.readFile(join(project(), 'a.txt')) },
  { type: 'SDKControlReloadPluginsResponse', value: await query.reloadPlugins() },
  { type: 'SDKControlReloadSkillsResponse', value: await query.reloadSkills() },
  { type: 'SDKControlReloadOutputStylesResponse', value: await query.reloadOutputStyles() },
  { type: 'RewindFilesResult', value: await query.rewindFiles('nobody') },
];

test.skipIf(lacks('usage_EXPERIMENTAL'))(
  'hooks, lines and answers have the shapes that the types promise',
  async () => {
    await mkdir(join(project(), '.claude', 'commands'), { recursive: true });
    await writeFile(join(project(), 'CLAUDE.md'), 'Be kind.');
    await writeFile(join(project(), 'a.txt'), 'one');
    await writeFile(join(project(), '.claude', 'commands', 'hum.md'), 'hum now');
    execFileSync('git', ['init', '-q'], { cwd: project(), env: { ...process.env, HOME: home() } });
    const heard: (Typed & { readonly event: HookEvent })[] = [];
    const hooksOf = (event: HookEvent) => [
      {
        hooks: [
          async (value: unknown) => {
            heard.push({ type: `${event}HookInput`, value, event });
            return {};
          },
        ],
      },
    ];
    const made: ReadonlySet<HookEvent> = new Set(['WorktreeCreate', 'WorktreeRemove']);
    const events = HOOK_EVENTS.filter((event) => !made.has(event));
    const calc = createSdkMcpServer({
      name: 'calc',
      tools: [
        tool('add', 'Adds', { a: z.number() }, async () => ({
          content: [{ type: 'text', text: '1' }],
        })),
      ],
    });
    const options: Options = {
      hooks: Object.fromEntries(events.map((event) => [event, hooksOf(event)])),
      settingSources: ['project'],
      includeHookEvents: true,
      includePartialMessages: true,
      agents: { geese: { description: 'Counts', prompt: GEESE } },
      allowedTools: ['mcp__calc', 'Bash'],
      mcpServers: { calc },
      canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }),
    };
    const gates = PROMPTS.map(() => Promise.withResolvers<void>());
    async function* prompts() {
      for (const [at, prompt] of PROMPTS.entries()) {
        if (at > 0) await gates[at - 1]?.promise;
        yield said(prompt);
      }
      await gates.at(-1)?.promise;
    }
    const running = await start(model(), options, prompts());
    const seen: Typed[] = [];
    let results = 0;
    for await (const value of running) {
      seen.push({ type: 'SDKMessage', value });
      if (value.type !== 'result') continue;
      results += 1;
      if (results === 1) {
        seen.push(...(await read(running)));
        await running.setModel('haiku');
        await writeFile(join(project(), 'a.txt'), 'two');
      }
      gates[results - 1]?.resolve();
    }
    expect(new Set(heard.map(({ event }) => event))).toEqual(
      new Set([...HEARD, ...heard.flatMap(({ event }) => (event === 'SessionEnd' ? event : []))]),
    );
    const types = join(
      fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk')),
      '../sdk.d.ts',
    );
    expect(await refusedByTypes([...seen, ...heard], types)).toBe('');
  },
);
