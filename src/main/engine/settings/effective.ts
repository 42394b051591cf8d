import type { AgentDefaults } from '../../../shared/agent-defaults';
import type { ThinkingMode } from '../../../shared/agent-event';
import type { HookSetting } from '../../../shared/hooks';
import type { PermissionMode, PermissionRule, RuleSource } from '../../../shared/permission';
import type { SettingsProblem, TrustFinding } from '../../../shared/settings';
import type { AllowedProviders } from './allowed-providers';
import type { AvailableModels } from './available-models';
import type { HeldServer, McpServerSetting } from './mcp-servers';
import type { LanguageServerSetting } from './plugins/language-servers';
import type { MarketplaceSource } from './plugins/marketplace';
import type { PluginOptionsGiven } from './plugins/plugin-options';
import type { Plugin, PluginProblem } from './plugins/read-plugin';
import type { PluginWishes } from './plugins/wanted-plugins';
import type { GivenSettings } from './read';
import type { SandboxSettings } from './sandbox';
import type { Attribution, CLOUD_COMMANDS } from './schema';
import type { ServerPolicy } from './server-policy';
import type { SkillOverrides } from './skill-overrides';

/** A command of settings that has to do with keys for the model. */
export interface ApiKeyHelper {
  readonly command: string;
  /** The settings file that names it. */
  readonly file: string;
  /** It comes from the project itself, so it runs there. */
  readonly ofProject: boolean;
}

/** A command that a setting names, to get or renew credentials of a cloud provider. */
export interface SettingCommand extends ApiKeyHelper {
  readonly name: string;
}

/** The commands for credentials of cloud providers, by their settings. */
export type CloudCommands = Partial<Record<(typeof CLOUD_COMMANDS)[number], SettingCommand>>;

/** A settings file; the digest of one that is not there is ''. */
interface SettingsFile {
  readonly source: RuleSource;
  readonly file: string;
  readonly digest: string;
}

/** The kinds of things that people add to Lathe. */
export const SURFACES = ['skills', 'agents', 'hooks', 'mcp'] as const;
export type Surface = (typeof SURFACES)[number];

/** The place of one field. */
export interface SettingPlace {
  readonly file: string;
  readonly line?: number;
}

/** The places of settings by their names. */
export type SettingPlaces = Partial<
  Record<'agent' | 'model' | 'outputStyle' | `skillOverrides.${string}`, SettingPlace>
>;

/** The protocol features of one endpoint. */
interface EndpointSettings {
  /** `anthropic-version`. */
  readonly apiVersion?: string | undefined;
  /** `anthropic-beta`. */
  readonly betas?: readonly string[] | undefined;
}

/** The `worktree` settings. */
interface WorktreeSettings {
  /** `fresh`: the default branch of the remote; `head`: the commit that is checked out. */
  readonly baseRef: 'fresh' | 'head';
  /** Folders of the repository, by their paths from its root. */
  readonly symlinkDirectories: readonly string[];
}

/**
 * All settings that apply to one project, merged by precedence (docs/configuration.md). What an
 * untrusted folder says is absent, except its deny and ask rules, which can only tighten.
 */
export interface EffectiveSettings extends AvailableModels {
  /** Holds the settings of each file that counts as they stand there, weakest first. Absent where no file was read. */
  readonly given?: readonly GivenSettings[];
  /** True when the user trusts the folder; without it, what it says here is left out. */
  readonly trusted: boolean;
  /** The defaults of new sessions: the user's own choice, and the settings that override it. */
  readonly defaults?: AgentDefaults;
  readonly model?: string;
  readonly effort?: string;
  /** The amount of thinking. Absent: as much as the model likes. */
  readonly thinking?: ThinkingMode;
  /** The most round trips of one query. Absent: as many as it takes. */
  readonly maxTurns?: number;
  /** The depth to which sub-agents may start sub-agents. Absent: 1, they start none. */
  readonly maxAgentDepth?: number;
  /** The most dollars a session spends before it asks. Absent: no limit. */
  readonly maxBudgetUsd?: number;
  /** The most dollars that all sessions spend in a day before they ask. Absent: no limit. */
  readonly maxDailyBudgetUsd?: number;
  /** True when conversations are summarised automatically. Absent: true. */
  readonly autoCompactEnabled?: boolean;
  /** True when checkpoints of files are kept. Absent: where a user can go back to them. */
  readonly fileCheckpointingEnabled?: boolean;
  /** The days that checkpoints are kept. Absent: 30. */
  readonly checkpointDays?: number;
  /** The most that checkpoints of a project take. Absent: 4096. Megabytes. */
  readonly checkpointMegabytes?: number;
  /** The window they are summarised for, when it is to be smaller than the model's. Tokens. */
  readonly autoCompactWindow?: number;
  /** The messages since the last summary at which there is another. Absent: any number. */
  readonly autoCompactMessages?: number;
  /** The dollars spent on answers since the last summary at which there is another. Absent: any sum. */
  readonly autoCompactUsd?: number;
  /** The most output tokens a request may ask for, when it is to be other than Lathe's own. */
  readonly maxOutputTokens?: number;
  /** Text in the place of the whole system prompt, unless the host has one. */
  readonly overrideSystemPrompt?: string;
  /** The main agent only gives work to sub-agents. */
  readonly coordinator?: boolean;
  /** Name of the definition that the main agent follows. */
  readonly agent?: string;
  /** The places of settings that are only found out later to name nothing. */
  readonly places?: SettingPlaces;
  /** The variables of `env` that reach Lathe itself: none of the folder's. Absent: none. */
  readonly ownVariables?: Readonly<Record<string, SettingPlace & { readonly value: string }>>;
  /** Text in the place of the static part of the system prompt, unless the host has one. */
  readonly systemPrompt?: string;
  /** Text behind the system prompt, unless the host has some. */
  readonly appendSystemPrompt?: string;
  /** Name of the style answers are written in. */
  readonly outputStyle?: string;
  /** The language to answer in. */
  readonly language?: string;
  /** A prompt of a few lines, and no memory files. */
  readonly simple?: boolean;
  /** The model of every sub-agent but forks. Absent: what whoever starts it, or its definition, says. */
  readonly subAgentModel?: string;
  readonly fallbackModels: readonly string[];
  readonly apiKeyHelper?: ApiKeyHelper;
  /** Absent: settings name none. */
  readonly cloudCommands?: CloudCommands;
  /** The command that prints a line for the status bar. */
  readonly statusLine?: string;
  /** By the address of the endpoint. */
  readonly endpoints?: Readonly<Record<string, EndpointSettings>>;
  /** A longer wait than this, asked for by a provider, hands a request to the next one. */
  readonly failoverWaitSeconds?: number;
  readonly defaultMode: PermissionMode;
  /** The file that chose the mode, or the command line. Absent: nobody chose. */
  readonly defaultModeFrom?: string;
  /** The modes that settings forbid. */
  readonly modesOff: readonly PermissionMode[];
  readonly additionalDirectories: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rules: readonly PermissionRule[];
  /** Managed settings say that only their own rules allow anything. */
  readonly managedRulesOnly?: boolean;
  /** Absent: there is no sandbox. */
  readonly sandbox?: SandboxSettings;
  /** The commit that new worktrees begin at, and the folders that are linked into them. Absent: the defaults. */
  readonly worktree?: WorktreeSettings;
  /** The tool servers to start. Absent: none. */
  readonly mcpServers?: readonly McpServerSetting[];
  /** The tool servers that are not to start. Absent: none. */
  readonly heldServers?: readonly HeldServer[];
  /** The language servers of plugins, in a folder that the user trusts. Absent: none. */
  readonly languageServers?: readonly LanguageServerSetting[];
  /** The kinds of things that only plugins and managed settings may bring. Absent: none. */
  readonly pluginsOnly?: readonly Surface[];
  /** The use of single skills, where settings differ from what these say. Absent: they do not. */
  readonly skillOverrides?: SkillOverrides;
  /** Managed settings refuse plugins, agents and tool servers of the command line. */
  readonly noSideloads?: boolean;
  /** The providers of models that may be asked. Absent: all. */
  readonly allowedProviders?: AllowedProviders;
  /** Names of models at cloud providers that differ. Absent: none. */
  readonly modelOverrides?: Readonly<Record<string, string>>;
  /** The highest effort that may be asked for. Absent: all may. */
  readonly maxEffort?: string;
  /** The tool servers that may start. Absent: all. */
  readonly serverPolicy?: ServerPolicy;
  /** Commands in the texts of skills and commands are not run. Absent: they are. */
  readonly skillCommandsOff?: boolean;
  /** The plugins that count. Absent: none. */
  readonly plugins?: readonly Plugin[];
  /** The part of `problems` that plugins have. Absent: none. */
  readonly pluginProblems?: readonly PluginProblem[];
  /** The plugins that settings turn on or off, by id. Absent: none. */
  readonly pluginSwitches?: Readonly<Record<string, boolean>>;
  /** The plugins and marketplaces of settings, those of the folder left out. Absent: they turn none on or off. */
  readonly ownPlugins?: Pick<PluginWishes, 'switches' | 'marketplaces'>;
  /** The values that people gave to options of plugins, secret ones too. Absent: none. */
  readonly pluginOptions?: PluginOptionsGiven;
  /** The marketplaces that settings name. Absent: none. */
  readonly marketplaces?: Readonly<Record<string, MarketplaceSource>>;
  /** The folder whose configuration counts in the place of the project's own. Absolute. */
  readonly configRoot?: string;
  /** True when what that folder says counts; absent without one. It says nothing of the folder worked in. */
  readonly rootTrusted?: boolean;
  /** The texts that end the messages of commits and the descriptions of pull requests. Absent, or without one: none. */
  readonly attribution?: Attribution;
  /** The days after which a session that nobody used goes into the trash. Absent: it stays. */
  readonly cleanupPeriodDays?: number;
  /** False: programs are given no suggestions of what to say next. */
  readonly promptSuggestions?: boolean;
  /** False: programs are not told in words what sub-agents do. */
  readonly agentProgress?: boolean;
  /** False: notes that agents took do not count. */
  readonly autoMemory?: boolean;
  /** Globs of memory files that do not count. Absent: none. */
  readonly memoryExcludes?: readonly string[];
  /** Every hook that could be read, in the order in which their answers count; those that are off say why. */
  readonly hooks: readonly HookSetting[];
  /** The user's own settings say that no hook runs. */
  readonly hooksDisabled?: boolean;
  /** The places whose settings and memory files count beside managed ones. Absent: all. */
  readonly sources?: readonly ('user' | 'project' | 'local')[];
  /** The files that were read, and what stands for their content. */
  readonly files?: readonly SettingsFile[];
  /** Everything that could not be used as written. */
  readonly problems: readonly SettingsProblem[];
  /** The things that trusting the folder would turn on. */
  readonly findings: readonly TrustFinding[];
  /** Changes whenever findings change; trust is bound to it. */
  readonly findingsHash: string;
}

/**
 * Returns the folder in which hooks and tool servers start: the root of the configuration, where there is one and `folder` is not
 * trusted. What they name by a relative path must not be found in a stranger's folder. Pure.
 */
export const startFolder = (
  { configRoot, trusted }: Pick<EffectiveSettings, 'configRoot' | 'trusted'>,
  folder: string,
): string => (trusted ? folder : (configRoot ?? folder));
