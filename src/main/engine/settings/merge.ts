import path from 'node:path';
import {
  type PermissionMode,
  type PermissionRule,
  type RuleSource,
  RuleSource as RuleSources,
} from '../../../shared/permission';
import type { SettingsProblem, TrustFinding } from '../../../shared/settings';
import { agentDefaults, thinkingOf } from './agent-defaults';
import { allowLists } from './allow-lists';
import { allowedProvidersIn } from './allowed-providers';
import { type AvailableModels, choosing } from './available-models';
import {
  type ApiKeyHelper,
  type CloudCommands,
  type EffectiveSettings,
  SURFACES,
  type Surface,
} from './effective';
import { leftOut, outOfPlace, overruled } from './left-out';
import { mcpServersOf } from './mcp-servers';
import { hooksDisabledByUser, hooksOf } from './merge-hooks';
import { emptyLayer, type SettingsLayer } from './read';
import { mergeSandbox } from './sandbox';
import { NO_SANDBOX_VALUES } from './sandbox-values';
import { CLOUD_COMMANDS, lowestEffort } from './schema';
import { serverPolicyOf } from './server-policy';
import { skillOverridesOf } from './skill-overrides';
import { ownVariablesIn, placeOf, placesOf, problemAt } from './value-places';

/** Inputs of the merge besides the layers. */
interface MergeOptions {
  readonly project: string;
  readonly home: string;
  /** The folder of the user's settings. */
  readonly configDir: string;
  readonly trusted: boolean;
  readonly findings: readonly TrustFinding[];
  readonly findingsHash: string;
  /** The mode the command line asks for beyond its settings. */
  readonly mode?: PermissionMode;
  readonly addDirectories: readonly string[];
  readonly mcp?: {
    /** The project's `.mcp.json`. */
    readonly projectFile: string;
    /** Only servers of the command line are started. */
    readonly onlyCommandLine: boolean;
    /** The servers of the command line are started in any folder. */
    readonly driven: boolean;
  };
  /** The settings files that were read beside managed ones. Default: all. */
  readonly sources?: EffectiveSettings['sources'];
}

const MODE = 'permissions.defaultMode';

const FROM_REPOSITORY: readonly RuleSource[] = ['localSettings', 'projectSettings'];

/** Modes that a folder may not choose for the user, trusted or not. */
const PERSONAL_MODES: readonly PermissionMode[] = ['bypassPermissions', 'auto'];

/**
 * Merges the layers, strongest first wins, lists join. Pure. Of an untrusted folder's layers only deny and ask
 * rules count; a mode without questions never comes from a folder.
 */
export function mergeSettings(
  layers: readonly SettingsLayer[],
  options: MergeOptions,
): EffectiveSettings {
  const problems: SettingsProblem[] = layers.flatMap((layer) => layer.problems);
  problems.push(...overruled(layers.flatMap((layer) => layer.rules)));
  const ordered = [...layers].sort((a, b) => strength(a.source) - strength(b.source));
  const counted = ordered
    .map((layer) => {
      if (isOpen(layer, options)) {
        problems.push(...outOfPlace(layer));
        return layer;
      }
      problems.push(...leftOut(layer));
      return onlyTightening(layer);
    })
    .map((layer) => withoutPersonalMode(layer, problems));
  const pick = <T>(choose: (layer: SettingsLayer) => T | undefined): T | undefined =>
    counted.map(choose).find((value) => value !== undefined);

  const modesOff = modesOffIn(ordered);
  const skillCommandsOff = ordered.some(({ fields }) => fields.disableSkillShellExecution);
  const managed = ordered.filter(({ source }) => source === 'managed');
  const managedRulesOnly = managed.some(({ fields }) => fields.allowManagedPermissionRulesOnly);
  const chosenBy =
    options.mode === undefined
      ? counted.find((layer) => layer.permissions.defaultMode !== undefined)
      : emptyLayer('commandLine', 'the command line');
  const chosenIn = chosenBy?.file;
  const models = modelLimits(counted);
  const mayChoose = choosing(models, problems);
  const model = pick((layer) => layer.fields.model && mayChoose('model', layer.fields.model));
  const effort = pick((layer) => layer.fields.effortLevel);
  const thinking = pick(thinkingOf);
  const maxAgentDepth = pick((layer) => layer.fields.maxAgentDepth);
  const maxTurns = pick((layer) => layer.fields.maxTurns);
  const maxBudgetUsd = pick((layer) => layer.fields.maxBudgetUsd);
  const maxDailyBudgetUsd = dailyLimitOf(counted);
  const overrideSystemPrompt = pick((layer) => layer.fields.overrideSystemPrompt);
  const coordinator = pick((layer) => layer.fields.coordinator);
  const agent = pick((layer) => layer.fields.agent);
  const systemPrompt = pick((layer) => layer.fields.systemPrompt);
  const appendSystemPrompt = pick((layer) => layer.fields.appendSystemPrompt);
  const outputStyle = pick((layer) => layer.fields.outputStyle);
  const language = pick((layer) => layer.fields.language);
  const cleanupPeriodDays = pick(({ source, fields }) =>
    FROM_REPOSITORY.includes(source) ? undefined : fields.cleanupPeriodDays,
  );
  const attribution = pick((layer) => layer.fields.attribution);
  const autoCompactEnabled = pick((layer) => layer.fields.autoCompactEnabled);
  const fileCheckpointingEnabled = pick((layer) => layer.fields.fileCheckpointingEnabled);
  const checkpointDays = pick((layer) => layer.fields.checkpointDays);
  const checkpointMegabytes = pick((layer) => layer.fields.checkpointMegabytes);
  const autoCompactWindow = pick((layer) => layer.fields.autoCompactWindow);
  const autoCompactMessages = pick((layer) => layer.fields.autoCompactMessages);
  const autoCompactUsd = pick((layer) => layer.fields.autoCompactUsd);
  const failoverWaitSeconds = pick((layer) => layer.fields.failoverWaitSeconds);
  const apiKeyHelper = pick(helperOf);
  const cloudCommands = cloudCommandsOf(counted);
  const pluginsOnly = pluginsOnlyIn(managed);
  const allowedProviders = allowedProvidersIn(managed);
  const modelOverrides = Object.assign(
    {},
    ...counted.toReversed().map((l) => l.fields.modelOverrides),
  );
  const skillOverrides = skillOverridesOf(counted, problems);
  const maxEffort = lowestEffort(counted.map(({ fields }) => fields.maxEffortLevel));
  const statusLine = pick(({ fields }) => fields.statusLine?.command);
  const { servers: mcpServers, held: heldServers } = mcpServersOf(
    {
      layers: counted.filter(
        ({ source, ofPlugin }) =>
          source === 'commandLine' ||
          (options.mcp?.onlyCommandLine !== true &&
            (source === 'managed' || ofPlugin !== undefined || !pluginsOnly.includes('mcp'))),
      ),
      trusted: options.trusted,
      projectFile: options.mcp?.projectFile ?? '',
      driven: options.mcp?.driven ?? false,
    },
    problems,
  );
  const serverPolicy = serverPolicyOf(ordered, counted);
  const promptSuggestions = pick((layer) => layer.fields.promptSuggestionEnabled);
  const autoMemory = pick((layer) => layer.fields.autoMemoryEnabled);
  const memoryExcludes = counted.flatMap((layer) => layer.fields.claudeMdExcludes ?? []);
  const worktree = {
    baseRef: pick((layer) => layer.fields.worktree?.baseRef) ?? ('fresh' as const),
    symlinkDirectories: [
      ...new Set(counted.flatMap((layer) => layer.fields.worktree?.symlinkDirectories ?? [])),
    ],
  };
  const endpoints = Object.assign({}, ...counted.toReversed().map((l) => l.fields.endpoints ?? {}));
  return {
    trusted: options.trusted,
    defaults: agentDefaults(counted),
    ...(model === undefined ? {} : { model }),
    ...(failoverWaitSeconds === undefined ? {} : { failoverWaitSeconds }),
    ...(apiKeyHelper === undefined ? {} : { apiKeyHelper }),
    ...(Object.keys(cloudCommands).length === 0 ? {} : { cloudCommands }),
    ...(statusLine === undefined ? {} : { statusLine }),
    ...(Object.keys(endpoints).length === 0 ? {} : { endpoints }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxAgentDepth === undefined ? {} : { maxAgentDepth }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(maxDailyBudgetUsd === undefined ? {} : { maxDailyBudgetUsd }),
    ...(overrideSystemPrompt === undefined ? {} : { overrideSystemPrompt }),
    ...(coordinator === undefined ? {} : { coordinator }),
    ...(agent === undefined ? {} : { agent }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    ...(outputStyle === undefined ? {} : { outputStyle }),
    ...placesOf(counted),
    ...ownVariablesIn(counted),
    ...(language === undefined ? {} : { language }),
    ...(typeof attribution === 'object' ? { attribution } : {}),
    ...(cleanupPeriodDays === undefined ? {} : { cleanupPeriodDays }),
    ...(autoCompactEnabled === undefined ? {} : { autoCompactEnabled }),
    ...(fileCheckpointingEnabled === undefined ? {} : { fileCheckpointingEnabled }),
    ...(checkpointDays === undefined ? {} : { checkpointDays }),
    ...(checkpointMegabytes === undefined ? {} : { checkpointMegabytes }),
    ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
    ...(autoCompactMessages === undefined ? {} : { autoCompactMessages }),
    ...(autoCompactUsd === undefined ? {} : { autoCompactUsd }),
    fallbackModels: (pick((layer) => layer.fields.fallbackModel) ?? []).flatMap(
      (name) => mayChoose('fallbackModel', name) ?? [],
    ),
    defaultMode: permittedMode(
      options.mode ?? pick((layer) => layer.permissions.defaultMode) ?? 'default',
      modesOff,
      (words) => problems.push(problemAt(chosenBy && placeOf(chosenBy, MODE), MODE, words)),
    ),
    ...(chosenIn === undefined ? {} : { defaultModeFrom: chosenIn }),
    modesOff,
    ...(skillCommandsOff ? { skillCommandsOff } : {}),
    additionalDirectories: directories(counted, options),
    env: Object.fromEntries(counted.toReversed().flatMap((layer) => Object.entries(layer.env))),
    rules: distinctRules(rulesInForce(counted, managedRulesOnly)),
    ...(managedRulesOnly ? { managedRulesOnly } : {}),
    sandbox: mergeSandbox(counted, options, problems),
    worktree,
    ...(promptSuggestions === undefined ? {} : { promptSuggestions }),
    ...(autoMemory === undefined ? {} : { autoMemory }),
    ...(memoryExcludes.length === 0 ? {} : { memoryExcludes }),
    ...(mcpServers.length === 0 ? {} : { mcpServers }),
    ...(heldServers.length === 0 ? {} : { heldServers }),
    ...models,
    ...(pluginsOnly.length === 0 ? {} : { pluginsOnly }),
    ...(managed.some(({ fields }) => fields.disableSideloadFlags) ? { noSideloads: true } : {}),
    ...(allowedProviders === undefined ? {} : { allowedProviders }),
    ...(Object.keys(modelOverrides).length === 0 ? {} : { modelOverrides }),
    ...(Object.keys(skillOverrides).length === 0 ? {} : { skillOverrides }),
    ...(maxEffort === undefined ? {} : { maxEffort }),
    ...(serverPolicy === null ? {} : { serverPolicy }),
    hooks: hooksOf(ordered, (layer) => isOpen(layer, options), pluginsOnly.includes('hooks')),
    ...(hooksDisabledByUser(ordered) ? { hooksDisabled: true } : {}),
    files: ordered.map(({ source, file, digest = '' }) => ({ source, file, digest })),
    problems,
    ...(options.sources === undefined ? {} : { sources: options.sources }),
    findings: options.findings,
    findingsHash: options.findingsHash,
  };
}

/** Returns what managed settings let come from plugins and from themselves alone. */
function pluginsOnlyIn(managed: readonly SettingsLayer[]): readonly Surface[] {
  const named = managed.flatMap(({ fields }): readonly (boolean | string)[] =>
    [fields.strictPluginOnlyCustomization ?? []].flat(),
  );
  return SURFACES.filter((one) => named.includes(true) || named.includes(one));
}

/** Returns what settings say of the models that people may choose. Only managed ones deny some, and bind ids to their version. */
function modelLimits(counted: readonly SettingsLayer[]): AvailableModels {
  const availableModels = allowLists(counted, ({ availableModels: names }) => names);
  const managed = counted.filter(({ source }) => source === 'managed');
  const [denied] = allowLists(managed, ({ deniedModels }) => deniedModels);
  return {
    ...(availableModels.length === 0 ? {} : { availableModels }),
    ...(counted.some(({ fields }) => fields.enforceAvailableModels)
      ? { enforceAvailableModels: true }
      : {}),
    ...(managed.some(({ fields }) => fields.availableModelsMatch === 'exact')
      ? { exactModels: true }
      : {}),
    ...(denied === undefined ? {} : { deniedModels: denied }),
  };
}

const helperOf = ({ fields, file, source }: SettingsLayer): ApiKeyHelper | undefined =>
  fields.apiKeyHelper === undefined
    ? undefined
    : { command: fields.apiKeyHelper, file, ofProject: FROM_REPOSITORY.includes(source) };

/** Returns the commands for credentials of cloud providers, each from the strongest file. */
const cloudCommandsOf = (counted: readonly SettingsLayer[]): CloudCommands =>
  Object.fromEntries(
    CLOUD_COMMANDS.flatMap((name) => {
      const layer = counted.find(({ fields }) => fields[name] !== undefined);
      const command = layer?.fields[name];
      if (layer === undefined || command === undefined) return [];
      const { file, source } = layer;
      return [[name, { name, command, file, ofProject: FROM_REPOSITORY.includes(source) }]];
    }),
  );

const strength = (source: RuleSource): number => RuleSources.options.indexOf(source);

/**
 * Returns the limit of a day. It is the user's own over all projects: a project may make it lower, never higher.
 */
function dailyLimitOf(counted: readonly SettingsLayer[]): number | undefined {
  const limits = (ofProject: boolean) =>
    counted
      .filter(({ source }) => FROM_REPOSITORY.includes(source) === ofProject)
      .map(({ fields }) => fields.maxDailyBudgetUsd)
      .filter((usd) => usd !== undefined);
  const [own] = limits(false);
  const all = [...(own === undefined ? [] : [own]), ...limits(true)];
  return all.length === 0 ? undefined : Math.min(...all);
}

const isOpen = (layer: SettingsLayer, options: MergeOptions): boolean =>
  options.trusted || !FROM_REPOSITORY.includes(layer.source);

/** Returns the modes that settings of any file forbid. */
const modesOffIn = (layers: readonly SettingsLayer[]): PermissionMode[] => [
  ...(layers.some(({ permissions }) => permissions.disableBypassPermissionsMode)
    ? (['bypassPermissions'] as const)
    : []),
  ...(layers.some(
    ({ permissions, fields }) => permissions.disableAutoMode ?? fields.disableAutoMode,
  )
    ? (['auto'] as const)
    : []),
];

/** Returns what only takes something away and joins with other layers; `modesOffIn` looks at all of them. */
function onlyTightening(layer: SettingsLayer): SettingsLayer {
  return {
    ...layer,
    fields: {},
    permissions: {},
    additionalDirectories: [],
    env: {},
    sandbox: NO_SANDBOX_VALUES,
    rules: layer.rules.filter((rule) => rule.behavior !== 'allow'),
  };
}

function withoutPersonalMode(layer: SettingsLayer, problems: SettingsProblem[]): SettingsLayer {
  const { defaultMode, ...permissions } = layer.permissions;
  if (!FROM_REPOSITORY.includes(layer.source) || defaultMode === undefined) return layer;
  if (!PERSONAL_MODES.includes(defaultMode)) return layer;
  const words = `a folder cannot choose the mode ${defaultMode}; choose it in your user settings or with --permission-mode.`;
  problems.push(problemAt(placeOf(layer, MODE), MODE, words));
  return { ...layer, permissions };
}

function permittedMode(
  mode: PermissionMode,
  modesOff: readonly PermissionMode[],
  tell: (words: string) => void,
): PermissionMode {
  if (!modesOff.includes(mode)) return mode;
  tell(`the mode ${mode} is switched off by settings; the default mode is used.`);
  return 'default';
}

function directories(layers: readonly SettingsLayer[], options: MergeOptions): string[] {
  const all = [
    ...options.addDirectories,
    ...layers.flatMap((layer) => layer.additionalDirectories),
  ].map((folder) => folderOf(folder, options.project, options.home));
  return [...new Set(all)];
}

/** Returns the path of a folder as settings name it: from the home folder with `~`, else from the project. Pure. */
export const folderOf = (name: string, project: string, home: string): string =>
  name === '~' || name.startsWith('~/')
    ? path.join(home, name.slice(1))
    : path.resolve(project, name);

/**
 * Returns the rules in force. With managed rules only, nobody else allows anything; what others
 * deny or ask for can only tighten, and stays.
 */
const rulesInForce = (layers: readonly SettingsLayer[], managedOnly: boolean): PermissionRule[] =>
  layers
    .flatMap((layer) => layer.rules)
    .filter(({ behavior, source }) => !managedOnly || behavior !== 'allow' || source === 'managed');

/**
 * Removes repeated rules: the same rule from several files counts once, from the strongest. Not so
 * where the file matters: `/x` means another place in each, and a `!` rule takes something out of
 * the rules of its own file only.
 */
function distinctRules(rules: readonly PermissionRule[]): PermissionRule[] {
  const seen = new Set<string>();
  const carved = rules.some(({ text }) => text.includes('(!'));
  return rules.filter((rule) => {
    const bound = carved || /^\w+\(\/(?!\/)/.test(rule.text);
    const key = `${rule.behavior} ${rule.text}${bound ? ` ${rule.source} ${rule.file}` : ''}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
