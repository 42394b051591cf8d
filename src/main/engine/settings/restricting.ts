import { emptyLayer, type SettingsLayer, withProblem } from './read';
import { NO_SANDBOX_VALUES } from './sandbox-values';
import type { FieldValues } from './schema';

/**
 * Returns the settings of a program that bind like managed ones, as far as they only restrict; nothing of them where the
 * machine has managed settings of its own. Pure.
 */
export function restricting(
  layer: SettingsLayer,
  managed: readonly SettingsLayer[],
): SettingsLayer {
  const { file, fields, permissions, rules, sandbox, problems } = layer;
  const none = { ...emptyLayer('managed', file), problems };
  if (managed.some(({ digest, problems: told }) => digest !== undefined || told.length > 0))
    return withProblem(none, 'left out, because this machine has managed settings');
  const { disableBypassPermissionsMode, disableAutoMode } = permissions;
  const limits = onlyLimits(fields);
  const modes = {
    ...(disableBypassPermissionsMode ? { disableBypassPermissionsMode } : {}),
    ...(disableAutoMode ? { disableAutoMode } : {}),
  };
  const textsOf = (wanted: 'ask' | 'deny') =>
    rules.flatMap(({ behavior, text }) => (behavior === wanted ? text : []));
  return {
    ...none,
    // As far as they count.
    given: { ...limits, permissions: { ...modes, deny: textsOf('deny'), ask: textsOf('ask') } },
    fields: limits,
    permissions: modes,
    rules: rules
      .filter(({ behavior }) => behavior !== 'allow')
      .map((rule) => ({ ...rule, source: 'managed' })),
    sandbox: {
      ...NO_SANDBOX_VALUES,
      ...(sandbox.enabled === true ? { enabled: true } : {}),
      ...(sandbox.failIfUnavailable === true ? { failIfUnavailable: true } : {}),
      ...(sandbox.allowUnsandboxedCommands === false ? { allowUnsandboxedCommands: false } : {}),
      ...(sandbox.strictAllowlist === true ? { strictAllowlist: true } : {}),
      // No other hosts than these are let in then.
      ...(sandbox.allowManagedDomainsOnly === true
        ? { allowManagedDomainsOnly: true, allowedDomains: sandbox.allowedDomains }
        : {}),
      ...(sandbox.allowManagedReadPathsOnly === true ? { allowManagedReadPathsOnly: true } : {}),
      credentialFiles: [...sandbox.credentialFiles, ...sandbox.maskedFiles.map(({ name }) => name)],
      // What masks a key lets it go somewhere.
      credentialVariables: [
        ...sandbox.credentialVariables,
        ...sandbox.maskedVariables.map(({ name }) => name),
      ],
      denyRead: sandbox.denyRead,
      denyWrite: sandbox.denyWrite,
      deniedDomains: sandbox.deniedDomains,
    },
  };
}

/** Returns the fields that can only take something away. Lists that would join with others count when they are empty. */
function onlyLimits(fields: FieldValues): FieldValues {
  const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: names } = fields;
  const hooks = fields.allowManagedHooksOnly ?? fields.disableAllHooks;
  const rules = fields.allowManagedPermissionRulesOnly;
  const { maxTurns, maxBudgetUsd, maxDailyBudgetUsd } = fields;
  const { allowedMcpServers, availableModels, deniedMcpServers, disabledMcpjsonServers } = fields;
  return {
    ...(hooks === true ? { allowManagedHooksOnly: true } : {}),
    ...(rules === true ? { allowManagedPermissionRulesOnly: true } : {}),
    ...(urls?.length === 0 ? { allowedHttpHookUrls: [] } : {}),
    ...(names?.length === 0 ? { httpHookAllowedEnvVars: [] } : {}),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(maxDailyBudgetUsd === undefined ? {} : { maxDailyBudgetUsd }),
    ...(fields.disableAutoMode ? { disableAutoMode: 'disable' } : {}),
    ...(fields.disableSkillShellExecution ? { disableSkillShellExecution: true } : {}),
    ...(allowedMcpServers === undefined ? {} : { allowedMcpServers }),
    ...(availableModels === undefined ? {} : { availableModels }),
    ...(fields.strictPluginOnlyCustomization === undefined
      ? {}
      : { strictPluginOnlyCustomization: fields.strictPluginOnlyCustomization }),
    ...(fields.allowedProviders === undefined ? {} : { allowedProviders: fields.allowedProviders }),
    ...(fields.disableSideloadFlags ? { disableSideloadFlags: true } : {}),
    ...(fields.maxEffortLevel === undefined ? {} : { maxEffortLevel: fields.maxEffortLevel }),
    ...(fields.enforceAvailableModels ? { enforceAvailableModels: true } : {}),
    ...(fields.availableModelsMatch === 'exact' ? { availableModelsMatch: 'exact' } : {}),
    ...(fields.deniedModels === undefined ? {} : { deniedModels: fields.deniedModels }),
    ...(deniedMcpServers === undefined ? {} : { deniedMcpServers }),
    ...(disabledMcpjsonServers === undefined ? {} : { disabledMcpjsonServers }),
  };
}
