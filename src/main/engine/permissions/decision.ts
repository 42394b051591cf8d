import type { Decision, PermissionRule, RuleSuggestion } from '../../../shared/permission';
import { nameRule } from './rules';

/** A part of a shell line, UTF-16 units. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** One reason that points to a decision, with the part of the line it is about. */
export interface Cause {
  readonly reason: string;
  readonly rule?: PermissionRule;
  readonly part?: Part;
}

/** Creates a denial; the first cause is its reason. */
export const denied = (causes: readonly Cause[]): Decision => decision('deny', causes, []);

/** Creates a decision to ask; the first cause is its reason. */
export const asked = (causes: readonly Cause[], suggestions: readonly RuleSuggestion[]): Decision =>
  decision('ask', causes, suggestions);

/** Creates a permission; `why` lists what allowed it. */
export const allowed = (causes: readonly Cause[]): Decision => decision('allow', causes, []);

/**
 * Creates a cause that names a rule: `a deny rule covers it: Bash(rm:*) (…/settings.json line 4)`.
 */
export const byRule = (rule: PermissionRule, what: string, part?: Part): Cause => ({
  reason: `${what}: ${nameRule(rule)}`,
  rule,
  ...(part ? { part } : {}),
});

function decision(
  behavior: Decision['behavior'],
  causes: readonly Cause[],
  suggestions: readonly RuleSuggestion[],
): Decision {
  const [first] = causes;
  const parts = distinct(causes.flatMap((cause) => cause.part ?? []));
  return {
    behavior,
    reason: first?.reason ?? 'nothing speaks against it',
    ...(first?.rule ? { rule: first.rule } : {}),
    why: [...new Set(causes.map((cause) => cause.reason))].slice(0, MAX_REASONS),
    suggestions: [...suggestions],
    ...(parts.length > 0 && behavior !== 'allow' ? { parts } : {}),
  };
}

/** More would not be read by anybody. */
const MAX_REASONS = 20;

const distinct = (parts: readonly Part[]): Part[] =>
  parts
    .filter((part, i) => parts.findIndex((p) => p.start === part.start && p.end === part.end) === i)
    .slice(0, 50);
