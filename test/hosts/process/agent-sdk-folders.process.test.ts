import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type {
  Options,
  Query,
  SDKPluginInstallMessage,
  SDKSystemMessage,
} from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { listSessions } from '../../../src/main/engine/sessions/list';
import { createNodeFiles } from '../../../src/main/node/files';
import { putAll } from '../../engine/plugins/support';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, lacks, said } from './agent-sdk';

const { start, play, home, project, lastRequest } = agentSdk();

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

/** Writes a marketplace with plugins that have a command each, and returns its folder. */
function marketplace(name: string, plugins: readonly string[]): string {
  const folder = join(home(), name);
  const list = plugins.map((plugin) => ({ name: plugin, source: `./${plugin}` }));
  putAll(folder, { '.claude-plugin/marketplace.json': { name, plugins: list } });
  for (const plugin of plugins) putAll(join(folder, plugin), { 'commands/hum.md': 'Hum.' });
  return folder;
}

/** Writes settings of the user that turn plugins of two marketplaces on, and of the project that turn on one more. */
function writePlugins(): void {
  const river = marketplace('river', ['reed', 'stone', 'eel']);
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', river, '-c', 'user.name=A', '-c', 'user.email=a@b', ...words]);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  putAll(home(), {
    '.claude/settings.json': {
      enabledPlugins: { 'oak@wood': true, 'reed@river': true, 'stone@river': true },
      extraKnownMarketplaces: {
        wood: { source: { source: 'directory', path: marketplace('wood', ['oak']) } },
        river: { source: { source: 'git', url: `file://${river}` } },
      },
    },
  });
  putAll(project(), {
    '.claude/settings.json': {
      enabledPlugins: { 'eel@river': true },
      env: { CLAUDE_CODE_SYNC_PLUGIN_INSTALL: '1' },
    },
  });
}

const SYNC = (env: Record<string, string | undefined>) => ({
  ...env,
  CLAUDE_CODE_SYNC_PLUGIN_INSTALL: '1',
});

test('plugins that settings of the user turn on are installed ahead of the first line', async (t) => {
  t.skip(lacks('plugin_install'));
  writePlugins();
  const settingSources = ['user' as const, 'project' as const];
  const run = async (withEnv?: typeof SYNC, more: Options = {}) => {
    const messages = await play([reply('done')], { settingSources, ...more }, 'go', withEnv);
    const at = messages.findIndex((one) => one.type === 'system' && one.subtype === 'init');
    const isTold = (one: object) => 'subtype' in one && one.subtype === 'plugin_install';
    expect(messages.slice(at).filter(isTold)).toEqual([]);
    const init = messages[at] as SDKSystemMessage;
    const told = messages.slice(0, at).filter((one) => isTold(one)) as SDKPluginInstallMessage[];
    for (const { session_id } of told) expect(session_id).toBe(init.session_id);
    return { init, told: told.map(({ status, name }) => [status, name ?? []].flat().join(' ')) };
  };

  const without = await run();
  expect(without.told).toEqual([]);
  expect(without.init.plugins).toEqual([]);
  expect(without.init.plugin_errors).toHaveLength(4);

  const first = await run(SYNC);
  const asked = ['failed eel@river'];
  const done = ['oak@wood', 'reed@river', 'river', 'stone@river', 'wood'].map(
    (name) => `installed ${name}`,
  );
  expect(first.told.slice(1, -1).toSorted()).toEqual([...asked, ...done]);
  expect([first.told.at(0), first.told.at(-1)]).toEqual(['started', 'completed']);
  for (const place of ['wood oak@wood', 'river reed@river', 'river stone@river']) {
    const [before, after] = place.split(' ').map((name) => first.told.indexOf(`installed ${name}`));
    expect(before).toBeLessThan(after ?? 0);
  }
  const commands = ['oak:hum', 'reed:hum', 'stone:hum'];
  expect(first.init.slash_commands).toEqual(expect.arrayContaining(commands));
  expect(first.init.slash_commands).not.toContain('eel:hum');
  expect(first.init.plugin_errors).toEqual([
    {
      ...{ plugin: 'eel@river', type: 'generic-error' },
      message: expect.stringContaining('lathe plugin install eel@river'),
    },
  ]);

  const second = await run(SYNC);
  expect(second.told).toEqual(['started', ...asked, 'completed']);
  expect(second.init.slash_commands).toEqual(expect.arrayContaining(commands));

  const third = await run(SYNC, { continue: true });
  expect(third.init.session_id).toBe(second.init.session_id);
  const fourth = await run(SYNC, { resume: first.init.session_id, forkSession: true });
  expect(fourth.init.session_id).not.toBe(first.init.session_id);
});

test('a run that is ended while it installs ends at once, with what installs', async (t) => {
  t.skip(lacks('plugin_install'));
  const asked = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => asked.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  putAll(home(), {
    '.claude/settings.json': {
      enabledPlugins: { 'a@slow': true },
      extraKnownMarketplaces: {
        slow: { source: { source: 'git', url: `http://127.0.0.1:${port}/slow` } },
      },
    },
  });
  const running = await start([], {}, 'go', SYNC);
  await asked.promise;
  running.close();
  // Both would stay as long as the server says nothing.
  await new Promise((resolve) => server.close(resolve));
});
