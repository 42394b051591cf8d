import type { PermissionRule } from '../../shared/permission';
import type { ListedRule, RulesOverview } from '../../shared/rules-overview';
import type { RulesOfNow } from '../engine/permissions/replay';
import { readRule } from '../engine/permissions/rules';
import type { EffectiveSettings } from '../engine/settings/effective';

/** The rules in force as a person looks at them. `inSession`: the mode is a session's. Pure. */
export const rulesOverview = (
  now: Pick<RulesOfNow, 'rules' | 'mode'>,
  settings: EffectiveSettings,
  inSession: boolean,
): RulesOverview => ({
  mode: now.mode,
  modeWhy: whyMode(now, settings, inSession),
  rules: now.rules.map(listed),
  problems: settings.problems.filter(
    ({ field, level }) => field?.startsWith('permissions') || level === 'error',
  ),
});

function listed(rule: PermissionRule): ListedRule {
  const { problem } = readRule(rule);
  const locked = LOCKED[rule.source];
  return {
    rule,
    ...(problem ? { problem: problem.message } : {}),
    ...(locked === undefined ? {} : { locked }),
  };
}

const LOCKED: Partial<Record<PermissionRule['source'], string>> = {
  managed: 'Set for this machine by whoever manages it',
  commandLine: 'Given on the command line, for this run only',
};

function whyMode(
  { mode }: Pick<RulesOfNow, 'mode'>,
  { defaultMode, defaultModeFrom }: EffectiveSettings,
  inSession: boolean,
): string {
  if (inSession && mode !== defaultMode) return 'Chosen in this session.';
  if (defaultModeFrom === undefined) return 'Nothing else is set: this is how Lathe begins.';
  return `New sessions begin with it: permissions.defaultMode in ${defaultModeFrom}.`;
}
