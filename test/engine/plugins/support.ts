import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/main/engine/settings/load';
import { createPluginFolders } from '../../../src/main/engine/settings/plugins/folder';
import { createPluginLoader } from '../../../src/main/engine/settings/plugins/plugin-loader';
import { createPluginStateFile } from '../../../src/main/engine/settings/plugins/plugin-state';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';

/** Writes files below a folder; objects become JSON, and scripts can be run. */
export function putAll(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    if (name.endsWith('.sh')) chmodSync(file, 0o755);
  }
}

const ROOT = `\${CLAUDE_PLUGIN_ROOT}`;

/** A plugin that brings one of each thing. */
export const FULL_PLUGIN: Readonly<Record<string, unknown>> = {
  '.claude-plugin/plugin.json': {
    name: 'house',
    version: '1.2.0',
    description: 'The rules of the house',
    author: { name: 'Ada' },
  },
  'commands/greet.md': `---\ndescription: Greets\n---\nGreet $ARGUMENTS from ${ROOT}`,
  'agents/checker.md':
    '---\nname: checker\ndescription: Checks the house\npermissionMode: acceptEdits\n---\nCheck it.',
  'skills/paint/SKILL.md': '---\nname: paint\ndescription: Paints walls\n---\nPaint.',
  'output-styles/terse.md': '---\nname: terse\ndescription: Few words\n---\nUse few words.',
  'hooks/hooks.json': {
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: `"${ROOT}/scripts/hello.sh"` }] }],
    },
  },
  'scripts/hello.sh': '#!/bin/sh\necho "the house at $CLAUDE_PLUGIN_ROOT says hello"\n',
  '.lsp.json': {
    stone: { command: 'stonels', args: ['--stdio'], extensionToLanguage: { '.stone': 'stone' } },
  },
  '.mcp.json': {
    mcpServers: {
      cellar: { command: 'node', args: [`${ROOT}/server.mjs`], env: { A: '1' } },
    },
  },
};

/** A marketplace in a folder that offers that plugin. */
export const MARKETPLACE: Readonly<Record<string, unknown>> = {
  '.claude-plugin/marketplace.json': {
    name: 'town',
    owner: { name: 'Ada' },
    plugins: [{ name: 'house', source: './plugins/house' }],
  },
  ...Object.fromEntries(
    Object.entries(FULL_PLUGIN).map(([name, content]) => [`plugins/house/${name}`, content]),
  ),
};

/** Loads the settings of the project `proj` in a home folder as every host does. */
export function loadWithPlugins(
  home: string,
  pluginFolders: readonly string[],
  trusted = true,
  {
    managedFile = null,
    ...asked
  }: { readonly managedFile?: string | null; readonly settings?: string } = {},
) {
  const files = createNodeFiles();
  return loadSettings({
    files,
    project: join(home, 'proj'),
    home,
    configDir: join(home, '.claude'),
    managedFile,
    trusted,
    loadPlugins: createPluginLoader(
      files,
      createPluginFolders(files),
      createPluginStateFile(files, join(home, 'plugins'), createNodeLocks()),
    ),
    commandLine: {
      allowedTools: [],
      disallowedTools: [],
      addDirectories: [],
      pluginFolders,
      ...asked,
    },
  });
}
