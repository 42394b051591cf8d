import type { DefaultsChange } from '../../shared/agent-defaults';
import type { ListedHook } from '../../shared/hooks';
import type { KeyChange } from '../../shared/key-bindings';
import type { RuleBehavior, RuleSource } from '../../shared/permission';
import type { Result } from '../../shared/result';
import type { RuleReplay } from '../../shared/rule-replay';
import type { RuleDraft, RulesOverview } from '../../shared/rules-overview';
import type { Preferences } from '../../shared/settings';
import { touch } from './browser-storage';
import type { Lathe } from './lathe';
import { reported, reportFault } from './toasts';

/** Changes what new sessions begin with, in the user's own settings. */
export const setDefaults = async (lathe: Lathe, change: DefaultsChange): Promise<void> => {
  reported(lathe.store, await lathe.ask((client) => client.settings.setDefaults(change)));
};

/** Changes entries of the user's file of keys. */
export const changeKeys = async (lathe: Lathe, changes: readonly KeyChange[]): Promise<void> => {
  if (changes.length === 0) return;
  const input = { changes: [...changes] };
  reported(lathe.store, await lathe.ask((client) => client.settings.changeKeys(input)));
};

/** Layouts are remembered for this many projects. */
const MAX_LAYOUTS = 50;

/** Changes preferences: at once on screen, then on disk. A refused change is reverted. */
export async function setPreferences(lathe: Lathe, patch: Partial<Preferences>): Promise<void> {
  const before = lathe.store.getState().app?.preferences;
  if (!before) return;
  show(lathe, { ...before, ...patch });
  const saved = await lathe.ask((client) => client.app.setPreferences(patch));
  if (saved.ok) return;
  show(lathe, before);
  reportFault(lathe.store, saved.error);
}

const show = ({ store }: Lathe, preferences: Preferences) =>
  store.setState((s) => (s.app ? { app: { ...s.app, preferences } } : {}));

/** Returns the layouts with one project's replaced; the longest unused ones give way. */
export function withLayout<T>(
  layouts: Readonly<Record<string, T>>,
  project: string,
  layout: T,
): Record<string, T> {
  const { order } = touch(Object.keys(layouts), project, MAX_LAYOUTS);
  return Object.fromEntries(
    order.map((key) => [key, key === project ? layout : (layouts[key] ?? layout)]),
  );
}

/** The scope of listed rules: the project on screen, and its session if there is one. */
interface RuleScope {
  readonly project: string;
  readonly sessionId?: string;
}

/** Returns the rule scope of what is on screen now; null without a project. */
export function ruleScope({ store }: Lathe): RuleScope | null {
  const { opened, sessionId } = store.getState();
  if (opened === null) return null;
  return { project: opened.path, ...(sessionId === null ? {} : { sessionId }) };
}

/** Lists the rules in force. */
export const listRules = (lathe: Lathe, scope: RuleScope): Promise<Result<RulesOverview>> =>
  lathe.ask((client) => client.permissions.list(scope));

/** Tries a draft rule on past calls. */
export const replayRule = (
  lathe: Lathe,
  scope: RuleScope,
  draft: RuleDraft,
  signal: AbortSignal,
): Promise<Result<RuleReplay>> =>
  lathe.ask((client) => client.permissions.replay({ ...scope, ...draft }, { signal }));

/** Saves a rule; it holds at once. */
export const addRule = (lathe: Lathe, scope: RuleScope, draft: RuleDraft): Promise<Result<null>> =>
  lathe.ask((client) => client.permissions.addRule({ ...scope, ...draft }));

/** Takes a rule away; it no longer holds at once. */
export const removeRule = (
  lathe: Lathe,
  scope: RuleScope,
  rule: { readonly behavior: RuleBehavior; readonly rule: string; readonly source: RuleSource },
): Promise<Result<null>> =>
  lathe.ask((client) => client.permissions.removeRule({ ...scope, ...rule }));

/** Runs no hook from now on (managed ones excepted), or runs them again. */
export const setHooksDisabled = (
  lathe: Lathe,
  project: string,
  disabled: boolean,
): Promise<Result<null>> => lathe.ask((client) => client.hooks.setDisabled({ project, disabled }));

/** Takes a hook out of its settings file. */
export const removeHook = (
  lathe: Lathe,
  project: string,
  { event, file, line, run }: ListedHook,
): Promise<Result<null>> =>
  lathe.ask((client) => client.hooks.remove({ project, hook: { event, file, line, run } }));
