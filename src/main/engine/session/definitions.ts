import { join } from 'node:path';
import type { SettingsProblem } from '../../../shared/settings';
import { type AgentStore, createAgentStore } from '../agents/agent-store';
import { findAgent } from '../agents/definitions';
import type { ReadAgents } from '../agents/read-agents';
import { COMMANDS } from '../input/commands';
import { relativeInside } from '../permissions/paths';
import type { Files } from '../ports';
import { chooseStyle } from '../prompt/output-styles';
import type { Services } from '../services';
import { createLook, type DefinitionPlaces, type Look } from '../settings/definition-places';
import type {
  EffectiveSettings,
  SettingPlace,
  SettingPlaces,
  Surface,
} from '../settings/effective';
import { ASKS_EVERYTHING } from '../settings/lost-denials';
import type { ModelSettings } from '../settings/new-model';
import type { Plugin } from '../settings/plugins/read-plugin';
import type { SkillOverrides } from '../settings/skill-overrides';
import { atPlace } from '../settings/value-places';
import { createSkillStore, type SkillStore } from '../skills/skill-store';

/** Definitions in files beside settings: kinds of agents, skills, commands. */
export interface Definitions extends Look {
  readonly agents: AgentStore;
  readonly skills: SkillStore;
  /** Looks for skills in folders below the project too, once each; null when all of them are known. */
  lookIn(folders: readonly string[]): Promise<void> | null;
  /** The skill whose name a user has just typed, until it is in use. */
  readonly typed: { get(): string | null; set(name: string | null): void };
  /** Returns what could not be used as written, and what is left out because nobody trusts the folder. */
  problems(): readonly SettingsProblem[];
}

interface DefinitionOptions {
  /** The project folder, as a real path. */
  readonly project: string;
  readonly trusted: () => boolean;
  readonly plugins?: () => readonly Plugin[];
  readonly skillOverrides?: () => SkillOverrides;
  /** Returns the places of settings that name something. */
  readonly settingPlaces?: () => SettingPlaces;
  /** Returns the kinds of things that only plugins and managed settings may bring. Absent: none. */
  readonly pluginsOnly?: () => readonly Surface[];
  /** True for a session that goes without what people define. */
  readonly simple: boolean;
  /** Agents of the command line, or of the program that drives the session. */
  readonly given?: ReadAgents | undefined;
  /** Names of the skills that the model may use, those of plugins with or without the plugin's. Absent: all. */
  readonly wanted?: readonly string[] | undefined;
}

/**
 * Returns what could not be used as written in the definitions of a project, what is left out because nobody trusts it,
 * and which of its settings name an agent or a style that is not there.
 */
export async function definitionProblems(
  services: Pick<
    Services,
    'files' | 'configDir' | 'managedMemory' | 'resolveModel' | 'defaultModel'
  >,
  project: string,
  settings: ModelSettings &
    Pick<
      EffectiveSettings,
      | ('trusted' | 'agent' | 'outputStyle' | 'places' | 'sources')
      | ('plugins' | 'pluginsOnly' | 'skillOverrides')
    >,
): Promise<readonly SettingsProblem[]> {
  const { trusted, agent, outputStyle, places = {}, plugins = [], pluginsOnly = [] } = settings;
  const definitions = createDefinitions(services, {
    project,
    trusted: () => trusted,
    plugins: () => plugins,
    pluginsOnly: () => pluginsOnly,
    skillOverrides: () => settings.skillOverrides ?? {},
    settingPlaces: () => places,
    simple: false,
  });
  await definitions.refresh();
  const missing =
    agent === undefined || findAgent(definitions.agents.list(), agent) !== null
      ? []
      : [nothingNamed('agent', missingAgent(agent, definitions.agents), places.agent)];
  const { problem } = await chooseStyle(
    services.files,
    { project, userFolder: services.configDir, includeProject: trusted, plugins },
    outputStyle,
  );
  const noStyle =
    problem === null
      ? []
      : [nothingNamed('outputStyle', problem.replace(/\.$/, ''), places.outputStyle)];
  return [...definitions.problems(), ...missing, ...noStyle, ...noModel(services, settings)];
}

const missingAgent = (name: string, { isDropped }: AgentStore): string =>
  `there is no agent “${name}”${isDropped(name) ? `. ${ASKS_EVERYTHING.slice(0, -1)}` : ''}`;

/** Tells which model of settings no session can begin with. */
function noModel(
  services: Pick<Services, 'defaultModel'>,
  settings: ModelSettings,
): readonly SettingsProblem[] {
  const found = services.defaultModel(settings);
  if (found.ok) return [];
  const { message, fix = '' } = found.error;
  const { file } = settings.places?.model ?? { file: 'the environment' };
  return [{ file, message: `${message} ${fix}`.trim(), level: 'error' }];
}

function nothingNamed(field: string, words: string, place?: SettingPlace): SettingsProblem {
  const at = place ?? { file: 'settings' };
  return { ...at, field, message: atPlace(at, field, `${words}.`), level: 'warning' };
}

/** Tells which folders of definitions are left out. Reads none of their files. */
async function untrustedFolders(files: Files, project: string): Promise<SettingsProblem[]> {
  const folders = ['agents', 'skills', 'commands', 'output-styles'].map((name) =>
    join(project, '.claude', name),
  );
  const told = await Promise.all(
    folders.map(async (file): Promise<SettingsProblem[]> => {
      const listed = await files.list(file);
      if (!listed.ok || listed.value.length === 0) return [];
      const message = `${file}: left out, because nobody trusts this folder.`;
      return [{ file, message, level: 'warning' }];
    }),
  );
  return told.flat();
}

/** Creates the definitions of a project. Nothing is read before `refresh`. */
export function createDefinitions(
  services: Pick<Services, 'files' | 'configDir' | 'managedMemory' | 'resolveModel'>,
  {
    project,
    trusted,
    plugins = () => [],
    pluginsOnly,
    skillOverrides,
    settingPlaces,
    simple,
    given,
    wanted,
  }: DefinitionOptions,
): Definitions {
  let nested: readonly string[] = [];
  const places = (surface: Surface) => (): DefinitionPlaces => {
    const includeUser = pluginsOnly?.().includes(surface) !== true;
    return {
      project,
      userFolder: services.configDir,
      managedFile: services.managedMemory,
      includeProject: trusted() && includeUser,
      includeUser,
      plugins: plugins(),
      skillOverrides: skillOverrides?.() ?? {},
      settingPlaces: settingPlaces?.() ?? {},
      includeFiles: !simple,
      nested,
    };
  };
  const isModel = (name: string) => services.resolveModel(name).ok;
  const agents = createAgentStore(services.files, places('agents'), given, isModel);
  const skills = createSkillStore(services.files, places('skills'), RESERVED, wanted, isModel);
  let typed: string | null = null;
  let leftOut: readonly SettingsProblem[] = [];
  const untrusted = createLook(async () => {
    leftOut = trusted() || simple ? [] : await untrustedFolders(services.files, project);
  });
  const looks: readonly Look[] = [agents, skills, untrusted];
  return {
    lookIn: (folders) => {
      const own = folders.filter((folder) => relativeInside(project, folder, false) !== null);
      const fresh = own.filter((folder) => !nested.includes(folder));
      if (fresh.length === 0 || nested.length >= MAX_NESTED) return null;
      nested = [...nested, ...fresh].slice(0, MAX_NESTED);
      return trusted() && !simple ? skills.refresh() : null;
    },
    agents,
    skills,
    typed: {
      get: () => typed,
      set: (name) => {
        typed = name;
      },
    },
    problems: () => [...agents.problems(), ...skills.problems(), ...leftOut],
    refresh: async () => {
      await Promise.all(looks.map((look) => look.refresh()));
    },
    settled: () => {
      const running = looks.map((look) => look.settled()).filter((look) => look !== null);
      return running.length === 0 ? null : Promise.all(running).then(() => {});
    },
  };
}

/** In more folders below the project no skills are looked for. */
const MAX_NESTED = 200;

/** Names that Lathe itself answers to. */
const RESERVED: ReadonlySet<string> = new Set(COMMANDS.map(({ name }) => name));
