import { createHash } from 'node:crypto';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { readJson } from '../json-text';
import { askEverything } from '../lost-denials';
import { emptyLayer, type SettingsLayer } from '../read';
import type { PluginFolders } from './folder';
import { asking, guardsCalls } from './plugin-hooks';
import { type JsonObject, objectAt } from './plugin-json';
import { manifestOf } from './plugin-manifest';
import type { PluginOptionsGiven } from './plugin-options';
import type { PluginStateFile } from './plugin-state';
import {
  type Plugin,
  type PluginProblem,
  type ReadPlugin,
  readPlugin,
  toldName,
} from './read-plugin';

/** A plugin that settings turn on, and where they do. */
export interface WantedPlugin {
  /** `name@marketplace`. */
  readonly id: string;
  readonly file: string;
  readonly line?: number;
}

/** The plugins that count. */
interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly problems: readonly PluginProblem[];
  /** The files because of which a plugin is left out that may guard calls. */
  readonly lostIn?: readonly string[];
}

/** Loads plugins: those that settings turn on and the user approved, and those of folders on the command line. */
export type LoadPlugins = (
  wanted: readonly WantedPlugin[],
  folders: readonly string[],
  options: PluginOptionsGiven,
) => Promise<LoadedPlugins>;

/** Creates the loader of plugins. It runs nothing, and reads nothing where nothing is wanted. */
export function createPluginLoader(
  files: Files,
  folders: PluginFolders,
  state: PluginStateFile,
): LoadPlugins {
  const ofFolder = async (folder: string, given: PluginOptionsGiven): Promise<ReadPlugin> => {
    const real = await files.realPath(folder);
    const root = real.ok ? real.value : folder;
    const read = await readPlugin(files, root, null, { id: null, given });
    return read.plugin === null ? lostAt(manifestOf(root), read) : read;
  };
  const installed = async (
    wanted: readonly WantedPlugin[],
    given: PluginOptionsGiven,
  ): Promise<readonly ReadPlugin[]> => {
    if (wanted.length === 0) return [];
    const known = await state.read();
    if (!known.ok) return wanted.slice(0, 1).map((one) => lost(one, known.error.message));
    return Promise.all(
      wanted.map(async (one) => {
        const { id } = one;
        const own = Object.hasOwn(known.value.plugins, id) ? known.value.plugins[id] : undefined;
        if (own === undefined)
          return leftOut(one, `the plugin ${id} is not installed: lathe plugin install ${id}`);
        const digest = await folders.digest(own.root);
        if (!digest.ok) return lost(one, `the plugin ${id}: ${digest.error.message}`);
        if (approvalOf(digest.value, own.entry) !== own.digest)
          return lost(
            one,
            `the plugin ${id} changed since it was approved, so it is left out: lathe plugin enable ${id}`,
          );
        const read = await readPlugin(files, own.root, entryObject(own.entry), { id, given });
        return read.plugin === null ? lostAt(manifestOf(own.root), read) : read;
      }),
    );
  };
  return async (wanted, given, options) => {
    const ofFolders = await Promise.all(given.map((folder) => ofFolder(folder, options)));
    const others = await installed(wanted, options);
    const plugins: Plugin[] = [];
    const lostIn = [...ofFolders, ...others].flatMap((one) => one.lostIn ?? []);
    const problems: PluginProblem[] = [
      ...ofFolders.flatMap(({ plugin, problems: found }, at) => {
        const path = given[at] ?? '';
        const of = plugin ? { plugin: toldName(plugin) } : { plugin: `inline[${at}]`, path };
        return found.map((one) => ({ ...one, ...of }));
      }),
      ...others.flatMap(({ problems: found }, at) =>
        found.map((one) => ({ ...one, plugin: wanted[at]?.id ?? '' })),
      ),
    ];
    for (const { plugin } of [...ofFolders, ...others]) {
      if (plugin === null) continue;
      const before = plugins.find(({ name }) => name === plugin.name);
      if (before === undefined) plugins.push(plugin);
      else {
        const file = manifestOf(plugin.root);
        const message = `${file}: name: the plugin is left out: ${before.root} is a plugin "${plugin.name}" too.`;
        problems.push(gone(plugin, { file, field: 'name', message, level: 'warning' }));
        if (guardsCalls(plugin)) lostIn.push(file);
      }
    }
    const kept = withoutDependents(plugins, problems);
    const dropped = plugins.filter((one) => guardsCalls(one) && !kept.plugins.includes(one));
    return { ...kept, lostIn: [...lostIn, ...dropped.map(({ root }) => manifestOf(root))] };
  };
}

/** Returns the problem of a plugin that is left out: every call asks where it guards some. */
const gone = (plugin: Plugin, problem: SettingsProblem): PluginProblem => ({
  ...(guardsCalls(plugin) ? asking(problem) : problem),
  plugin: toldName(plugin),
});

/** Leaves out plugins that need another which does not count, and those that need them in turn. Pure. */
function withoutDependents(
  plugins: readonly Plugin[],
  problems: readonly PluginProblem[],
): LoadedPlugins {
  // A folder of `--plugin-dir` stands for the plugin of any marketplace, as it is tried out before it is in one.
  const isThere = (need: string) => {
    const [wanted, marketplace] = need.split('@');
    return plugins.some(
      ({ name, id }) =>
        name === wanted && (marketplace === undefined || id === null || id === need),
    );
  };
  const kept = plugins.filter(({ needs }) => needs.every(isThere));
  if (kept.length === plugins.length) return { plugins, problems };
  const told = plugins.flatMap((plugin): readonly PluginProblem[] => {
    const { name, root, needs } = plugin;
    const missing = needs.filter((need) => !isThere(need));
    const file = manifestOf(root);
    const message = `${file}: dependencies: the plugin "${name}" is left out: it needs ${missing.join(', ')}. Install and turn on what is missing.`;
    const problem = { file, field: 'dependencies', message, level: 'warning' } as const;
    return missing.length === 0 ? [] : [gone(plugin, problem)];
  });
  return withoutDependents(kept, [...problems, ...told]);
}

const leftOut = ({ id, file, line }: WantedPlugin, message: string): ReadPlugin => ({
  plugin: null,
  problems: [
    {
      file,
      ...(line === undefined ? {} : { line }),
      field: `enabledPlugins.${id}`,
      message: `${file}${line === undefined ? '' : `, line ${line}`}: enabledPlugins: ${message.replace(/\.$/, '')}.`,
      level: 'warning',
    },
  ],
});

/** Returns a plugin that cannot be read as one that may have guarded calls. */
const lostAt = (file: string, { problems }: ReadPlugin): ReadPlugin => ({
  plugin: null,
  problems: [...problems.slice(0, -1), ...problems.slice(-1).map(asking)],
  lostIn: [file],
});

/** Leaves out a plugin that was approved and may guard calls. */
const lost = (one: WantedPlugin, message: string): ReadPlugin =>
  lostAt(one.file, leftOut(one, message));

/** Returns what an approval is bound to: the folder, and the words of its marketplace. Pure. */
export const approvalOf = (
  folderDigest: string,
  entry: Readonly<Record<string, unknown>>,
): string =>
  createHash('sha256')
    .update(folderDigest)
    .update(JSON.stringify(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url');

/** Returns the words of a marketplace as an object to read from. */
export function entryObject(entry: Readonly<Record<string, unknown>>): JsonObject | null {
  const { root } = readJson(JSON.stringify(entry));
  if (root === null) return null;
  // Its own words were told of when it was installed.
  return objectAt(root, { file: 'marketplace.json', problems: [], lineAt: () => 1 });
}

/** Returns what plugins add to settings: their hooks and tool servers, and rules that ask where a guard is lost. Pure. */
export const pluginLayers = (
  plugins: readonly Plugin[],
  lostIn: readonly string[] = [],
): readonly SettingsLayer[] => [
  ...plugins.map(({ id, serverFile, servers, serverLines, hooks, rules }) => ({
    ...emptyLayer('userSettings', serverFile),
    ofPlugin: id,
    lines: serverLines,
    fields: Object.keys(servers).length === 0 ? {} : { mcpServers: servers },
    hooks,
    rules,
  })),
  ...lostIn.slice(0, 1).map((file) => ({
    ...emptyLayer('userSettings', file),
    ofPlugin: null,
    rules: askEverything('userSettings', file),
  })),
];
