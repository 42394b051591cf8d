import { join } from 'node:path';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { plainValue } from '../json-text';
import { filledServer } from './filled-in';
import { pathInside } from './folder';
import type { LanguageServerSetting } from './language-servers';
import { partsOf } from './parts-of';
import { type PluginGuards, pluginHooks, type ReadContext } from './plugin-hooks';
import { type JsonObject, objectAt, pluginProblem, tellNear } from './plugin-json';
import { manifestOf, PLUGIN_NAME, readManifests } from './plugin-manifest';
import {
  missingOptions,
  type OptionValues,
  optionValues,
  optionVariables,
  type PluginOption,
  type PluginOptionsGiven,
  readOptions,
  withoutValue,
} from './plugin-options';

/** A folder that brings commands, skills, agents, hooks, servers and output styles (docs/plugins.md). */
export interface Plugin extends PluginGuards {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The real path of its folder. */
  readonly root: string;
  /** Files and folders of Markdown files, by what they define. */
  readonly places: Readonly<Record<PluginFolder, readonly string[]>>;
  /** Tool servers by their full name, as settings have them. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The file that names each of the servers. */
  readonly serverFile: string;
  readonly serverLines: Readonly<Record<string, number>>;
  readonly languageServers: readonly LanguageServerSetting[];
  /** It is used from a folder that the command line names. */
  readonly ofFolder: boolean;
  /** `name@marketplace`; null: a folder, or only looked at. */
  readonly id: string | null;
  /** The values that it asks of the user. */
  readonly options: readonly PluginOption[];
  /** The values that texts may show: the user's, without secrets. */
  readonly shownValues: OptionValues;
  /** The variables by which its hooks find them, secrets too. */
  readonly variables: Readonly<Record<string, string>>;
  /** Plugins without which it does not work: names, with their marketplace where it says one. */
  readonly needs: readonly string[];
}

/** A fault of a plugin, which may count all the same. */
export interface PluginProblem extends SettingsProblem {
  /** `name@marketplace`, `name@inline` in a folder of the command line, `inline[0]` for such a folder that has no name. */
  readonly plugin: string;
  /** The folder of the command line, where that is no plugin. */
  readonly path?: string;
}

/** Returns the name by which programs are told of a plugin. */
export const toldName = ({ id, name }: Pick<Plugin, 'id' | 'name'>): string =>
  id ?? `${name}@inline`;

/** The kinds of definitions that are Markdown files. */
export type PluginFolder = 'commands' | 'skills' | 'agents' | 'outputStyles';

/** A plugin, unless its folder holds none, and what could not be used as written. */
export interface ReadPlugin {
  readonly plugin: Plugin | null;
  readonly problems: readonly SettingsProblem[];
  /** The files because of which it is left out though it may guard calls. Absent: none. */
  readonly lostIn?: readonly string[];
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
const UNUSED: Readonly<Record<string, string>> = {
  workflows: 'workflows of plugins are not run',
};
/** The files and folders that hold those parts where nothing names them. */
const UNUSED_FILES: Readonly<Record<string, string>> = {
  workflows: 'workflows',
};

/**
 * Reads the plugin in a folder. `entry`: what its marketplace says of it, for what its own file leaves out. `asked`: null where it is
 * only looked at, so that nothing is left out for want of a value. Never fails.
 */
export async function readPlugin(
  files: Files,
  root: string,
  entry: JsonObject | null = null,
  asked: OptionsGiven | null = null,
): Promise<ReadPlugin> {
  const problems: SettingsProblem[] = [];
  const none = (): ReadPlugin => ({ plugin: null, problems });
  const read = await readManifests(files, root, entry, problems);
  if (read === null) return none();
  const { manifest, all: both, usual, unread } = read;
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
  for (const [field, why] of Object.entries(UNUSED))
    if (manifest.value[field] !== undefined) manifest.tell(field, why);
  for (const [place, field] of Object.entries(UNUSED_FILES))
    if (manifest.value[field] === undefined && (await files.stat(join(root, place))).ok)
      problems.push(pluginProblem(join(root, place), '', UNUSED[field] ?? '', 1, 'warning'));
  const options = readOptions(manifest, problems);
  const values = asked === null ? null : valuesFor(asked, options, manifest, name);
  const secret = new Set(options.flatMap((one) => (one.sensitive ? [one.key] : [])));
  const shownValues = Object.fromEntries(
    Object.entries(values ?? {}).filter(([key]) => !secret.has(key)),
  );
  const context: ReadContext = { files, root, name, usual, problems, values, shownValues };
  const places = {
    commands: await foldersOf(context, both, 'commands'),
    skills: await foldersOf(context, both, 'skills'),
    agents: await foldersOf(context, both, 'agents'),
    outputStyles: await foldersOf(context, both, 'outputStyles'),
  };
  const servers = await serversOf(context, both);
  const languages = await partsOf(context, both, 'lspServers', '.lsp.json');
  const text = (field: string) => manifest.text(field) ?? entry?.text(field) ?? '';
  return {
    plugin: {
      name,
      version: text('version'),
      description: text('description'),
      root,
      ofFolder: asked !== null && asked.id === null,
      id: asked?.id ?? null,
      places,
      options,
      shownValues,
      variables: optionVariables(values ?? {}),
      needs: needsOf(manifest),
      ...(await pluginHooks(context, both, unread)),
      // Loaded with the first plugin that has some.
      languageServers:
        languages.length === 0
          ? []
          : (await import('./language-servers')).languageServersOf(languages, context),
      ...servers,
    },
    problems,
  };
}

/** The values that people gave to options of plugins, and the id of the one that is read. */
interface OptionsGiven {
  /** `name@marketplace`; null: a folder, known by its name alone. */
  readonly id: string | null;
  readonly given: PluginOptionsGiven;
}

function valuesFor(
  { id, given }: OptionsGiven,
  options: readonly PluginOption[],
  manifest: JsonObject,
  name: string,
): OptionValues {
  const known = [id, name].find((one) => one !== null && Object.hasOwn(given, one)) ?? null;
  const place = `pluginConfigs["${id ?? name}"].options`;
  const own = known === null ? {} : (given[known] ?? {});
  return optionValues(options, own, place, (message) => manifest.tell('userConfig', message));
}

/** Returns the plugins that a manifest says it needs. Versions are told, never compared. */
function needsOf(manifest: JsonObject): readonly string[] {
  const listed = manifest.value['dependencies'];
  if (listed === undefined) return [];
  if (!Array.isArray(listed)) {
    manifest.tell('dependencies', 'a list of names of plugins is expected');
    return [];
  }
  return listed.flatMap((one: unknown) => {
    const { name, marketplace, version } = Object(one);
    const text = typeof one === 'string' ? one : name;
    if (typeof text !== 'string' || !/^[\w.-]+(@[\w.-]+)?$/.test(text)) {
      manifest.tell('dependencies', 'a name such as "helper" or "helper@team" is expected');
      return [];
    }
    if (version !== undefined)
      manifest.tell('dependencies', `the version of "${text}" is not compared`);
    return [typeof marketplace === 'string' ? `${text}@${marketplace}` : text];
  });
}

/** Returns the usual folder of a kind, if it is there, and those that the plugin names beside it. */
async function foldersOf(
  { files, root, usual: countsUsual }: ReadContext,
  manifests: readonly JsonObject[],
  kind: PluginFolder,
): Promise<readonly string[]> {
  const found: string[] = [];
  const usual = join(root, USUAL[kind]);
  if (countsUsual && (await files.stat(usual)).ok) found.push(usual);
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

async function serversOf(
  context: ReadContext,
  manifests: readonly JsonObject[],
): Promise<Pick<Plugin, 'servers' | 'serverFile' | 'serverLines'>> {
  const { root, name, problems, values } = context;
  const parts = await partsOf(context, manifests, 'mcpServers', '.mcp.json');
  const servers: Record<string, unknown> = Object.create(null);
  const serverLines: Record<string, number> = Object.create(null);
  for (const { object, node } of parts) {
    const { lineOf } = objectAt(node, { file: object.file, problems, lineAt: object.lineAt });
    for (const [own, value] of Object.entries(Object(plainValue(node)))) {
      const lacks = missingOptions(JSON.stringify(value) ?? '', values);
      if (lacks.length > 0) {
        const at = `mcpServers.${own}`;
        problems.push(pluginProblem(object.file, at, withoutValue(lacks), lineOf(own), 'warning'));
        continue;
      }
      const full = `plugin_${name}_${own}`;
      servers[full] = filledServer(value, root, values);
      serverLines[`mcpServers.${full}`] = lineOf(own);
    }
  }
  return { servers, serverLines, serverFile: parts[0]?.object.file ?? manifestOf(root) };
}
