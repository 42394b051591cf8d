import type { SettingsProblem } from '../../../shared/settings';
import { type AgentStore, createAgentStore } from '../agents/agent-store';
import type { ReadAgents } from '../agents/read-agents';
import { COMMANDS } from '../input/commands';
import type { Services } from '../services';
import type { DefinitionPlaces, Look } from '../settings/definition-places';
import { createSkillStore, type SkillStore } from '../skills/skill-store';

/** What people define in files beside settings: kinds of agents, skills, commands. */
export interface Definitions extends Look {
  readonly agents: AgentStore;
  readonly skills: SkillStore;
  /** The skill whose name a person has just typed, until it is in use. */
  readonly typed: { get(): string | null; set(name: string | null): void };
  problems(): readonly SettingsProblem[];
}

interface DefinitionOptions {
  /** The project folder, as a real path. */
  readonly project: string;
  readonly trusted: () => boolean;
  /** True for a session that goes without what people define. */
  readonly simple: boolean;
  /** Agents of the command line, or of the program that drives the session. */
  readonly given?: ReadAgents | undefined;
}

/** Returns what could not be used as written in the definitions of a project. */
export async function definitionProblems(
  services: Pick<Services, 'files' | 'configDir' | 'managedMemory'>,
  project: string,
  trusted: boolean,
): Promise<readonly SettingsProblem[]> {
  const definitions = createDefinitions(services, {
    project,
    trusted: () => trusted,
    simple: false,
  });
  await definitions.refresh();
  return definitions.problems();
}

/** Creates the definitions of a project. Nothing is read before `refresh`. */
export function createDefinitions(
  services: Pick<Services, 'files' | 'configDir' | 'managedMemory'>,
  { project, trusted, simple, given }: DefinitionOptions,
): Definitions {
  const places = (): DefinitionPlaces => ({
    project,
    userFolder: services.configDir,
    managedFile: services.managedMemory,
    includeProject: trusted(),
    includeFiles: !simple,
  });
  const agents = createAgentStore(services.files, places, given);
  const skills = createSkillStore(services.files, places, RESERVED);
  let typed: string | null = null;
  return {
    agents,
    skills,
    typed: {
      get: () => typed,
      set: (name) => {
        typed = name;
      },
    },
    problems: () => [...agents.problems(), ...skills.problems()],
    refresh: async () => {
      await Promise.all([agents.refresh(), skills.refresh()]);
    },
    settled: async () => {
      await Promise.all([agents.settled(), skills.settled()]);
    },
  };
}

/** Names that Lathe itself answers to. */
const RESERVED: ReadonlySet<string> = new Set(COMMANDS.map(({ name }) => name));
