import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { HookSetting } from '../../../../shared/hooks';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { readHooks } from '../hook-settings';
import { plainValue, propertiesOf } from '../json-text';
import { pathInside } from './folder';
import { type JsonObject, objectAt, pluginProblem, readJsonObject, tellNear } from './plugin-json';

/** A folder that brings commands, skills, agents, hooks, tool servers and output styles (docs/plugins.md). */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The real path of its folder. */
  readonly root: string;
  /** Files and folders of Markdown files, by what they define. */
  readonly places: Readonly<Record<PluginFolder, readonly string[]>>;
  readonly hooks: readonly HookSetting[];
  /** Tool servers by their full name, as settings have them. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The file that names each of the servers. */
  readonly serverFile: string;
  readonly serverLines: Readonly<Record<string, number>>;
}

/** The kinds of definitions that are Markdown files. */
export type PluginFolder = 'commands' | 'skills' | 'agents' | 'outputStyles';

/** A plugin, unless its folder holds none, and what could not be used as written. */
export interface ReadPlugin {
  readonly plugin: Plugin | null;
  readonly problems: readonly SettingsProblem[];
}

const USUAL: Readonly<Record<PluginFolder, string>> = {
  commands: 'commands',
  skills: 'skills',
  agents: 'agents',
  outputStyles: 'output-styles',
};
const FIELDS = [
  ...['name', 'version', 'description', 'author', 'homepage', 'repository', 'license', 'keywords'],
  ...['skills', 'commands', 'agents', 'hooks', 'mcpServers', 'lspServers', 'outputStyles'],
  ...['workflows', 'userConfig', 'dependencies', '$schema'],
];
/** Parts of plugins that Lathe does not use. */
const UNUSED = ['lspServers', 'workflows', 'userConfig', 'dependencies'];

/** The names that a plugin and a marketplace can have. */
export const PLUGIN_NAME = /^[a-z0-9][\w.-]{0,63}$/i;

/** The file that says what a plugin is. */
export const manifestOf = (root: string): string => join(root, '.claude-plugin', 'plugin.json');

/** Reads the plugin in a folder. `entry`: what its marketplace says of it, for what its own file leaves out. Never fails. */
export async function readPlugin(
  files: Files,
  root: string,
  entry: JsonObject | null = null,
): Promise<ReadPlugin> {
  const problems: SettingsProblem[] = [];
  const file = manifestOf(root);
  const none = (): ReadPlugin => ({ plugin: null, problems });
  const there = await files.stat(file);
  // A marketplace may say everything itself.
  const manifest =
    !there.ok && there.error.code === 'not_found' && entry !== null
      ? entry
      : await readJsonObject(files, file, problems);
  if (manifest === null) return none();
  if (manifest !== entry) tellNear(manifest, FIELDS);
  const name = manifest.value['name'];
  if (typeof name !== 'string' || !PLUGIN_NAME.test(name)) {
    manifest.tell('name', 'a name of letters, digits, "-" and "_" is expected', 'error');
    return none();
  }
  if (entry !== null && entry !== manifest && entry.value['name'] !== name) {
    const told = String(entry.value['name']);
    manifest.tell('name', `its marketplace calls it "${told}", and the two have to agree`, 'error');
    return none();
  }
  for (const field of UNUSED)
    if (manifest.value[field] !== undefined)
      manifest.tell(field, 'Lathe does not use this part of a plugin');
  const context: ReadContext = { files, root, name, problems };
  const both = entry === null || entry === manifest ? [manifest] : [manifest, entry];
  const places = {
    commands: await foldersOf(context, both, 'commands'),
    skills: await foldersOf(context, both, 'skills'),
    agents: await foldersOf(context, both, 'agents'),
    outputStyles: await foldersOf(context, both, 'outputStyles'),
  };
  const servers = await serversOf(context, both);
  const text = (field: string) => manifest.text(field) ?? entry?.text(field) ?? '';
  return {
    plugin: {
      name,
      version: text('version'),
      description: text('description'),
      root,
      places,
      hooks: await hooksOf(context, both),
      ...servers,
    },
    problems,
  };
}

interface ReadContext {
  readonly files: Files;
  readonly root: string;
  /** The plugin's. */
  readonly name: string;
  readonly problems: SettingsProblem[];
}

/** Returns the usual folder of a kind, if it is there, and those that the plugin names beside it. */
async function foldersOf(
  { files, root }: ReadContext,
  manifests: readonly JsonObject[],
  kind: PluginFolder,
): Promise<readonly string[]> {
  const found: string[] = [];
  const usual = join(root, USUAL[kind]);
  if ((await files.stat(usual)).ok) found.push(usual);
  for (const manifest of manifests) {
    for (const named of manifest.texts(kind) ?? []) {
      const path = pathInside(root, named);
      const stat = path === null ? null : await files.stat(path);
      if (path === null) manifest.tell(kind, `"${named}" leads out of the plugin; it is left out`);
      else if (!stat?.ok) manifest.tell(kind, `"${named}" is not there; it is left out`);
      else if (!found.includes(path)) found.push(path);
    }
  }
  return found;
}

/** An object that a manifest holds, or names the file of, and the field that does so. */
interface Part {
  readonly object: JsonObject;
  readonly node: Node;
}

/** Returns the objects of a field: in the manifest itself, in files that it names, and in the usual file. */
async function partsOf(
  { files, root, problems }: ReadContext,
  manifests: readonly JsonObject[],
  field: string,
  usual: string,
): Promise<readonly Part[]> {
  const parts: Part[] = [];
  const seen = new Set<string>();
  const take = async (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const object = await readJsonObject(files, path, problems);
    if (object === null) return;
    const inner = propertiesOf(object.root).findLast(({ name }) => name === field)?.value;
    parts.push({ object, node: inner ?? object.root });
  };
  const usualFile = join(root, usual);
  if ((await files.stat(usualFile)).ok) await take(usualFile);
  for (const manifest of manifests) {
    const node = propertiesOf(manifest.root).findLast(({ name }) => name === field)?.value;
    if (node?.type === 'object') parts.push({ object: manifest, node });
    else {
      for (const named of manifest.texts(field) ?? []) {
        const path = pathInside(root, named);
        if (path === null) manifest.tell(field, `"${named}" leads out of the plugin`);
        else await take(path);
      }
    }
  }
  return parts;
}

async function hooksOf(
  context: ReadContext,
  manifests: readonly JsonObject[],
): Promise<readonly HookSetting[]> {
  const { root, name, problems } = context;
  const parts = await partsOf(context, manifests, 'hooks', join('hooks', 'hooks.json'));
  return parts.flatMap(({ object, node }) =>
    readHooks(node, {
      source: 'userSettings',
      file: object.file,
      lineOf: object.lineAt,
      problem: (at, field, message) =>
        void problems.push(
          pluginProblem(object.file, field, message, object.lineAt(at.offset), 'warning'),
        ),
    }).map((hook) => ({ ...hook, plugin: { name, root } })),
  );
}

async function serversOf(
  context: ReadContext,
  manifests: readonly JsonObject[],
): Promise<Pick<Plugin, 'servers' | 'serverFile' | 'serverLines'>> {
  const { root, name, problems } = context;
  const parts = await partsOf(context, manifests, 'mcpServers', '.mcp.json');
  const servers: Record<string, unknown> = Object.create(null);
  const serverLines: Record<string, number> = Object.create(null);
  for (const { object, node } of parts) {
    const { lineOf } = objectAt(node, { file: object.file, problems, lineAt: object.lineAt });
    for (const [own, value] of Object.entries(Object(plainValue(node)))) {
      const full = `plugin_${name}_${own}`;
      servers[full] = withRoot(value, root);
      serverLines[`mcpServers.${full}`] = lineOf(own);
    }
  }
  return { servers, serverLines, serverFile: parts[0]?.object.file ?? manifestOf(root) };
}

/** Fills in `${CLAUDE_PLUGIN_ROOT}` in every text of a server, and puts it into its environment. Pure. */
function withRoot(server: unknown, root: string): unknown {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(ROOT_VARIABLE, () => root);
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)]));
  };
  const filled = fill(server);
  if (typeof filled !== 'object' || filled === null || !('command' in filled)) return filled;
  const { env } = filled as { readonly env?: unknown };
  if (env !== undefined && (typeof env !== 'object' || env === null)) return filled;
  return { ...filled, env: { CLAUDE_PLUGIN_ROOT: root, ...env } };
}

const ROOT_VARIABLE = `\${CLAUDE_PLUGIN_ROOT}`;
