import type { PermissionMode, PermissionRule } from '../../../shared/permission';
import type { EffectiveSettings } from '../settings/effective';
import { type PermissionUpdate, type RulesUpdate, ruleText } from '../settings/permission-update';

/**
 * What the person and hooks changed for a session: permissions, variables of shell commands. It ends with the session.
 */
export interface SessionOverlay {
  /** Settings with the changes on top. */
  over(settings: EffectiveSettings): EffectiveSettings;
  /** Takes a change over for this session, wherever else it is to hold. */
  take(update: PermissionUpdate): void;
  /** Adds a rule the person chose for this session. */
  addRule(rule: RuleText): void;
  /** Takes a rule of this session away; false when it has none like it. */
  removeRule(rule: RuleText): boolean;
  /** Variables for shell commands, over those of the settings. */
  setVariables(added: Readonly<Record<string, string>>): void;
}

/** What a rule says, wherever it stands. */
type RuleText = Pick<PermissionRule, 'behavior' | 'text'>;

/** Creates it with no change. */
export function createSessionOverlay(setMode: (mode: PermissionMode) => void): SessionOverlay {
  let rules: readonly PermissionRule[] = [];
  let directories: readonly string[] = [];
  let variables: Readonly<Record<string, string>> = {};

  const takeRules = (update: RulesUpdate) => {
    const { behavior, type } = update;
    const texts = new Set(update.rules.map(ruleText));
    const others = rules.filter((rule) => rule.behavior !== behavior || !texts.has(rule.text));
    if (type === 'removeRules') {
      rules = others;
      return;
    }
    const kept =
      type === 'replaceRules' && behavior === 'allow'
        ? others.filter((rule) => rule.behavior !== behavior)
        : others;
    const added = [...texts].map((text) => ({ behavior, text, source: 'session' }) as const);
    rules = [...added, ...kept];
  };

  const without = ({ behavior, text }: RuleText) =>
    rules.filter((rule) => rule.behavior !== behavior || rule.text !== text);

  return {
    addRule: (rule) => {
      rules = [{ ...rule, source: 'session' }, ...without(rule)];
    },
    removeRule: (rule) => {
      const before = rules.length;
      rules = without(rule);
      return rules.length < before;
    },
    over: (settings) =>
      rules.length + directories.length + Object.keys(variables).length === 0
        ? settings
        : {
            ...settings,
            rules: [
              ...rules.filter((rule) => rule.behavior !== 'allow' || !settings.managedRulesOnly),
              ...settings.rules,
            ],
            additionalDirectories: [...settings.additionalDirectories, ...directories],
            env: { ...settings.env, ...variables },
          },
    setVariables: (added) => {
      variables = { ...variables, ...added };
    },
    take: (update) => {
      if (update.type === 'setMode') setMode(update.mode);
      else if ('rules' in update) takeRules(update);
      else {
        const named = new Set(update.directories);
        const others = directories.filter((folder) => !named.has(folder));
        directories = update.type === 'addDirectories' ? [...others, ...named] : others;
      }
    },
  };
}
