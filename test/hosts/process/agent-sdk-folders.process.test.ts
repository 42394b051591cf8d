import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Query } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { listSessions } from '../../../src/main/engine/sessions/list';
import { createNodeFiles } from '../../../src/main/node/files';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, lacks, said } from './agent-sdk';

const { start, home, project, lastRequest } = agentSdk();

const FILESYSTEM = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json'),
  ),
  'dist/index.js',
);

/** The SDK has no method for some requests of its types. */
interface Asking extends Query {
  request(request: object): Promise<unknown>;
}

test('a program registers a folder: hooks, memory, skills and tool servers hear of it', async (t) => {
  t.skip(lacks('register_repo_root'));
  const inner = join(await realpath(project()), 'inner');
  await mkdir(join(inner, '.claude', 'skills', 'hum'), { recursive: true });
  await writeFile(join(inner, 'CLAUDE.md'), 'Geese are counted twice.');
  const skill = '---\nname: hum\ndescription: Hums well\n---\nhum';
  await writeFile(join(inner, '.claude', 'skills', 'hum', 'SKILL.md'), skill);
  const heard: object[] = [];
  const DirectoryAdded = [
    {
      hooks: [
        async (input: object) => {
          heard.push(input);
          return {};
        },
      ],
    },
  ];
  const asked = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await asked.promise;
    yield said('second');
  }
  const filesystem = {
    ...{ type: 'stdio' as const, command: process.execPath, args: [FILESYSTEM] },
    alwaysLoad: true,
  };
  const tool = 'mcp__filesystem__list_allowed_directories';
  const allowed = toolUse(tool, {});
  const running = (await start(
    [reply([allowed]), reply('one'), reply([allowed]), reply('two')],
    {
      ...{ hooks: { DirectoryAdded }, settingSources: ['project'] },
      ...{ mcpServers: { filesystem }, allowedTools: ['mcp__filesystem'] },
    },
    prompts(),
  )) as Asking;
  const register = (directory: string) =>
    running.request({
      ...{ subtype: 'register_repo_root', directory },
      ...{ reload_claude_md: true, reload_skills: true, reload_plugins: true },
    });
  let results = 0;
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results += 1;
    if (results > 1) continue;
    expect(lastRequest()).not.toContain('counted twice');
    await register(inner);
    await expect(register(inner)).rejects.toThrow('worked in already');
    await expect(register('/')).rejects.toThrow('not inside');
    await expect
      .poll(() => heard)
      .toMatchObject([
        { hook_event_name: 'DirectoryAdded', directory: inner, source: 'register_repo_root' },
      ]);
    expect((await running.supportedCommands()).map(({ name }) => name)).toContain('hum');
    // The server asks for the folders when it has heard that there are others.
    await expect
      .poll(async () => JSON.stringify(await running.request({ subtype: 'mcp_call', tool })))
      .toContain(inner);
    asked.resolve();
  }
  expect(lastRequest()).toContain('Geese are counted twice.');
  expect(lastRequest()).toContain(`Allowed directories:\\n${await realpath(project())}\\n${inner}`);
});

test('a program marks its session with a colour, which lists show', async (t) => {
  t.skip(lacks('set_color'));
  const asked = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await asked.promise;
  }
  const running = (await start([reply('one')], {}, prompts())) as Asking;
  const color = (name: string) => running.request({ subtype: 'set_color', color: name });
  for await (const message of running) {
    if (message.type !== 'result') continue;
    await expect(color('mud')).rejects.toThrow('"color" must be one of');
    await color('blue');
    asked.resolve();
  }
  const files = createNodeFiles();
  const listed = await listSessions(files, join(home(), '.lathe'), await realpath(project()));
  expect(listed).toMatchObject([{ title: 'first', color: 'blue' }]);
});
