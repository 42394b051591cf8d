import { z } from 'zod';
import {
  type PermissionMode,
  type PermissionRule,
  RuleBehavior,
  RuleSuggestion,
} from './permission';
import type { SettingsProblem } from './settings';

/** A rule that a user may add, and where it would go. */
export const RuleDraft = z.object({
  behavior: RuleBehavior,
  rule: z.string().max(20_000),
  destination: RuleSuggestion.shape.destination,
});
export type RuleDraft = z.infer<typeof RuleDraft>;

/** A rule in force. */
export interface ListedRule {
  readonly rule: PermissionRule;
  /** The fault in it, and how it counts nevertheless. */
  readonly problem?: string;
  /** The reason it cannot be removed here. */
  readonly locked?: string;
}

/** The rules that decide on calls in a project or a session. */
export interface RulesOverview {
  readonly mode: PermissionMode;
  /** The source of the mode, as a sentence. */
  readonly modeWhy: string;
  /** Strongest source first. */
  readonly rules: readonly ListedRule[];
  /** The permissions in settings files that could not be used as written. */
  readonly problems: readonly SettingsProblem[];
}
