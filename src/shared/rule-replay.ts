import type { PermissionRule, RuleBehavior } from './permission';

/** The most past calls that a draft rule is tried on. */
export const MAX_REPLAYED = 200;

/** A past call that a draft rule would have decided otherwise. */
export interface ReplayedCall {
  readonly callId: string;
  readonly tool: string;
  /** Its subject: a command, a path, an address. Cut when it is long. */
  readonly target: string;
  readonly before: RuleBehavior;
  readonly after: RuleBehavior;
  /** The risks now that it would run unasked, in a few words each. */
  readonly risks: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sessionId: string;
}

/** The reason a draft rule would never count, and the rule that goes before it when it is one. */
export interface DeadRule {
  readonly reason: string;
  readonly rule?: PermissionRule;
}

/** The past calls that a draft rule would have decided otherwise. */
export interface RuleReplay {
  /** The calls it was tried on. */
  readonly considered: number;
  /** Newest first. */
  readonly changed: readonly ReplayedCall[];
  /** Calls that the rule is about and that are decided the same way without it. */
  readonly unchanged: number;
  readonly dead: DeadRule | null;
}
