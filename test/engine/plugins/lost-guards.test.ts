import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryObject } from '../../../src/main/engine/settings/plugins/plugin-loader';
import { readPlugin } from '../../../src/main/engine/settings/plugins/read-plugin';
import { createNodeFiles } from '../../../src/main/node/files';
import { loadWithPlugins, putAll } from './support';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-guards-')));
  putAll(home, { 'proj/README.md': 'x' });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Loads settings with the plugin `a` in a folder, which has these files. */
async function loaded(files: Readonly<Record<string, unknown>>, manifest: object = {}) {
  putAll(join(home, 'a'), {
    '.claude-plugin/plugin.json': { name: 'a', ...manifest },
    ...files,
  });
  const { rules, problems, hooks } = await loadWithPlugins(home, [join(home, 'a')]);
  const asks = rules.filter(({ behavior }) => behavior === 'ask').map(({ text }) => text);
  return { asks, hooks, told: problems.map(({ message }) => message) };
}

const HOOK = { type: 'command', command: './guard.sh' };
const GUARD = { PreToolUse: [{ hooks: [HOOK] }] };
const hooksFile = (content: unknown) => ({ 'hooks/hooks.json': content });
const SECRET = { key: { description: 'Key', type: 'string', sensitive: true } };

test.each<[string, Readonly<Record<string, unknown>>, object?]>([
  ['hooks that are no JSON', hooksFile('{"hooks": {"PreToolUse": ')],
  ['hooks that are a list', hooksFile([GUARD])],
  ['hooks that are a list below "hooks"', hooksFile({ hooks: [GUARD] })],
  ['a hook without type', hooksFile({ hooks: { PreToolUse: [{ hooks: [{ command: 'x' }] }] } })],
  [
    'a hook of a later type',
    hooksFile({ PreToolUse: [{ hooks: [{ type: 'wasm', module: 'x' }] }] }),
  ],
  ['hooks of a name in other letters', { 'hooks/Hooks.json': { hooks: GUARD } }],
  ['hooks in a folder of another name', { 'Hooks/hooks.json': { hooks: GUARD } }],
  ['hooks of another name in such a folder', { 'HOOKS/Hooks.json': { hooks: GUARD } }],
  ['hooks in the place of their folder', { hooks: { hooks: GUARD } }],
  ['hooks cut off in the place of their folder', { hooks: '{"hooks": {"PreToolUse": [{' }],
  ['a link, as Git writes it, in the place of their folder', { hooks: '../shared/hooks' }],
  ['hooks of another notation', { 'hooks/hooks.jsonc': { hooks: GUARD } }],
  ['letters of another script', hooksFile({ h\u043e\u043eks: GUARD })],
  ['a misspelled event', hooksFile({ hooks: { preToolUse: GUARD.PreToolUse } })],
  ['a misspelled "hooks"', hooksFile({ Hooks: GUARD })],
  ['an event beside "hooks"', hooksFile({ hooks: {}, ...GUARD })],
  ['a file of hooks that is not there', {}, { hooks: './guards.json' }],
  ['a file of hooks out of the plugin', {}, { hooks: '../guards.json' }],
  ['files of hooks that are no texts', {}, { hooks: ['./guards.json', 5] }],
  ['hooks in a list', {}, { hooks: [GUARD] }],
  ['a misspelled field with a file', {}, { Hooks: './guards.json' }],
  ['a misspelled field with hooks', {}, { hook: GUARD }],
  ['a manifest that is no JSON', { '.claude-plugin/plugin.json': '{"name": "a",, }' }],
  ['a manifest without a name', { '.claude-plugin/plugin.json': { name: 5 } }],
  ['a guard behind a missing plugin', hooksFile({ hooks: GUARD }), { dependencies: ['nope'] }],
  [
    'a guard without the value of an option',
    hooksFile({ PreToolUse: [{ hooks: [{ type: 'command', command: `x \${user_config.key}` }] }] }),
    { userConfig: SECRET },
  ],
])(
  'every call asks where a guard of a plugin is lost, told once: %s',
  async (_, files, manifest) => {
    const { asks, told } = await loaded(files, manifest);
    expect(asks).toContain('Bash');
    expect(told).toEqual([expect.stringContaining('Lathe asks before every call')]);
  },
);

test.each<[string, Readonly<Record<string, unknown>>, object?]>([
  ['a guard that runs', hooksFile({ hooks: GUARD })],
  ['a guard named by the manifest', { 'x.json': GUARD }, { hooks: './x.json' }],
  ['an empty file', hooksFile('')],
  ['a hook that stops nothing', hooksFile({ hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } })],
  ['hooks that are null', {}, { hooks: null }],
  ['hooks that are off', {}, { hooks: false }],
  ['a description', hooksFile({ description: 'Guards', hooks: GUARD })],
  ['hooks that are switched off', hooksFile({ hooks: {}, _hooks: GUARD, hooks_off: GUARD })],
  ['a folder of the usual name', hooksFile({ hooks: GUARD }), { commands: [] }],
  ['a folder with scripts for Git', { 'Hooks/pre-commit': 'true' }],
  ['a script in the place of the folder', { hooks: '#!/bin/sh\nexit 0\n' }],
  ['a list in the place of the folder', { hooks: '{"names": ["pre-commit"]}' }],
  ['an empty file in the place of the folder', { hooks: '' }],
  ['a guard behind a missing plugin', hooksFile({ hooks: {} }), { dependencies: ['nope'] }],
])('a plugin that loses no guard asks for nothing else: %s', async (_, files, manifest) => {
  expect((await loaded(files, manifest)).asks).toEqual([]);
});

test.each([
  ['Plugin.json', '.claude-plugin/Plugin.json', {}],
  ['plugin.jsonc', '.claude-plugin/plugin.jsonc', {}],
  ['its folder', '.Claude-plugin/plugin.json', {}],
  ['Plugin.json beside parts', '.claude-plugin/Plugin.json', { 'commands/x.md': 'x' }],
])('every call asks where a manifest has another name: %s', async (_, place, more) => {
  putAll(join(home, 'a'), { [place]: { name: 'a', hooks: GUARD }, ...more });
  const { rules, problems } = await loadWithPlugins(home, [join(home, 'a')]);
  expect(rules.map(({ text }) => text)).toContain('Bash');
  expect(problems).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/a.\.[Cc]laude-plugin.* is there, and .* asks before every/),
    }),
  ]);
});

test('a manifest of another name asks where a marketplace says the rest, too', async () => {
  const root = join(home, 'a');
  putAll(root, { '.claude-plugin/Plugin.json': { name: 'a', hooks: GUARD } });
  const asked = { id: 'a@town', given: {} };
  const entry = entryObject({ name: 'a' });
  const { plugin, problems } = await readPlugin(createNodeFiles(), root, entry, asked);
  expect(plugin?.rules.map(({ text }) => text)).toContain('Bash');
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/Plugin\.json is there, and .* asks before every/),
  ]);
});

test('a folder that is no plugin may have been meant to bring a guard', async () => {
  const { rules, problems } = await loadWithPlugins(home, [join(home, 'nowhere')]);
  expect(rules.map(({ text }) => text)).toContain('Bash');
  expect(problems).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/not exist.* asks before every/) }),
  ]);
});

test('of two plugins of one name, the guard of the one that is left out is not lost silently', async () => {
  putAll(join(home, 'b'), { '.claude-plugin/plugin.json': { name: 'a' }, ...hooksFile(GUARD) });
  putAll(join(home, 'a'), { '.claude-plugin/plugin.json': { name: 'a' } });
  const { rules } = await loadWithPlugins(home, [join(home, 'a'), join(home, 'b')]);
  expect(rules.map(({ text }) => text)).toContain('Bash');
});
