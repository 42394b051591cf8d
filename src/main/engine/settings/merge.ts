import path from 'node:path';
import type { ThinkingMode } from '../../../shared/agent-event';
import {
  type PermissionMode,
  type PermissionRule,
  type RuleSource,
  RuleSource as RuleSources,
} from '../../../shared/permission';
import type { SettingsProblem, TrustFinding } from '../../../shared/settings';
import type { ApiKeyHelper, EffectiveSettings } from './effective';
import { mcpServersOf } from './mcp-servers';
import { hooksDisabledByUser, hooksOf } from './merge-hooks';
import type { SettingsLayer } from './read';
import { mergeSandbox, NO_SANDBOX_VALUES } from './sandbox';
import { thinkingUpTo } from './schema';

/** Inputs of the merge besides the layers. */
export interface MergeOptions {
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
  };
}

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
  const ordered = [...layers].sort((a, b) => strength(a.source) - strength(b.source));
  const counted = ordered
    .map((layer) => (isOpen(layer, options) ? layer : onlyTightening(layer)))
    .map((layer) => withoutPersonalMode(layer, problems));
  const pick = <T>(choose: (layer: SettingsLayer) => T | undefined): T | undefined =>
    counted.map(choose).find((value) => value !== undefined);

  const bypassAllowed = !ordered.some(
    (layer) => layer.permissions.disableBypassPermissionsMode === 'disable',
  );
  const managedRulesOnly = ordered.some(
    ({ source, fields }) => source === 'managed' && fields.allowManagedPermissionRulesOnly === true,
  );
  const chosenIn =
    options.mode === undefined
      ? counted.find((layer) => layer.permissions.defaultMode !== undefined)?.file
      : 'the command line';
  const model = pick((layer) => layer.fields.model);
  const effort = pick((layer) => layer.fields.effortLevel);
  const thinking = pick(thinkingOf);
  const maxTurns = pick((layer) => layer.fields.maxTurns);
  const maxBudgetUsd = pick((layer) => layer.fields.maxBudgetUsd);
  const systemPrompt = pick((layer) => layer.fields.systemPrompt);
  const appendSystemPrompt = pick((layer) => layer.fields.appendSystemPrompt);
  const outputStyle = pick((layer) => layer.fields.outputStyle);
  const language = pick((layer) => layer.fields.language);
  const autoCompactEnabled = pick((layer) => layer.fields.autoCompactEnabled);
  const autoCompactWindow = pick((layer) => layer.fields.autoCompactWindow);
  const failoverWaitSeconds = pick((layer) => layer.fields.failoverWaitSeconds);
  const apiKeyHelper = pick(helperOf);
  const mcpServers = mcpServersOf(
    {
      layers:
        options.mcp?.onlyCommandLine === true
          ? counted.filter(({ source }) => source === 'commandLine')
          : counted,
      trusted: options.trusted,
      projectFile: options.mcp?.projectFile ?? '',
    },
    problems,
  );
  const endpoints = Object.assign({}, ...counted.toReversed().map((l) => l.fields.endpoints ?? {}));
  return {
    trusted: options.trusted,
    ...(model === undefined ? {} : { model }),
    ...(failoverWaitSeconds === undefined ? {} : { failoverWaitSeconds }),
    ...(apiKeyHelper === undefined ? {} : { apiKeyHelper }),
    ...(Object.keys(endpoints).length === 0 ? {} : { endpoints }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    ...(outputStyle === undefined ? {} : { outputStyle }),
    ...(language === undefined ? {} : { language }),
    ...(autoCompactEnabled === undefined ? {} : { autoCompactEnabled }),
    ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
    fallbackModels: pick((layer) => layer.fields.fallbackModel) ?? [],
    defaultMode: permittedMode(
      options.mode ?? pick((layer) => layer.permissions.defaultMode) ?? 'default',
      bypassAllowed,
      problems,
    ),
    ...(chosenIn === undefined ? {} : { defaultModeFrom: chosenIn }),
    bypassAllowed,
    additionalDirectories: directories(counted, options),
    env: Object.fromEntries(counted.toReversed().flatMap((layer) => Object.entries(layer.env))),
    rules: distinctRules(rulesInForce(counted, managedRulesOnly)),
    ...(managedRulesOnly ? { managedRulesOnly } : {}),
    sandbox: mergeSandbox(counted, options, problems),
    ...(mcpServers.length === 0 ? {} : { mcpServers }),
    hooks: hooksOf(ordered, (layer) => isOpen(layer, options)),
    ...(hooksDisabledByUser(ordered) ? { hooksDisabled: true } : {}),
    files: ordered.map(({ source, file, digest = '' }) => ({ source, file, digest })),
    problems,
    findings: options.findings,
    findingsHash: options.findingsHash,
  };
}

const helperOf = ({ fields, file, source }: SettingsLayer): ApiKeyHelper | undefined =>
  fields.apiKeyHelper === undefined
    ? undefined
    : { command: fields.apiKeyHelper, file, ofProject: FROM_REPOSITORY.includes(source) };

/** Returns the thinking a file asks for: `false` turns it off, else a number of tokens limits it. */
function thinkingOf({ fields }: SettingsLayer): ThinkingMode | undefined {
  const { alwaysThinkingEnabled: enabled, maxThinkingTokens: tokens } = fields;
  if (enabled === false) return 'disabled';
  return tokens === undefined ? enabled && 'adaptive' : thinkingUpTo(tokens);
}

const strength = (source: RuleSource): number => RuleSources.options.indexOf(source);

const isOpen = (layer: SettingsLayer, options: MergeOptions): boolean =>
  options.trusted || !FROM_REPOSITORY.includes(layer.source);

function onlyTightening(layer: SettingsLayer): SettingsLayer {
  const { disableBypassPermissionsMode } = layer.permissions;
  return {
    ...layer,
    fields: {},
    permissions: disableBypassPermissionsMode ? { disableBypassPermissionsMode } : {},
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
  problems.push({
    file: layer.file,
    field: 'permissions.defaultMode',
    message: `${layer.file}: a folder cannot choose the mode ${defaultMode}; choose it in your user settings or with --permission-mode.`,
    level: 'warning',
  });
  return { ...layer, permissions };
}

function permittedMode(
  mode: PermissionMode,
  bypassAllowed: boolean,
  problems: SettingsProblem[],
): PermissionMode {
  if (mode !== 'bypassPermissions' || bypassAllowed) return mode;
  problems.push({
    file: '',
    field: 'permissions.defaultMode',
    message: 'The mode bypassPermissions is switched off by settings; the default mode is used.',
    level: 'warning',
  });
  return 'default';
}

function directories(layers: readonly SettingsLayer[], options: MergeOptions): string[] {
  const all = [
    ...options.addDirectories,
    ...layers.flatMap((layer) => layer.additionalDirectories),
  ].map((folder) =>
    folder === '~' || folder.startsWith('~/')
      ? path.join(options.home, folder.slice(1))
      : path.resolve(options.project, folder),
  );
  return [...new Set(all)];
}

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
