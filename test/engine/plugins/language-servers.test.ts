import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { entryObject } from '../../../src/main/engine/settings/plugins/plugin-loader';
import { readPlugin } from '../../../src/main/engine/settings/plugins/read-plugin';
import { createNodeFiles } from '../../../src/main/node/files';
import { loadWithPlugins, putAll } from './support';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-plugins-')));
  putAll(home, { 'proj/README.md': 'x' });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const GO = { command: 'gopls', extensionToLanguage: { '.go': 'go' } };
const named = (more: object = {}) => ({
  '.claude-plugin/plugin.json': { name: 'p', ...more },
});

async function load(plugin: Readonly<Record<string, unknown>>, trusted = true) {
  putAll(join(home, 'p'), plugin);
  const { languageServers = [], problems } = await loadWithPlugins(
    home,
    [join(home, 'p')],
    trusted,
  );
  return { servers: languageServers, told: problems.map(({ message }) => message) };
}

it.each<[string, Readonly<Record<string, unknown>>]>([
  ['the usual file, bare', { ...named(), '.lsp.json': { go: GO } }],
  ['the usual file, by name', { ...named(), '.lsp.json': { lspServers: { go: GO } } }],
  ['the manifest', named({ lspServers: { go: GO } })],
  [
    'a file that the manifest names',
    { ...named({ lspServers: './l.json' }), 'l.json': { go: GO } },
  ],
  ['several files', { ...named({ lspServers: ['l.json', 'l.json'] }), 'l.json': { go: GO } }],
  ['a folder without a manifest', { '.lsp.json': { go: GO } }],
])('servers are named in %s', async (_, plugin) => {
  const { servers, told } = await load(plugin);
  expect(told).toEqual([]);
  expect(servers).toMatchObject([
    {
      ...{ name: 'p:go', command: 'gopls', args: [], languages: { '.go': 'go' } },
      ...{ startupTimeout: 30_000, shutdownTimeout: 2_000, maxRestarts: 3 },
    },
  ]);
});

it('its marketplace may name them, as those of the ecosystem do', async () => {
  putAll(join(home, 'p'), { 'README.md': 'Install gopls first.' });
  const entry = entryObject({ name: 'p', source: './p', strict: false, lspServers: { go: GO } });
  const { plugin, problems } = await readPlugin(createNodeFiles(), join(home, 'p'), entry);
  expect(problems).toEqual([]);
  expect(plugin?.languageServers).toMatchObject([{ name: 'p:go', command: 'gopls' }]);
});

it('every field of the format is taken, its folder and values filled in', async () => {
  putAll(home, {
    '.claude/settings.json': { pluginConfigs: { p: { options: { size: '9' } } } },
  });
  const root = join(home, 'p');
  const { servers, told } = await load({
    ...named({ userConfig: { size: { description: 'How much' } } }),
    '.lsp.json': {
      $schema: 'https://example.org',
      go: {
        ...GO,
        args: [`\${CLAUDE_PLUGIN_ROOT}/x`, `\${HOME}`],
        extensionToLanguage: { '.GO': 'go', '.go.tmpl': 'tmpl' },
        ...{ transport: 'stdio', env: { A: `\${user_config.size}`, B: 1 } },
        initializationOptions: { in: [`\${CLAUDE_PLUGIN_ROOT}`] },
        settings: { 'a.b': `\${user_config.size}` },
        ...{ workspaceFolder: 'sub', startupTimeout: 60_000, shutdownTimeout: 500 },
        ...{ restartOnCrash: false, maxRestarts: 9, loggingConfig: { args: [] } },
      },
    },
  });
  expect(told).toEqual([]);
  expect(servers).toMatchObject([
    {
      args: [`${root}/x`, `\${HOME}`],
      languages: { '.go': 'go', '.go.tmpl': 'tmpl' },
      env: { A: '9', B: '1', CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_OPTION_SIZE: '9' },
      initializationOptions: { in: [root] },
      settings: { 'a.b': '9' },
      ...{ workspaceFolder: 'sub', startupTimeout: 60_000, shutdownTimeout: 500, maxRestarts: 0 },
    },
  ]);
});

it('in a folder that nobody trusts there are none', async () => {
  expect((await load({ '.lsp.json': { go: GO } }, false)).servers).toEqual([]);
});

it.each<[string, unknown, RegExp]>([
  [
    'no command',
    { extensionToLanguage: { '.a': 'a' } },
    /line 2: lspServers\.bad\.command: it is missing: a command in quotes/,
  ],
  ['no languages', { command: 'a' }, /lspServers\.bad\.extensionToLanguage: it is missing/],
  [
    'languages of nothing',
    { ...GO, extensionToLanguage: {} },
    /extensionToLanguage: an object such as/,
  ],
  [
    'an end without a point',
    { ...GO, extensionToLanguage: { go: 'go' } },
    /line 4: lspServers\.bad\.extensionToLanguage/,
  ],
  [
    'a socket',
    { ...GO, transport: 'socket' },
    /line 7: lspServers\.bad\.transport: only "stdio" is supported/,
  ],
  [
    'arguments in one text',
    { ...GO, args: '-x' },
    /lspServers\.bad\.args: a list of texts is expected; this server is left out/,
  ],
  ['a text', 'gopls', /lspServers\.bad: an object with "command"/],
  [
    'an option that nobody gave',
    { ...GO, command: `\${user_config.path}` },
    /lspServers\.bad: left out: it needs the option path/,
  ],
])('a server with %s is told with its line, and costs itself alone', async (_, bad, why) => {
  const { servers, told } = await load({
    ...named(),
    '.lsp.json': { bad, good: { ...GO, extensionToLanguage: { '.b': 'b' } } },
  });
  expect(servers.map(({ name }) => name)).toEqual(['p:good']);
  expect(told.join('\n')).toMatch(why);
});

it('a bad number has its default, and a mistyped field is told', async () => {
  const bad = { ...GO, startupTimeout: 'long', maxRestarts: -1, comand: 'x' };
  const { servers, told } = await load({ '.lsp.json': { go: bad } });
  expect(servers).toMatchObject([{ startupTimeout: 30_000, maxRestarts: 3 }]);
  expect(told.join('\n')).toMatch(
    /startupTimeout: milliseconds up to 600000 are expected; the default counts/,
  );
  expect(told.join('\n')).toMatch(/maxRestarts: a whole number/);
  expect(told.join('\n')).toMatch(/comand: there is no such field \(did you mean "command"\?\)/);
});

it('of two servers for one kind of file the first is used, and that is told', async () => {
  const other = { command: 'goose', extensionToLanguage: { '.go': 'go', '.mod': 'mod' } };
  const { servers, told } = await load({ '.lsp.json': { go: GO, other, third: GO } });
  expect(servers).toMatchObject([
    { name: 'p:go', languages: { '.go': 'go' } },
    { name: 'p:other', languages: { '.mod': 'mod' } },
  ]);
  expect(told).toEqual([
    expect.stringMatching(
      /line 8: lspServers\.other: p:other is not used for \.go: p:go comes first/,
    ),
    expect.stringMatching(/lspServers\.third/),
  ]);
});
