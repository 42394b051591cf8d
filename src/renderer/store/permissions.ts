import type { RuleBehavior, RuleSource } from '../../shared/permission';
import type { Result } from '../../shared/result';
import type { RuleReplay } from '../../shared/rule-replay';
import type { RuleDraft, RulesOverview } from '../../shared/rules-overview';
import type { Lathe } from './lathe';

/** Whose rules: those of the project on screen, and of the session on screen if there is one. */
export interface RulesPlace {
  readonly project: string;
  readonly sessionId?: string;
}

/** The place of what is on screen now; null when no project is. */
export function rulesPlace({ store }: Lathe): RulesPlace | null {
  const { opened, sessionId } = store.getState();
  if (opened === null) return null;
  return { project: opened.path, ...(sessionId === null ? {} : { sessionId }) };
}

/** The rules in force. */
export const listRules = (lathe: Lathe, place: RulesPlace): Promise<Result<RulesOverview>> =>
  lathe.ask((client) => client.permissions.list(place));

/** Tries a draft rule on past calls. */
export const replayRule = (
  lathe: Lathe,
  place: RulesPlace,
  draft: RuleDraft,
  signal: AbortSignal,
): Promise<Result<RuleReplay>> =>
  lathe.ask((client) => client.permissions.replay({ ...place, ...draft }, { signal }));

/** Saves a rule; it holds at once. */
export const addRule = (lathe: Lathe, place: RulesPlace, draft: RuleDraft): Promise<Result<null>> =>
  lathe.ask((client) => client.permissions.addRule({ ...place, ...draft }));

/** Takes a rule away; it no longer holds at once. */
export const removeRule = (
  lathe: Lathe,
  place: RulesPlace,
  rule: { readonly behavior: RuleBehavior; readonly rule: string; readonly source: RuleSource },
): Promise<Result<null>> =>
  lathe.ask((client) => client.permissions.removeRule({ ...place, ...rule }));
