import type { SettingsProblem } from '../../../shared/settings';
import { type AgentStore, createAgentStore, type DefinitionPlaces } from '../agents/agent-store';
import type { ReadAgents } from '../agents/read-agents';
import type { Services } from '../services';

/** What people define in files beside settings: kinds of agents. */
export interface Definitions {
  readonly agents: AgentStore;
  problems(): readonly SettingsProblem[];
  /** Looks at the files again. Never rejects. */
  refresh(): Promise<void>;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
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
  return {
    agents,
    problems: agents.problems,
    refresh: agents.refresh,
    settled: agents.settled,
  };
}
