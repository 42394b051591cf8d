import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveModel } from '../../../src/main/engine/model/catalog';
import { createPluginStore, type PluginStore } from '../../../src/main/engine/plugins/plugin-store';
import { createDefinitions } from '../../../src/main/engine/session/definitions';
import { readManaged } from '../../../src/main/engine/settings/load';
import { createPluginFolders } from '../../../src/main/engine/settings/plugins/folder';
import { createPluginStateFile } from '../../../src/main/engine/settings/plugins/plugin-state';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import { createNodeIds } from '../../../src/main/node/system';
import { FULL_PLUGIN, loadWithPlugins, MARKETPLACE, putAll } from './support';

const files = createNodeFiles();
let home: string;
let store: PluginStore;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-plugins-')));
  const folder = join(home, 'plugins');
  store = createPluginStore({
    files,
    ids: createNodeIds(),
    folder,
    folders: createPluginFolders(files),
    state: createPluginStateFile(files, folder, createNodeLocks()),
    locks: createNodeLocks(),
    home,
    managed: () => readManaged(files, join(home, 'etc', 'managed-settings.json')),
    fetchRepository: async () => {
      throw new Error('nothing is to be fetched');
    },
  });
  putAll(home, { 'proj/README.md': 'x' });
  putAll(join(home, 'town'), MARKETPLACE);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ID = 'house@town';
const turnOn = (id = ID) =>
  putAll(home, { '.claude/settings.json': { enabledPlugins: { [id]: true } } });

const load = (folders: readonly string[] = [], trusted = true) =>
  loadWithPlugins(home, folders, trusted);

const look = async (switches = {}) => {
  const { plugins, problems } = await store.overview({ switches, marketplaces: {} });
  expect(problems).toEqual([]);
  return plugins;
};

/** Adds the marketplace and installs its plugin as it is shown. */
async function install(): Promise<void> {
  expect(await store.addMarketplace({ kind: 'folder', path: join(home, 'town') })).toEqual({
    ok: true,
    value: 'town',
  });
  const [shown] = await look();
  expect(await store.install(ID, shown?.digest ?? '')).toEqual({ ok: true, value: null });
  turnOn();
}

test('a plugin is shown with all it brings before anything of it counts', async () => {
  await store.addMarketplace({ kind: 'folder', path: join(home, 'town') });
  const [shown] = await look();
  expect(shown).toMatchObject({ id: ID, version: '1.2.0', state: 'available', enabled: false });
  expect(shown?.parts.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'hook SessionStart',
    'server plugin_house_cellar',
    'languageServer house:stone',
    'command /house:greet',
    'skill /house:paint',
    'agent house:checker',
    'outputStyle house:terse',
  ]);
  expect(shown?.parts[0]?.detail).toContain('scripts/hello.sh');
  turnOn();
  const settings = await load();
  expect(settings.plugins).toBeUndefined();
  expect(settings.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /settings\.json, line 2: enabledPlugins: the plugin house@town is not installed/,
    ),
  ]);
});

test('an installed plugin brings agents, skills, commands, hooks and servers under its name', async () => {
  await install();
  const settings = await load();
  expect(settings.problems).toEqual([]);
  const [plugin] = settings.plugins ?? [];
  const root = plugin?.root ?? '';
  expect(root.startsWith(join(home, 'plugins', 'installed'))).toBe(true);
  expect(settings.hooks).toMatchObject([
    { event: 'SessionStart', plugin: { name: 'house', root }, off: null },
  ]);
  expect(settings.mcpServers).toMatchObject([
    {
      name: 'plugin_house_cellar',
      args: [`${root}/server.mjs`],
      env: { CLAUDE_PLUGIN_ROOT: root, A: '1' },
    },
  ]);
  const definitions = createDefinitions(
    {
      files,
      configDir: join(home, '.claude'),
      managedMemory: null,
      resolveModel: (name) => resolveModel(name, {}),
    },
    {
      project: join(home, 'proj'),
      trusted: () => true,
      plugins: () => settings.plugins ?? [],
      simple: false,
    },
  );
  await definitions.refresh();
  expect(definitions.skills.list().map(({ name }) => name)).toEqual(['house:greet', 'house:paint']);
  const agent = definitions.agents.list().find(({ name }) => name === 'house:checker');
  expect(agent).toMatchObject({ description: 'Checks the house', source: 'plugin' });
  // No plugin makes its agents freer than the user was shown.
  expect(agent?.permissionMode).toBeUndefined();
  expect(definitions.problems().map(({ field }) => field)).toEqual(['permissionMode']);
});

test('an approval is bound to content: what changes on either side asks again', async () => {
  await install();
  putAll(join(home, 'town'), { 'plugins/house/scripts/hello.sh': '#!/bin/sh\necho changed\n' });
  const [newer] = await look({ [ID]: true });
  expect(newer).toMatchObject({ state: 'update', enabled: true });
  // What was installed goes on as it was.
  const root = (await load()).plugins?.[0]?.root ?? '';
  expect(root).not.toBe('');
  expect(await store.install(ID, 'another digest')).toMatchObject({
    ok: false,
    error: { code: 'changed' },
  });
  expect(await store.install(ID, newer?.digest ?? '')).toEqual({ ok: true, value: null });
  expect(await look({ [ID]: true })).toMatchObject([{ state: 'on' }]);
  const copy = (await load()).plugins?.[0]?.root ?? '';
  expect((await files.stat(root)).ok).toBe(false);
  putAll(copy, { 'commands/evil.md': 'Do as I say.' });
  const after = await load();
  expect(after.plugins).toBeUndefined();
  expect(after.problems[0]?.message).toMatch(/changed since it was approved.* asks before every/);
  const [changed] = await look({ [ID]: true });
  expect(changed).toMatchObject({ state: 'changed' });
  expect(await store.approve(ID, changed?.digest ?? '')).toEqual({ ok: true, value: null });
  expect((await load()).plugins).toHaveLength(1);
});

test('what a project turns on counts after trust only, and is never installed by it', async () => {
  await install();
  putAll(home, {
    '.claude/settings.json': {},
    'proj/.claude/settings.json': { enabledPlugins: { [ID]: true } },
  });
  expect((await load([], false)).plugins).toBeUndefined();
  expect((await load([], true)).plugins).toHaveLength(1);
  putAll(home, { 'proj/.claude/settings.local.json': { enabledPlugins: { [ID]: false } } });
  expect((await load([], true)).plugins).toBeUndefined();
});

test('removing a plugin takes its copy away, and a marketplace of a folder stays where it is', async () => {
  await install();
  const root = (await load()).plugins?.[0]?.root ?? '';
  expect(await store.remove(ID)).toEqual({ ok: true, value: null });
  expect((await files.stat(root)).ok).toBe(false);
  expect(await store.removeMarketplace('town')).toEqual({ ok: true, value: null });
  expect((await files.stat(join(home, 'town'))).ok).toBe(true);
  expect(await store.remove(ID)).toMatchObject({ ok: false });
});

test('a folder of the command line counts in its run, unasked', async () => {
  putAll(join(home, 'own'), FULL_PLUGIN);
  expect((await load([join(home, 'own')])).plugins).toMatchObject([{ name: 'house' }]);
});

test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  [
    'language servers that are a list, in a file of their own',
    { '.claude-plugin/plugin.json': { name: 'a' }, '.lsp.json': { lspServers: [] } },
    /\.lsp\.json, line 2: lspServers: an object of language servers is expected/,
  ],
  [
    'workflows',
    { '.claude-plugin/plugin.json': { name: 'a', workflows: './w' } },
    /plugin\.json, line 3: workflows: workflows of plugins are not run/,
  ],
  [
    'options that are a list',
    { '.claude-plugin/plugin.json': { name: 'a', userConfig: [] } },
    /line 3: userConfig: an object of options is expected/,
  ],
  [
    'an option that is a text, with a name that is none',
    { '.claude-plugin/plugin.json': { name: 'a', userConfig: { 'a b': {}, c: 'd' } } },
    /line 4: a b: letters[\s\S]*line 5: c: an object with a description/,
  ],
  [
    'an option of an unknown type',
    { '.claude-plugin/plugin.json': { name: 'a', userConfig: { a: { type: 'date', sort: 1 } } } },
    /line 6: sort: there is no such field of an option[\s\S]*line 5: type: one of string, number/,
  ],
  [
    'needs that are no names',
    { '.claude-plugin/plugin.json': { name: 'a', dependencies: ['../b', 4] } },
    /line 3: dependencies: a name such as "helper"/,
  ],
  ['no manifest', { 'README.md': 'x' }, /plugin\.json, line 1: .*(?:no such|does not exist|not)/i],
  [
    'a manifest that is no JSON',
    { '.claude-plugin/plugin.json': '{\n "name": house }' },
    /plugin\.json, line 2/,
  ],
  [
    'no name',
    { '.claude-plugin/plugin.json': { version: '1' } },
    /plugin\.json, line 1: name: a name/,
  ],
  ['a name with a path', { '.claude-plugin/plugin.json': { name: '../up' } }, /name: a name/],
  [
    'a folder that leads out',
    { '.claude-plugin/plugin.json': { name: 'a', commands: '../../etc' } },
    /commands: "\.\.\/\.\.\/etc" leads out/,
  ],
  [
    'commands that are a number',
    { '.claude-plugin/plugin.json': { name: 'a', commands: 7 } },
    /plugin\.json, line 3: commands: a path or a list of paths/,
  ],
  [
    'hooks that are no JSON',
    { '.claude-plugin/plugin.json': { name: 'a' }, 'hooks/hooks.json': '{' },
    /hooks\.json, line 1/,
  ],
  [
    'a hook of an unknown event',
    {
      '.claude-plugin/plugin.json': { name: 'a' },
      'hooks/hooks.json': { hooks: { PreToolUze: [] } },
    },
    /hooks\.json, line 3: hooks\.PreToolUze: there is no such event/,
  ],
  [
    'a server without a command',
    { '.claude-plugin/plugin.json': { name: 'a' }, '.mcp.json': { mcpServers: { b: {} } } },
    /\.mcp\.json, line 3: mcpServers\.plugin_a_b/,
  ],
  [
    'a mistyped field',
    { '.claude-plugin/plugin.json': { name: 'a', comands: './x' } },
    /comands: there is no such field \(did you mean "commands"\?\)/,
  ],
])(
  'a bad plugin is told with file and field, and takes nothing else down: %s',
  async (_, put, told) => {
    putAll(join(home, 'bad'), put);
    putAll(join(home, 'good'), FULL_PLUGIN);
    const { problems, plugins = [], hooks } = await load([join(home, 'bad'), join(home, 'good')]);
    expect(problems.map(({ message }) => message).join('\n')).toMatch(told);
    expect(plugins.map(({ name }) => name)).toContain('house');
    expect(hooks.filter(({ plugin }) => plugin?.name === 'house')).toHaveLength(1);
  },
);

test('a bad entry of a marketplace costs itself; a bad marketplace is refused', async () => {
  const file = '.claude-plugin/marketplace.json';
  const path = join(home, 'odd');
  const plugins = [
    { name: 'up', source: '../up' },
    { source: './x' },
    7,
    { name: 'house', source: './plugins/house' },
  ];
  putAll(path, { ...MARKETPLACE, [file]: { name: 'odd', plugins } });
  expect(await store.addMarketplace({ kind: 'folder', path })).toMatchObject({ ok: true });
  const { plugins: listed, problems } = await store.overview({ switches: {}, marketplaces: {} });
  expect(listed.map(({ id }) => id)).toEqual(['house@odd']);
  expect(problems.map(({ field }) => field)).toEqual([
    'plugins[0].source',
    'plugins[1].name',
    'plugins[2]',
  ]);
  putAll(path, { [file]: '{"name": "odd", "plugins": {}}' });
  expect(await store.updateMarketplace('odd')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('plugins: a list is expected') },
  });
});

test('links are refused, so that a plugin is all in its folder', async () => {
  symlinkSync('/etc/hostname', join(home, 'town', 'plugins', 'house', 'link.md'));
  await store.addMarketplace({ kind: 'folder', path: join(home, 'town') });
  const [shown] = await look();
  expect(shown).toMatchObject({ state: 'broken', digest: '' });
  expect(shown?.problems[0]?.message).toContain('is a link');
});

test('a plugin that needs one of a marketplace is not content with one of another', async () => {
  await install();
  for (const market of ['town', 'elsewhere'])
    putAll(join(home, market, 'mine'), {
      '.claude-plugin/plugin.json': { name: `of-${market}`, dependencies: [`house@${market}`] },
    });
  const folders = ['town', 'elsewhere'].map((market) => join(home, market, 'mine'));
  const { plugins = [], problems } = await load(folders);
  expect(plugins.map(({ name }) => name).toSorted()).toEqual(['house', 'of-town']);
  expect(problems.map(({ message }) => message).join()).toContain(
    'the plugin "of-elsewhere" is left out: it needs house@elsewhere.',
  );
});

const SKILL = (name: string) => `---\nname: ${name}\ndescription: Does ${name}\n---\nDo it.`;
/** A marketplace that says what is in two plugins of one folder. */
const SHELF = (more: object = {}) => ({
  '.claude-plugin/marketplace.json': {
    name: 'shelf',
    plugins: [
      { name: 'papers', source: './', strict: false, skills: ['./skills/sheet'], ...more },
      { name: 'rest', source: './', strict: false },
    ],
  },
  'skills/sheet/SKILL.md': SKILL('sheet'),
  'skills/slides/SKILL.md': SKILL('slides'),
  'hooks/hooks.json': {
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  },
});

const partsOf = async () => {
  const plugins = await look();
  return plugins.map(({ name, parts }) => [name, parts.map((part) => `${part.kind} ${part.name}`)]);
};

test('a marketplace that says all that is in a plugin is taken at its word', async () => {
  putAll(join(home, 'shelf'), SHELF());
  await store.addMarketplace({ kind: 'folder', path: join(home, 'shelf') });
  expect(await partsOf()).toEqual([
    ['papers', ['skill /papers:sheet']],
    // Of this one it says nothing, so that what there is counts.
    ['rest', ['hook Stop', 'skill /rest:sheet', 'skill /rest:slides']],
  ]);
});

test('a plugin that also names parts itself is then none', async () => {
  const manifest = { '.claude-plugin/plugin.json': { name: 'papers', skills: './skills' } };
  putAll(join(home, 'shelf'), { ...SHELF(), ...manifest });
  await store.addMarketplace({ kind: 'folder', path: join(home, 'shelf') });
  const [papers] = await look();
  expect(papers).toMatchObject({ name: 'papers', state: 'broken', parts: [] });
  expect(JSON.stringify(papers?.problems)).toContain('its marketplace says all that is in it');
});

test('a folder with parts is a plugin by its own name, where nothing else names it', async () => {
  putAll(join(home, 'bare'), { 'skills/sheet/SKILL.md': SKILL('sheet') });
  putAll(join(home, 'empty'), { 'README.md': 'x' });
  const { plugins, problems } = await load([join(home, 'bare'), join(home, 'empty')]);
  expect(plugins?.map(({ name }) => name)).toEqual(['bare']);
  expect(problems).toMatchObject([{ message: expect.stringContaining('plugin.json') }]);
});

test('a marketplace that managed settings do not let be added is neither fetched nor read', async () => {
  const managed = (content: object) => putAll(home, { 'etc/managed-settings.json': content });
  managed({ blockedMarketplaces: [{ source: 'github', repo: 'team/*' }] });
  const url = 'https://github.com/team/plugins.git';
  expect(await store.addMarketplace({ kind: 'git', url })).toMatchObject({
    error: { code: 'marketplace_refused' },
  });
  symlinkSync(join(home, 'town'), join(home, 'other'));
  const town = { kind: 'folder' as const, path: join(home, 'other') };
  managed({ strictKnownMarketplaces: [] });
  expect(await store.addMarketplace(town)).toMatchObject({
    error: { code: 'marketplace_refused' },
  });
  managed({ strictKnownMarketplaces: [{ source: 'directory', path: join(home, 'town') }] });
  expect((await store.addMarketplace(town)).ok).toBe(true);
  managed({ blockedMarketplaces: [{ source: 'pathPattern', pathPattern: '/town$' }] });
  for (const act of [store.fetch(ID), store.install(ID, ''), store.updateMarketplace('town')])
    expect(await act).toMatchObject({ error: { code: 'marketplace_refused' } });
});

test('hooks of a plugin that stand twice all count, and what strict JSON has not is told', async () => {
  const says = (command: string) =>
    `"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${command}"}]}]}`;
  putAll(join(home, 'mine'), {
    '.claude-plugin/plugin.json': '{"name": "mine"} // of the house',
    'hooks/hooks.json': `{${says('one')},\n${says('two')}}`,
  });
  const { hooks, problems } = await load([join(home, 'mine')]);
  expect(hooks.map(({ run }) => run)).toEqual(['one', 'two']);
  expect(problems.map(({ message }) => message.replaceAll(`${home}/mine/`, ''))).toEqual([
    '.claude-plugin/plugin.json, line 1: a comment: Lathe reads it, but strict JSON has none: others may refuse the file.',
    'hooks/hooks.json, line 2: hooks: the name stands here more than once; the hooks of each count.',
  ]);
});
