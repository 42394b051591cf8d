import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { tempFolder } from '../../node/temp-folder';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { npmServer } from '../mcp/npm-servers';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook } from './support';

const open = sessionsOfFile();
const server = (name: 'everything' | 'filesystem', ...args: string[]): McpServerSetting => ({
  ...{ name, command: process.execPath, args: [npmServer(name), ...args], env: {} },
  ...{ alwaysLoad: true, file: '.mcp.json' },
});
const calls = (server: string, tool: string, input: Readonly<Record<string, unknown>>) =>
  ({ type: 'mcp_tool', call: { server, tool, input } }) as const;

it('a hook calls a tool of a server that is still to connect, and its words are told to the model', async () => {
  const t = await open([reply('Fine.')], {
    settings: {
      mcpServers: [server('everything')],
      hooks: [
        hook('UserPromptSubmit', 'mcp__everything__echo', {
          ...calls('everything', 'echo', { message: `you said $\{prompt}` }),
        }),
      ],
    },
  });
  expect(endOf(await t.run('geese')).terminal).toBe('completed');
  expect(saidIn(t.api, 0)).toContain('Echo: you said geese');
});

it('what a tool answers as JSON decides as that of a command does; a denied or failing tool decides nothing', async () => {
  const answers = await realpath(await tempFolder());
  const refusal = {
    hookSpecificOutput: {
      ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny' },
      permissionDecisionReason: 'The geese are asleep.',
    },
  };
  await writeFile(join(answers, '1.json'), JSON.stringify(refusal));
  const t = await open(
    [
      reply([toolUse('Read', { file_path: 'a.txt', limit: 1 }, 'r1')]),
      reply([toolUse('Read', { file_path: 'a.txt', limit: 2 }, 'r2')]),
      reply('Fine.'),
    ],
    {
      decide,
      settings: {
        mcpServers: [server('filesystem', answers)],
        // The server asks the session for its folders, before the call or after it.
        additionalDirectories: [answers],
        rules: [{ behavior: 'deny', text: 'mcp__filesystem__list_directory', source: 'managed' }],
        hooks: [
          hook('PreToolUse', 'mcp__filesystem__read_text_file', {
            ...calls('filesystem', 'read_text_file', {
              path: `${answers}/\${tool_input.limit}.json`,
            }),
            matcher: 'Read',
          }),
          hook('PreToolUse', 'mcp__filesystem__list_directory', {
            ...calls('filesystem', 'list_directory', { path: answers }),
            line: 2,
          }),
          hook('PreToolUse', 'mcp__nobody__x', { ...calls('nobody', 'x', {}), line: 3 }),
        ],
      },
    },
  );
  await writeFile(join(t.project, 'a.txt'), 'geese');
  const events = await t.run('go');
  const [asleep, fine] = ofType(events, 'call_settled');
  expect(asleep).toMatchObject({ isError: true });
  expect(JSON.stringify(asleep)).toContain('The geese are asleep.');
  expect(fine).toMatchObject({ isError: false });
  const notes = ofType(events, 'hook_settled').map(({ report }) => [report.outcome, report.note]);
  expect(notes).toContainEqual(['failed', 'a rule denies mcp__filesystem__list_directory']);
  expect(notes).toContainEqual(['failed', 'That server is not connected.']);
  expect(notes).toContainEqual(['failed', expect.stringContaining('2.json')]);
});

it('a guard that cannot be asked blocks where it says so', async () => {
  const t = await open([reply('Never.')], {
    settings: {
      hooks: [
        hook('UserPromptSubmit', 'mcp__nobody__x', {
          ...calls('nobody', 'x', {}),
          onFailure: 'block',
        }),
      ],
    },
  });
  expect(endOf(await t.run('go')).text).toContain('That server is not connected.');
  expect(t.api.requests).toEqual([]);
});

it('a hook of a plugin names the server of its plugin as the plugin does', async () => {
  const named = { ...server('everything'), name: 'plugin_mail_post' };
  const of = (server: string, message: string, line: number) =>
    hook('UserPromptSubmit', 'mcp__post__echo', {
      ...calls(server, 'echo', { message }),
      ...{ plugin: { name: 'mail', root: '/mail' }, line },
    });
  const t = await open([reply('Fine.')], {
    settings: {
      mcpServers: [named],
      hooks: [of('post', 'by its own name', 1), of('plugin:mail:post', 'by its whole name', 2)],
    },
  });
  await t.run('go');
  expect(saidIn(t.api, 0)).toContain('Echo: by its own name');
  expect(saidIn(t.api, 0)).toContain('Echo: by its whole name');
});
