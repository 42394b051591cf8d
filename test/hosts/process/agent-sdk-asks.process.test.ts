import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, calculator, createSdkMcpServer, lacks, resultOf, tool, z } from './agent-sdk';

const { play, converse, home, project, requests, lastRequest, written } = agentSdk();
const WRITE = { file_path: 'a.txt', content: 'from the model' };

test('canUseTool allows what it sees, in full, and may change it', async () => {
  const seen: unknown[] = [];
  const script = [reply([toolUse('Write', WRITE)]), reply('done')];
  await play(script, {
    canUseTool: async (name, input, { suggestions }) => {
      seen.push([name, input, suggestions]);
      return { behavior: 'allow', updatedInput: { ...input, content: 'from the program' } };
    },
  });
  const file_path = join(project(), 'a.txt');
  expect(seen).toMatchObject([
    ['Write', { ...WRITE, file_path }, [{ type: 'setMode', mode: 'acceptEdits' }]],
  ]);
  expect(await written('a.txt')).toBe('from the program');
});

test('canUseTool denies with a message, and ends the query when it says so', async () => {
  const script = [
    ...[reply([toolUse('Write', WRITE)]), reply('understood')],
    ...[reply([toolUse('Write', WRITE)]), reply('never')],
  ];
  let asked = 0;
  const canUseTool: Options['canUseTool'] = async () => {
    asked += 1;
    return asked === 1
      ? { behavior: 'deny', message: 'not on Fridays' }
      : { behavior: 'deny', message: 'stop', interrupt: true };
  };
  const [denied, ended] = await converse(script, { canUseTool }, ['go', 'go']);
  expect(denied?.last).toContain('not on Fridays');
  expect(resultOf(denied?.messages ?? [])).toMatchObject({
    subtype: 'success',
    permission_denials: [{ tool_name: 'Write' }],
  });
  // Nothing failed, so nothing is thrown.
  const messages = ended?.messages ?? [];
  expect(resultOf(messages)).toMatchObject({ terminal_reason: 'aborted_tools', is_error: false });
  expect(requests()).toHaveLength(3);
  expect(JSON.stringify(messages)).not.toContain('never');
  expect(await written('a.txt')).toBeNull();
});

test('what canUseTool answers for good holds for the next call', async () => {
  let asked = 0;
  const other = { ...WRITE, file_path: 'b.txt' };
  const script = [
    reply([toolUse('Write', WRITE)]),
    reply([toolUse('Write', other)]),
    reply('done'),
  ];
  await play(script, {
    canUseTool: async (_, input, { suggestions = [] }) => {
      asked += 1;
      return { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions };
    },
  });
  expect(asked).toBe(1);
  expect(await written('b.txt')).toBe('from the model');
});

test('a canUseTool that fails, or gives what is no answer, never allows', async () => {
  const answers = [
    async () => Promise.reject(new Error('broken')),
    async () => ({ behavior: 'perhaps' }),
    async () => ({ behavior: 'allow', updatedInput: { path: 1 } }),
  ] as unknown as NonNullable<Options['canUseTool']>[];
  let asked = 0;
  const canUseTool: Options['canUseTool'] = async (...question) => {
    asked += 1;
    const answer = answers[asked - 1];
    if (answer === undefined) throw new Error('asked too often');
    return answer(...question);
  };
  const script = answers.flatMap(() => [reply([toolUse('Write', WRITE)]), reply('done')]);
  const turns = await converse(script, { canUseTool }, ['one', 'two', 'three']);
  expect(asked).toBe(3);
  expect(requests()).toHaveLength(6);
  for (const { last } of turns) expect(last).toContain('"is_error":true');
  expect(await written('a.txt')).toBeNull();
});

/** A server whose tool answers questions about calls. */
const gate = (answer: () => object | string) =>
  createSdkMcpServer({
    name: 'gate',
    tools: [
      tool('ask', 'Asks', { tool_name: z.string(), input: z.any() }, async () => ({
        content: [{ type: 'text', text: JSON.stringify(answer()) }],
      })),
    ],
  });
const ANSWERS: readonly (readonly [object | string, string | null])[] = [
  [{ behavior: 'deny', message: 'not now' }, null],
  ['nothing of the kind', null],
  [{ behavior: 'allow', updatedInput: WRITE }, 'from the model'],
];
let answered: Promise<(string | null)[]> | null = null;
/** Asks for a call in one session as often as there are answers, and tells what was written each time. */
async function answersOfServer() {
  const contents: (string | null)[] = [];
  const answers = ANSWERS.map(([answer]) => answer);
  await converse(
    ANSWERS.flatMap(() => [reply([toolUse('Write', WRITE)]), reply('done')]),
    {
      mcpServers: { gate: gate(() => answers.shift() ?? 'asked too often') },
      permissionPromptToolName: 'mcp__gate__ask',
      hooks: {
        Stop: [
          {
            hooks: [
              async () => {
                contents.push(await written('a.txt'));
                return {};
              },
            ],
          },
        ],
      },
    },
    ANSWERS.map(() => 'go'),
  );
  expect(answers).toEqual([]);
  return contents;
}
test.each(ANSWERS)(
  'a tool of a server answers questions about calls: %j',
  async (answer, content) => {
    answered ??= answersOfServer();
    const at = ANSWERS.findIndex(([other]) => other === answer);
    expect((await answered)[at]).toBe(content);
  },
);

test('questions of the model reach the program, and its answers the model', async () => {
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [{ label: 'Red' }, { label: 'Blue' }],
      multiSelect: false,
    },
  ];
  const script = [reply([toolUse('AskUserQuestion', { questions })]), reply('done')];
  await play(script, {
    canUseTool: async (_, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } },
    }),
  });
  expect(lastRequest()).toContain('Which colour?\\n  Blue');
});

test('a plan is put before the program, and carried out in the mode it chooses', async () => {
  const script = [
    reply([toolUse('ExitPlanMode', { plan: '# Write a.txt' })]),
    reply([toolUse('Write', WRITE)]),
    reply('done'),
  ];
  const asked: string[] = [];
  await play(script, {
    permissionMode: 'plan',
    canUseTool: async (name, input) => {
      asked.push(name);
      const updatedPermissions = [
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const,
      ];
      return { behavior: 'allow', updatedInput: input, updatedPermissions };
    },
  });
  expect(asked).toEqual(['ExitPlanMode']);
  expect(await written('a.txt')).toBe('from the model');
});

test("a program's hook denies a call, whatever else allows it", async () => {
  const seen: unknown[] = [];
  await mkdir(join(home(), '.claude'));
  const settings = '{"permissions":{"allow":["Write"]},"disableAllHooks":true}';
  await writeFile(join(home(), '.claude', 'settings.json'), settings);
  const messages = await play([reply([toolUse('Write', WRITE)]), reply('done')], {
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    settingSources: ['user'],
    hooks: {
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [
            async (input) => {
              seen.push(input);
              return {
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  permissionDecision: 'deny',
                  permissionDecisionReason: 'no writing here',
                },
              };
            },
          ],
        },
      ],
    },
  });
  expect(seen).toMatchObject([{ hook_event_name: 'PreToolUse', tool_name: 'Write' }]);
  expect(await written('a.txt')).toBeNull();
  expect(lastRequest()).toContain('no writing here');
  expect(resultOf(messages)).toMatchObject({ subtype: 'success' });
});

test('a hook before a call that fails, or takes too long, blocks it', async () => {
  const answers = [
    async () => Promise.reject(new Error('broken')),
    () => new Promise<never>(() => {}),
  ];
  let called = 0;
  const hook = () => {
    called += 1;
    return answers[called - 1]?.() ?? Promise.resolve({});
  };
  const turns = await converse(
    answers.flatMap(() => [reply([toolUse('Write', WRITE)]), reply('done')]),
    {
      permissionMode: 'acceptEdits',
      hooks: { PreToolUse: [{ hooks: [hook], timeout: 1 }] },
    },
    ['one', 'two'],
  );
  expect(called).toBe(2);
  expect(await written('a.txt')).toBeNull();
  for (const { last } of turns) expect(last).toMatch(/gave no usable answer/);
});

test('a hook that says what its failure means is believed, also where a user is asked', async (t) => {
  t.skip(lacks('onFailure'));
  const broken = async () => Promise.reject(new Error('broken'));
  await play([reply([toolUse('Write', WRITE)]), reply('done')], {
    permissionMode: 'acceptEdits',
    hooks: { PreToolUse: [{ hooks: [broken], onFailure: 'continue' }] },
  });
  expect(await written('a.txt')).not.toBeNull();
  await play([reply([toolUse('Write', { ...WRITE, file_path: 'b.txt' })]), reply('done')], {
    permissionMode: 'default',
    canUseTool: () => new Promise<never>(() => {}),
    hooks: { PermissionRequest: [{ hooks: [broken], onFailure: 'block' }] },
  });
  expect(lastRequest()).toMatch(/gave no usable answer/);
});

test('hooks are called back at the events of a session, and may leave it at being async', async () => {
  const seen: string[] = [];
  const hooks = [
    async (input: { hook_event_name: string }) => {
      seen.push(input.hook_event_name);
      return seen.length % 2 === 0 ? {} : { async: true as const, asyncTimeout: 1_000 };
    },
  ];
  const events = [
    ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
    ...['PostToolUseFailure', 'PermissionRequest', 'Stop', 'SessionEnd', 'PreCompact'],
  ];
  await play(
    [
      reply([toolUse('Read', { file_path: 'none.txt' })]),
      reply([toolUse('Write', WRITE)]),
      reply('done'),
    ],
    {
      canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }),
      hooks: Object.fromEntries(events.map((event) => [event, [{ hooks }]])),
    },
  );
  expect(seen.filter((event) => event !== 'SessionEnd')).toEqual([
    ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUseFailure'],
    ...['PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop'],
  ]);
});

test('a hook at the end of a sub-agent reads what it said', async () => {
  let lines: readonly string[] = [];
  const stop = async (input: { agent_transcript_path?: string }) => {
    lines = (await readFile(input.agent_transcript_path ?? '', 'utf8')).trim().split('\n');
    return {};
  };
  const order = { description: 'Counts', prompt: 'Count the geese.', subagent_type: 'Explore' };
  const script = [reply([toolUse('Agent', order)]), reply('Four geese.'), reply('done')];
  await play(script, { hooks: { SubagentStop: [{ hooks: [(input) => stop(Object(input))] }] } });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'user', isSidechain: true },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'Four geese.' }] } },
  ]);
});

test('a hook tells the model something, and changes the input of a call', async () => {
  await play([reply([toolUse('Write', WRITE)]), reply('done')], {
    permissionMode: 'acceptEdits',
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: {
                hookEventName: 'UserPromptSubmit',
                additionalContext: 'It is raining.',
              },
            }),
          ],
        },
      ],
      PreToolUse: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'allow',
                updatedInput: { ...WRITE, content: 'from the hook' },
              },
            }),
          ],
        },
      ],
    },
  });
  expect(JSON.stringify(requests()[0]?.body)).toContain('It is raining.');
  expect(await written('a.txt')).toBe('from the hook');
});

test('tools inside the program are offered at once and called, and their server is told', async () => {
  const asked: unknown[] = [];
  const hooked: unknown[] = [];
  const script = [reply([toolUse('mcp__calc__add', { a: 2, b: 40 })]), reply('done')];
  const messages = await play(script, {
    mcpServers: { calc: calculator() },
    canUseTool: async (_, input, { mcpServer }) => {
      asked.push(mcpServer);
      return { behavior: 'allow', updatedInput: input };
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (input) => {
              hooked.push(Object(input).mcp_server);
              return {};
            },
          ],
        },
      ],
    },
  });
  expect(messages[0]).toMatchObject({
    tools: expect.arrayContaining(['mcp__calc__add']),
    mcp_servers: [{ name: 'calc', status: 'connected' }],
  });
  expect(lastRequest()).toContain('the sum is 42');
  const server = { name: 'calc', source: 'sdk' };
  expect(hooked).toEqual([server]);
  if (!lacks('McpServerProvenance')) expect(asked).toEqual([server]);
});

test('what is always allowed is saved in the root of the configuration, and counts in the next run', async (t) => {
  t.skip(lacks('projectConfigRoot'));
  const root = join(home(), 'checkout');
  await mkdir(root);
  const script = () => [reply([toolUse('Bash', { command: 'touch made' })]), reply('done')];
  let asked = 0;
  const options: Options = {
    projectConfigRoot: root,
    canUseTool: async (_, input, { suggestions = [] }) => {
      asked += 1;
      const updatedPermissions = suggestions.map((one) => ({
        ...one,
        destination: 'localSettings' as const,
      }));
      return { behavior: 'allow', updatedInput: input, updatedPermissions };
    },
  };
  await play(script(), options);
  await play(script(), options);
  expect(asked).toBe(1);
  expect(await readFile(join(root, '.claude', 'settings.local.json'), 'utf8')).toContain('touch');
  await expect(stat(join(project(), '.claude', 'settings.local.json'))).rejects.toThrow('ENOENT');
});
