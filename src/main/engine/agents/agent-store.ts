import { dirname, join } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import {
  createLook,
  type DefinitionPlaces,
  type IsModel,
  type Look,
} from '../settings/definition-places';
import { fieldProblem } from '../settings/frontmatter';
import { createFileCache, findFiles } from '../settings/markdown-files';
import { findPluginFiles } from '../settings/plugins/plugin-files';
import { type AgentDefinition, type AgentSource, BUILT_IN_AGENTS } from './definitions';
import { type ReadAgents, readAgentFile } from './read-agents';

/** The kinds of agents of one session, as files and the command line have them now. */
export interface AgentStore extends Look {
  /** Returns all that can be started, sorted by name. */
  list(): readonly AgentDefinition[];
  problems(): readonly SettingsProblem[];
  /** Tells whether an agent of a name is left out for a fault in its file. */
  isDropped(name: string): boolean;
}

/** Creates a store that knows the agents that come with Lathe and those `given`. Nothing is read before `refresh`. */
export function createAgentStore(
  files: Files,
  places: () => DefinitionPlaces,
  given: ReadAgents = { definitions: [], problems: [] },
  isModel?: IsModel,
): AgentStore {
  const sources = AGENT_SOURCES.map((source) => ({
    source,
    read: createFileCache((file) => readAgentFile(files, file, source, isModel)),
  }));
  const readOfPlugins = createFileCache(async (file) =>
    readAgentFile(files, file, 'plugin', isModel),
  );
  let found = joinAgents([given]);
  const look = async () => {
    const now = places();
    const read = await Promise.all(
      sources.map(async ({ source, read }): Promise<ReadAgents> => {
        const folder = folderOf(source, now);
        if (folder === null) return NONE;
        const { files: listed, problems } = await findFiles(files, folder, {
          within: source === 'project' ? now.project : null,
          picks: (name) => name.endsWith('.md'),
        });
        const each = await read(listed);
        return {
          definitions: each.flatMap(({ definitions }) => definitions),
          problems: [...problems, ...each.flatMap((one) => one.problems)],
          dropped: each.flatMap((one) => one.dropped ?? []),
        };
      }),
    );
    const { files: listed, problems } = await findPluginFiles(
      files,
      now.includeFiles ? (now.plugins ?? []) : [],
      'agents',
    );
    const ofPlugins = await readOfPlugins(listed.map(({ file }) => file));
    const named = ofPlugins.map((one, at) => inPlugin(one, listed[at]?.plugin.name ?? ''));
    found = joinAgents([given, ...read, ...named, { definitions: [], problems }]);
  };
  return {
    list: () => found.definitions,
    problems: () => found.problems,
    isDropped: (name) => found.dropped?.some((one) => one.name === name) ?? false,
    ...createLook(look),
  };
}

/** Returns agents as those of a plugin: with its name, and without what a plugin may not give itself. */
function inPlugin({ definitions, problems, dropped = [] }: ReadAgents, plugin: string): ReadAgents {
  const told = definitions.flatMap((one) =>
    KEPT_FROM_PLUGINS.filter((field) => one[field] !== undefined).map((field) =>
      fieldProblem(one.file ?? '', field, 'an agent of a plugin cannot have this; it is left out'),
    ),
  );
  return {
    definitions: definitions.map(
      ({
        hooks: _,
        rules: _____,
        mcpServers: __,
        ownServers: ___,
        permissionMode: ____,
        ...one
      }) => ({
        ...one,
        name: `${plugin}:${one.name}`,
      }),
    ),
    problems: [...problems, ...told],
    dropped: dropped.map((one) => ({ ...one, name: `${plugin}:${one.name}` })),
  };
}

/** Fields by which an agent would give itself more than the plugin was shown to bring. */
const KEPT_FROM_PLUGINS = ['hooks', 'mcpServers', 'permissionMode'] as const;

const NONE: ReadAgents = { definitions: [], problems: [] };

const AGENT_SOURCES = ['managed', 'project', 'user'] as const;

const RANK: readonly AgentSource[] = [
  'managed',
  'commandLine',
  'project',
  'user',
  'plugin',
  'builtIn',
];

const folderOf = (
  source: (typeof AGENT_SOURCES)[number],
  places: DefinitionPlaces,
): string | null => {
  if (!places.includeFiles) return null;
  if (source === 'user')
    return places.includeUser === false ? null : join(places.userFolder, 'agents');
  if (source === 'project') {
    return places.includeProject ? join(places.project, '.claude', 'agents') : null;
  }
  return places.managedFile && join(dirname(places.managedFile), '.claude', 'agents');
};

/**
 * Joins definitions, those that come with Lathe last: of two of one name the stronger source's counts, and none below one
 * that was left out. Two of one source are told, and the first by its path counts. Pure.
 */
function joinAgents(read: readonly ReadAgents[]): ReadAgents {
  const problems = read.flatMap((one) => one.problems);
  const byName = new Map<string, AgentDefinition>();
  const all = [...read.flatMap(({ definitions }) => definitions), ...BUILT_IN_AGENTS];
  for (const one of all.toSorted((a, b) => RANK.indexOf(a.source) - RANK.indexOf(b.source))) {
    const before = byName.get(one.name);
    if (before === undefined) byName.set(one.name, one);
    else if (before.source === one.source && before.file !== undefined) {
      const { file = '' } = one;
      const message = `left out: ${before.file} defines an agent of the name "${one.name}" too`;
      problems.push(fieldProblem(file, 'name', message));
    }
  }
  const dropped = read.flatMap((one) => one.dropped ?? []);
  for (const { name, source } of dropped) {
    const found = byName.get(name);
    if (found !== undefined && RANK.indexOf(found.source) > RANK.indexOf(source))
      byName.delete(name);
  }
  const definitions = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { definitions, problems, dropped };
}
