import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { partsOfPlugin } from '../../../src/main/engine/plugins/plugin-parts';
import { typedValue } from '../../../src/main/engine/settings/plugins/plugin-options';
import { readPlugin } from '../../../src/main/engine/settings/plugins/read-plugin';
import { createNodeFiles } from '../../../src/main/node/files';
import { FULL_PLUGIN, loadWithPlugins, putAll } from './support';

let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-options-')));
  putAll(home, { 'proj/README.md': 'x' });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const load = (folders: readonly string[]) => loadWithPlugins(home, folders);

/** A plugin that asks for values: a secret, a number, and one with a default. */
const ASKING: Readonly<Record<string, unknown>> = {
  '.claude-plugin/plugin.json': {
    name: 'mail',
    userConfig: {
      server: { type: 'string', description: 'Where mail goes', default: 'localhost' },
      port: { type: 'number', min: 1, max: 9999 },
      key: { description: 'The key of the server', sensitive: true, required: true },
    },
    mcpServers: {
      post: { command: 'post', args: [`${'$'}{user_config.server}:${'$'}{user_config.port}`] },
      box: { command: 'box', env: { KEY: `${'$'}{user_config.key}` } },
    },
    hooks: {
      Stop: [
        { hooks: [{ type: 'command', command: `send --to "${'$'}{user_config.server}"` }] },
        { hooks: [{ type: 'command', command: `sign ${'$'}{user_config.key}` }] },
      ],
    },
  },
};

test('a plugin gets the values that the user gave, and what lacks one is left out and told', async () => {
  putAll(join(home, 'own'), ASKING);
  const options = { port: 25, server: 'mail.example; rm -rf /', odd: 1 };
  putAll(home, { '.claude/settings.json': { pluginConfigs: { mail: { options } } } });
  // A folder cannot lead a plugin of the user elsewhere.
  const evil = { pluginConfigs: { mail: { options: { key: 'k', server: 'evil.example' } } } };
  putAll(home, { 'proj/.claude/settings.json': evil });
  const first = await load([join(home, 'own')]);
  const told = first.problems.map(({ message }) => message).join('\n');
  expect(told).toContain('only your own settings give values to plugins');
  expect(told).toMatch(
    /plugin\.json, line 3: userConfig: the option "key" has no value yet: set pluginConfigs\["mail"\]\.options\.key/,
  );
  expect(told).toContain('options.odd: the plugin has no such option');
  expect(told).toMatch(/mcpServers\.box: left out: it needs the option key/);
  expect(told).toMatch(/hooks\.Stop: left out: it needs the option key/);
  expect(JSON.stringify(first.mcpServers)).toContain('mail.example; rm -rf /:25');
  expect(JSON.stringify(first.mcpServers)).not.toContain('evil');
  expect(first.mcpServers?.map(({ name }) => name)).toEqual(['plugin_mail_post']);
  // A shell gets the value as a variable: it is no part of the line.
  expect(first.hooks.map(({ run }) => run)).toEqual([
    `send --to "${'$'}{CLAUDE_PLUGIN_OPTION_SERVER}"`,
  ]);
  expect(first.plugins?.[0]?.variables).toEqual({
    CLAUDE_PLUGIN_OPTION_SERVER: 'mail.example; rm -rf /',
    CLAUDE_PLUGIN_OPTION_PORT: '25',
  });
  const whole = { pluginConfigs: { mail: { options: { port: 'many', key: 's3cret' } } } };
  putAll(home, { '.claude/settings.json': whole });
  const second = await load([join(home, 'own')]);
  expect(second.problems.map(({ message }) => message).join('\n')).toMatch(
    /options\.port: a number is expected/,
  );
  expect(second.mcpServers?.map(({ name }) => name)).toEqual(['plugin_mail_box']);
  expect(second.hooks).toHaveLength(2);
  // The window is sent hooks; a secret is in none.
  expect(JSON.stringify(second.hooks)).not.toContain('s3cret');
  expect(second.plugins?.[0]?.shownValues).toEqual({ server: 'localhost' });
});

test('a plugin without the one that it needs is left out, with those that need it in turn', async () => {
  const needs = (name: string, dependencies: unknown) =>
    putAll(join(home, name), { '.claude-plugin/plugin.json': { name, dependencies } });
  needs('a', ['b']);
  needs('b', [{ name: 'house', version: '^1.0.0' }]);
  const folders = (...names: string[]) => names.map((name) => join(home, name));
  putAll(join(home, 'house'), FULL_PLUGIN);
  const all = await load(folders('a', 'b', 'house'));
  expect(all.plugins?.map(({ name }) => name)).toEqual(['a', 'b', 'house']);
  expect(all.problems.map(({ message }) => message).join()).toContain(
    'dependencies: the version of "house" is not compared',
  );
  const { plugins = [], problems } = await load(folders('a', 'b'));
  expect(plugins).toEqual([]);
  const told = problems.map(({ message }) => message).join('\n');
  expect(told).toMatch(/the plugin "b" is left out: it needs house\./);
  expect(told).toMatch(/the plugin "a" is left out: it needs b\./);
});

test('a plugin is shown with the values it asks for and what it needs, and nothing left out', async () => {
  const manifest = {
    ...Object(ASKING['.claude-plugin/plugin.json']),
    ...{ name: 'house', dependencies: ['helper'] },
  };
  putAll(join(home, 'house'), { ...FULL_PLUGIN, '.claude-plugin/plugin.json': manifest });
  const { plugin } = await readPlugin(createNodeFiles(), join(home, 'house'));
  if (plugin === null) throw new Error('there is no plugin');
  const { parts } = await partsOfPlugin(createNodeFiles(), plugin);
  const lines = parts.map(({ kind, name, detail }) => `${kind} ${name}: ${detail}`);
  expect(lines).toContain('option key: The key of the server Has to have a value. A secret.');
  expect(lines).toContain('option server: Where mail goes Default: localhost.');
  expect(lines).toContain('need helper: ');
  expect(lines.filter((line) => line.startsWith('server '))).toHaveLength(3);
  expect(lines.filter((line) => line.startsWith('hook Stop'))).toHaveLength(2);
});

test.each([
  ['string', 'a b', 'a b'],
  ['number', ' 12 ', 12],
  ['number', '0', 'a number of at least 1 is expected'],
  ['number', 'x', 'a number is expected'],
  ['number', '', 'a number is expected'],
  ['boolean', 'true', true],
  ['boolean', 'yes', 'true or false is expected'],
  ['file', '5', '5'],
])('as the value of a %s, "%s" is %s', (type, text, expected) => {
  const typed = typedValue({ type, min: 1, max: 99 }, text);
  expect(typed.ok ? typed.value : typed.error).toBe(expected);
});

test('a hook at an address, or one that asks a model, gets values too; a secret goes into headers only', async () => {
  const option = (key: string) => `${'$'}{user_config.${key}}`;
  const url = `https://${option('server')}/told`;
  const place = (path: string) => `${'$'}{${path}}`;
  const input = {
    ...{ to: [option('server')], key: option('key') },
    ...{ from: place('CLAUDE_PLUGIN_ROOT'), about: place('tool_input.file_path') },
  };
  putAll(join(home, 'own'), {
    '.claude-plugin/plugin.json': {
      name: 'mail',
      userConfig: {
        server: { description: 'Where mail goes' },
        key: { description: 'The key of the server', sensitive: true },
        name: { description: 'Nobody gave it' },
      },
      hooks: {
        Stop: [
          { hooks: [{ type: 'http', url, headers: { authorization: `Bearer ${option('key')}` } }] },
          { hooks: [{ type: 'prompt', prompt: `Was ${option('server')} told?` }] },
          { hooks: [{ type: 'prompt', prompt: `Is ${option('key')} the key?` }] },
          { hooks: [{ type: 'http', url, headers: { from: option('name') } }] },
          { hooks: [{ type: 'mcp_tool', server: 'post', tool: 'send', input }] },
        ],
      },
    },
  });
  const options = { server: 'mail.example', key: 's3cret' };
  putAll(home, { '.claude/settings.json': { pluginConfigs: { mail: { options } } } });
  const { hooks, problems } = await load([join(home, 'own')]);
  expect(hooks).toMatchObject([
    { run: 'https://mail.example/told', headers: { authorization: 'Bearer s3cret' } },
    { run: 'Was mail.example told?' },
    {
      run: 'mcp__post__send',
      call: {
        input: {
          ...{ to: ['mail.example'], key: 's3cret', from: join(home, 'own') },
          about: place('tool_input.file_path'),
        },
      },
    },
  ]);
  const told = problems.map(({ message }) => message).join('\n');
  expect(told).toContain('the option key is a secret and may stand in headers only');
  expect(told).toContain('it needs the option name of the plugin, which has no value');
});
