import type { Decision, PermissionRule, RuleSuggestion } from '../../../shared/permission';
import { nameRule } from './rules';

/** A part of a shell line, UTF-16 units. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** One reason that points to a decision, with the part of the line it is about. */
export interface Ground {
  readonly reason: string;
  readonly rule?: PermissionRule;
  readonly part?: Part;
}

/** Refused: the first ground is the reason. */
export const denied = (grounds: readonly Ground[]): Decision => decision('deny', grounds, []);

/** To be asked: the first ground is the reason. */
export const asked = (
  grounds: readonly Ground[],
  suggestions: readonly RuleSuggestion[],
): Decision => decision('ask', grounds, suggestions);

/** May run; `why` lists what allowed it. */
export const allowed = (grounds: readonly Ground[]): Decision => decision('allow', grounds, []);

/** A ground that names a rule: `a deny rule covers it: Bash(rm:*) (…/settings.json line 4)`. */
export const byRule = (rule: PermissionRule, what: string, part?: Part): Ground => ({
  reason: `${what}: ${nameRule(rule)}`,
  rule,
  ...(part ? { part } : {}),
});

function decision(
  behavior: Decision['behavior'],
  grounds: readonly Ground[],
  suggestions: readonly RuleSuggestion[],
): Decision {
  const [first] = grounds;
  const parts = distinct(grounds.flatMap((ground) => ground.part ?? []));
  return {
    behavior,
    reason: first?.reason ?? 'nothing speaks against it',
    ...(first?.rule ? { rule: first.rule } : {}),
    why: [...new Set(grounds.map((ground) => ground.reason))].slice(0, MAX_REASONS),
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
