import type { AgentEvent, NoticeLevel } from '../../../shared/agent-event';
import type { HookSetting } from '../../../shared/hooks';
import type { PermissionMode, PermissionRule } from '../../../shared/permission';
import { fault, ok, type Result } from '../../../shared/result';
import { lastAnswer } from '../last-answer';
import type { EffectiveSettings } from '../settings/effective';
import {
  type PermissionUpdate,
  type RulesUpdate,
  refusalOf,
  ruleText,
  type UpdateDestination,
  updateWords,
  withUpdate,
} from '../settings/permission-update';
import { fileForDestination, type SettingsWriter } from '../settings/write';
import type { Skill } from '../skills/skill';

/**
 * The changes of the user and of hooks for a session: permissions, variables of shell commands. It ends with the session.
 */
export interface SessionOverlay {
  /** Settings with the changes on top. */
  over(settings: EffectiveSettings): EffectiveSettings;
  /** Tells whether rules or folders hold that nothing but this session knows. */
  holds(): boolean;
  /** Takes a change over for this session, wherever else it is to hold. */
  take(update: PermissionUpdate): void;
  /** Adds a rule the user chose for this session. */
  addRule(rule: RuleText): void;
  /** Takes a rule of this session away; false when it has none like it. */
  removeRule(rule: RuleText): boolean;
  /** Variables for shell commands, over those of the settings. */
  setVariables(added: Readonly<Record<string, string>>): void;
}

/** The rules and hooks that hold because of skills. */
interface Granted {
  readonly rules: readonly PermissionRule[];
  readonly hooks: readonly HookSetting[];
}

/** The rules and hooks of skills in use: they hold for the agent that uses them and the agents below it. */
export interface SkillGrants {
  /** Lets the rules and hooks of a skill hold; returns a function that ends it. */
  grant(skill: Pick<Skill, 'allowedTools' | 'disallowedTools' | 'hooks' | 'rules'>): () => void;
  /** Settings with all of it on top. */
  over(settings: EffectiveSettings): EffectiveSettings;
  /** Returns all of it, that of the agents above too. */
  all(): readonly Granted[];
}

const NO_GRANTS: readonly Granted[] = [];

/** Creates the grants of an agent, below those of whoever started it. `rules`: those of its definition, for itself alone. */
export function createSkillGrants(
  above: () => readonly Granted[] = () => NO_GRANTS,
  rules: readonly PermissionRule[] = [],
): SkillGrants {
  let own = NO_GRANTS;
  // Asked for at each call: what was worked out of the rules goes by their identity.
  const joined = lastAnswer((one: readonly Granted[], other: readonly Granted[]) => [
    ...one,
    ...other,
  ]);
  const all = () => (own.length === 0 ? above() : joined(above(), own));
  const laid = lastAnswer(withGrants);
  const ofDefinition = rules.length === 0 ? NO_GRANTS : [{ rules, hooks: [] }];
  const withDefinition = lastAnswer((granted: readonly Granted[]) => [...granted, ...ofDefinition]);
  return {
    grant: ({ allowedTools, disallowedTools, hooks, rules: asking = [] }) => {
      const texts = (behavior: 'allow' | 'deny', list: readonly string[]) =>
        list.map((text) => ({ behavior, text, source: 'session' }) as const);
      const rules = [...texts('deny', disallowedTools), ...texts('allow', allowedTools), ...asking];
      if (rules.length + hooks.length === 0) return () => {};
      const granted = { rules, hooks };
      own = [...own, granted];
      return () => {
        own = own.filter((one) => one !== granted);
      };
    },
    over: (settings) => {
      const granted = ofDefinition.length === 0 ? all() : withDefinition(all());
      return granted.length === 0 ? settings : laid(settings, granted);
    },
    all,
  };
}

function withGrants(settings: EffectiveSettings, granted: readonly Granted[]): EffectiveSettings {
  const hooks = settings.hooksDisabled === true ? [] : granted.flatMap((one) => one.hooks);
  return {
    ...settings,
    rules: [
      ...countingRules(
        settings,
        granted.flatMap((one) => one.rules),
      ),
      ...settings.rules,
    ],
    hooks: hooks.length === 0 ? settings.hooks : [...settings.hooks, ...hooks],
  };
}

/** Returns the rules of a session that count: none that allows where only managed ones do. */
const countingRules = (
  { managedRulesOnly }: EffectiveSettings,
  rules: readonly PermissionRule[],
): readonly PermissionRule[] =>
  rules.filter((rule) => rule.behavior !== 'allow' || !managedRulesOnly);

/** The behaviour and text of a rule, wherever it stands. */
type RuleText = Pick<PermissionRule, 'behavior' | 'text'>;

/** Creates an overlay without changes. */
export function createSessionOverlay(setMode: (mode: PermissionMode) => void): SessionOverlay {
  let rules: readonly PermissionRule[] = [];
  let directories: readonly string[] = [];
  let variables: Readonly<Record<string, string>> = {};
  // Asked for at each call: what was worked out of the rules goes by their identity.
  const laid = lastAnswer(laidOver);

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
        : laid(settings, rules, directories, variables),
    holds: () => rules.length + directories.length > 0,
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

function laidOver(
  settings: EffectiveSettings,
  rules: readonly PermissionRule[],
  directories: readonly string[],
  variables: Readonly<Record<string, string>>,
): EffectiveSettings {
  return {
    ...settings,
    rules: [...countingRules(settings, rules), ...settings.rules],
    additionalDirectories: [...settings.additionalDirectories, ...directories],
    env: { ...settings.env, ...variables },
  };
}

/** A settings file that can be changed for good. */
type FileDestination = Exclude<UpdateDestination, 'session'>;

/**
 * Changes a settings file and lets the session go by it. Gives the file, or why nothing was written: a folder that is
 * not trusted among others.
 */
export type ChangeSettings = (
  destination: FileDestination,
  edit: (text: string, file: string) => Result<string>,
) => Promise<Result<string>>;

/** Changes a settings file of a project or of the user, and gives its path. */
export type EditSettings = (
  project: string,
  ...change: Parameters<ChangeSettings>
) => ReturnType<ChangeSettings>;

/** Changes settings files through the writer of the process. */
export const createSettingsEditor =
  (writer: SettingsWriter, configDir: string): EditSettings =>
  async (project, destination, edit) => {
    const file = fileForDestination(destination, { project, configDir });
    if (file === null) return ok('');
    const written = await writer.change(file, (text) => edit(text, file));
    return written.ok ? ok(file) : written;
  };

/** The refusal to write into a folder that nobody trusts: what stands there would not count. */
export const UNTRUSTED = fault(
  'untrusted',
  'This folder is not trusted, so nothing was written into it.',
  'Trust the folder first.',
);

interface PermissionUpdatesOptions {
  /** The one who asks for them, as the user is told. Default: a hook. */
  readonly from?: string;
  readonly project: string;
  readonly overlay: Pick<SessionOverlay, 'take'>;
  readonly changeSettings: ChangeSettings;
  readonly record: (event: AgentEvent) => unknown;
}

/** Creates what carries out changes of permissions, one after another, and says what was done. */
export function createPermissionUpdates(options: PermissionUpdatesOptions) {
  const { overlay, changeSettings, project, from = 'A hook' } = options;
  const say = (level: NoticeLevel, text: string, fix?: string) =>
    options.record({
      type: 'notice',
      level,
      code: 'hook_permissions',
      text,
      ...(fix === undefined ? {} : { fix }),
    });

  const one = async (update: PermissionUpdate): Promise<void> => {
    const refusal = refusalOf(update);
    const words = updateWords(update);
    if (refusal !== null) {
      say('warning', `${from} wanted to set ${words}. That was not done: ${refusal}.`);
      return;
    }
    const { destination } = update;
    if (destination === 'session') {
      overlay.take(update);
      say('info', `${from} set ${words}, for this session.`);
      return;
    }
    const written = await changeSettings(destination, (text, file) =>
      withUpdate(text, file, update),
    );
    if (!written.ok || update.type === 'setMode') overlay.take(update);
    if (written.ok) {
      const { value: file } = written;
      const place = file.startsWith(`${project}/`) ? file.slice(project.length + 1) : file;
      say('info', `${from} set ${words}. It was written to ${place}.`);
      return;
    }
    const { message, fix } = written.error;
    say('warning', `${from} set ${words}, for this session only. ${message}`, fix);
  };

  return async (updates: readonly PermissionUpdate[]): Promise<void> => {
    for (const update of updates) await one(update);
  };
}
