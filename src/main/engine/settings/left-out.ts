import type { PermissionRule } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { coversTool, nameRule, readRule } from '../permissions/rules';
import { variablesAtStart } from './environment';
import type { SettingsLayer } from './read';
import { OWN_VARIABLE } from './schema';

/** Fields that take something away, which needs no trust. */
const HARMLESS: ReadonlySet<string> = new Set([
  'deniedMcpServers',
  'disableAutoMode',
  'disabledMcpjsonServers',
  'disableSkillShellExecution',
]);

/**
 * Returns what a folder's settings file sets and nobody trusts it to set, each field and variable by its line. Never a
 * value: it may be secret. Pure.
 */
export function leftOut(layer: SettingsLayer): SettingsProblem[] {
  const { fields, permissions } = layer;
  const allowed = layer.rules.filter(({ behavior }) => behavior === 'allow').length;
  const names = [
    ...Object.keys(fields).filter((name) => !HARMLESS.has(name)),
    ...Object.keys(layer.env).map((name) => `env.${name}`),
    ...(permissions.defaultMode === undefined ? [] : ['permissions.defaultMode']),
    ...(layer.additionalDirectories.length === 0 ? [] : ['permissions.additionalDirectories']),
    ...(allowed === 0 ? [] : ['permissions.allow']),
  ];
  return tellFields(layer, names, 'left out, because nobody trusts this folder');
}

/** Fields that only the user and the machine can set, and those that only the machine can. */
const PERSONAL = ['cleanupPeriodDays'] as const;
const MANAGED = [
  'allowedMarketplaces',
  'allowedProviders',
  'allowManagedMcpServersOnly',
  'availableModelsMatch',
  'blockedMarketplaces',
  'deniedModels',
  'disableSideloadFlags',
  'strictKnownMarketplaces',
  'strictPluginOnlyCustomization',
] as const;

/** Returns what a file sets that counts and only a stronger kind of settings can set, each field by its line. Pure. */
export function outOfPlace(layer: SettingsLayer): SettingsProblem[] {
  const { source, fields } = layer;
  const isOfFolder = source === 'projectSettings' || source === 'localSettings';
  const set = (names: readonly (keyof typeof fields)[]) =>
    names.filter((name) => fields[name] !== undefined);
  return [
    ...(isOfFolder
      ? tellFields(
          layer,
          set(PERSONAL),
          'left out, because a folder cannot set it; set it in your own settings',
        )
      : []),
    ...(source === 'managed'
      ? []
      : tellFields(layer, set(MANAGED), 'left out, because only managed settings can set it')),
    ...ofCommands(layer, isOfFolder),
  ];
}

/** Returns the variables of a file that mean something to Lathe, and reach only its commands from there. */
function ofCommands(layer: SettingsLayer, isOfFolder: boolean): SettingsProblem[] {
  const names = Object.keys(layer.env);
  if (names.length === 0) return [];
  const atStart = variablesAtStart();
  const told = names.filter((name) => (OWN_VARIABLE.test(name) ? isOfFolder : atStart.has(name)));
  return told.flatMap((name) =>
    tellFields(
      layer,
      [`env.${name}`],
      OWN_VARIABLE.test(name)
        ? 'it reaches commands alone; Lathe itself takes it from your own settings, or from where it is started'
        : 'it reaches commands alone; Lathe itself takes it from where it is started',
    ),
  );
}

const tellFields = (
  { file, lines }: SettingsLayer,
  names: readonly string[],
  why: string,
): SettingsProblem[] =>
  names.map((field) => {
    const line = lines[field];
    const place = line === undefined ? file : `${file}, line ${line}`;
    const message = `${place}: ${field}: ${why}.`;
    return { file, ...(line === undefined ? {} : { line }), field, message, level: 'warning' };
  });

/** More rules that never apply are only counted. */
const MAX_OVERRULED = 20;

/** Returns the allow rules that a stronger rule of the same reach, or of the whole tool, always goes before. Pure. */
export function overruled(rules: readonly PermissionRule[]): SettingsProblem[] {
  const stronger = rules.filter(
    ({ behavior, line, file }) =>
      behavior !== 'allow' && (line !== undefined || file === undefined),
  );
  if (stronger.length === 0) return [];
  const bySame = new Map(stronger.map((rule) => [rule.text.trim(), rule]));
  const whole = stronger.filter(({ text }) => !text.includes('('));
  const found = rules.flatMap((rule): SettingsProblem[] => {
    const { file, line } = rule;
    if (rule.behavior !== 'allow' || file === undefined || line === undefined) return [];
    const tool = readRule(rule).parsed?.tool ?? '';
    const above =
      bySame.get(rule.text.trim()) ?? whole.find(({ text }) => coversTool(text.trim(), tool));
    if (above === undefined) return [];
    const verb = above.behavior === 'deny' ? 'denies' : 'asks for';
    const message = `${file}, line ${line}: permissions.allow: The rule “${rule.text}” never applies: ${nameRule(above)} ${verb} all of it.`;
    return [{ file, line, field: 'permissions.allow', message, level: 'warning' }];
  });
  const more = found.length - MAX_OVERRULED;
  if (more <= 0) return found;
  const file = found[0]?.file ?? '';
  const message = `${more} more allow rules never apply, because stronger rules go before them.`;
  return [...found.slice(0, MAX_OVERRULED), { file, message, level: 'warning' }];
}
