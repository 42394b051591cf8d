import { dirname, join } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';
import type { Files } from '../ports';
import { fieldProblem } from '../settings/frontmatter';
import { createFileCache, findFiles } from '../settings/markdown-files';
import { type AgentDefinition, type AgentSource, BUILT_IN_AGENTS } from './definitions';
import { type ReadAgents, readAgentFile } from './read-agents';

/** The folders that define things: agents, skills, commands. */
export interface DefinitionPlaces {
  /** The project folder, as a real path. */
  readonly project: string;
  /** `~/.claude` or what stands for it. */
  readonly userFolder: string;
  /** The managed CLAUDE.md, beside which managed definitions are; null: none. */
  readonly managedFile: string | null;
  /** False until the folder is trusted: then nothing of it counts. */
  readonly includeProject: boolean;
  /** False where a session goes without files of this kind. */
  readonly includeFiles: boolean;
}

/** The kinds of agents of one session, as files and the command line have them now. */
export interface AgentStore {
  /** Returns all that can be started, sorted by name. */
  list(): readonly AgentDefinition[];
  problems(): readonly SettingsProblem[];
  /** Looks at the files again; those that did not change are not read. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
}

/** Creates a store that knows the agents that come with Lathe and those `given`. Nothing is read before `refresh`. */
export function createAgentStore(
  files: Files,
  places: () => DefinitionPlaces,
  given: ReadAgents = { definitions: [], problems: [] },
): AgentStore {
  const sources = AGENT_SOURCES.map((source) => ({
    source,
    read: createFileCache((file) => readAgentFile(files, file, source)),
  }));
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
        };
      }),
    );
    found = joinAgents([given, ...read]);
  };
  const looking = createLook(look);
  return {
    list: () => found.definitions,
    problems: () => found.problems,
    ...looking,
  };
}

/** Runs a look at files one at a time: who asks while one runs waits for one that begins after it. */
export function createLook(look: () => Promise<void>): Pick<AgentStore, 'refresh' | 'settled'> {
  let running: Promise<void> = Promise.resolve();
  let waits = false;
  return {
    refresh: () => {
      if (waits) return running;
      waits = true;
      running = running
        .then(() => {
          waits = false;
          return look();
        })
        // A disk that fails leaves what was known.
        .catch(() => {});
      return running;
    },
    settled: () => running,
  };
}

const NONE: ReadAgents = { definitions: [], problems: [] };

const AGENT_SOURCES = ['managed', 'project', 'user'] as const;

const RANK: readonly AgentSource[] = ['managed', 'commandLine', 'project', 'user', 'builtIn'];

const folderOf = (
  source: (typeof AGENT_SOURCES)[number],
  places: DefinitionPlaces,
): string | null => {
  if (!places.includeFiles) return null;
  if (source === 'user') return join(places.userFolder, 'agents');
  if (source === 'project') {
    return places.includeProject ? join(places.project, '.claude', 'agents') : null;
  }
  return places.managedFile && join(dirname(places.managedFile), '.claude', 'agents');
};

/**
 * Joins definitions, those that come with Lathe last: of two of one name the stronger source's counts. Two of one source
 * are told, and the first by its path counts. Pure.
 */
export function joinAgents(read: readonly ReadAgents[]): ReadAgents {
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
  const definitions = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { definitions, problems };
}
