import { type PermissionMode, type PermissionRule, RuleSource } from '../../../shared/permission';
import {
  type DeadRule,
  MAX_REPLAYED,
  type ReplayedCall,
  type RuleReplay,
} from '../../../shared/rule-replay';
import { decide } from './decide';
import type { DecisionContext, PermissionRequest } from './request';
import { risksOf, surprisesOf } from './risks';
import { coversTool, nameRule, type ParsedRule, readRule, readRules } from './rules';

/** A call of the past, as the permission it needs. */
export interface PastRequest {
  readonly callId: string;
  readonly request: PermissionRequest;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sessionId: string;
}

/** The rules, mode and context in force, without the draft. */
export interface RulesOfNow {
  readonly rules: readonly PermissionRule[];
  readonly mode: PermissionMode;
  readonly context: DecisionContext;
}

/** Longer targets are cut: a list is no place to read them. UTF-16 units. */
const MAX_TARGET = 500;

/**
 * Decides past calls (newest first, {@link MAX_REPLAYED} at most) once without and once with a draft rule, in today's
 * mode and surroundings. Pure; it changes no rule.
 */
export function replayRule(
  draft: PermissionRule,
  past: readonly PastRequest[],
  now: RulesOfNow,
): RuleReplay {
  const calls = past.slice(0, MAX_REPLAYED);
  const changed: ReplayedCall[] = [];
  const inVain: (DeadRule | null)[] = [];
  const drafted = withDraft(now.rules, draft);
  for (const call of calls) {
    const before = decide(call.request, now.rules, now.mode, now.context);
    const after = decide(call.request, drafted, now.mode, now.context);
    if (before.behavior !== after.behavior) {
      changed.push({
        ...aboutCall(call),
        before: before.behavior,
        after: after.behavior,
        risks: after.behavior === 'allow' ? surprises(call.request, now.context) : [],
      });
    } else if (isAbout(draft, call.request, now.context)) {
      inVain.push(strongerIn(draft, call.request, drafted, now));
    }
  }
  return {
    considered: calls.length,
    changed,
    unchanged: inVain.length,
    dead: changed.length === 0 ? (shadow(draft, now) ?? strongerInAll(inVain)) : null,
  };
}

/** Returns the rules as they would be with the draft, strongest source first. */
function withDraft(rules: readonly PermissionRule[], draft: PermissionRule): PermissionRule[] {
  const strength = (rule: PermissionRule) => RuleSource.options.indexOf(rule.source);
  const after = rules.findIndex((rule) => strength(rule) > strength(draft));
  return rules.toSpliced(after < 0 ? rules.length : after, 0, draft);
}

/**
 * Tells whether the rule's pattern fits a call or a part of it: then a denial of the same text
 * would refuse it.
 */
const isAbout = (
  draft: PermissionRule,
  request: PermissionRequest,
  context: DecisionContext,
): boolean =>
  decide(request, [{ ...draft, behavior: 'deny' }], 'bypassPermissions', context).behavior ===
  'deny';

/**
 * Finds what makes the draft useless for every call: the same rule is there, or one that always
 * goes before it.
 */
function shadow(draft: PermissionRule, now: RulesOfNow): DeadRule | null {
  const own = readRule(draft).parsed;
  if (own === null) return null;
  const above = BEHAVIORS.slice(0, BEHAVIORS.indexOf(draft.behavior));
  const rules = readRules(now.rules);
  const same = rules.find(
    (other) => other.rule.behavior === draft.behavior && sameReach(other, own),
  );
  if (same)
    return { reason: `the same rule is there already: ${nameRule(same.rule)}`, rule: same.rule };
  const rule = rules.find((other) => above.includes(other.rule.behavior) && reachesAll(other, own));
  if (rule) {
    const verb = rule.rule.behavior === 'deny' ? 'denies' : 'asks for';
    return { reason: `a stronger rule ${verb} all of it: ${nameRule(rule.rule)}`, rule: rule.rule };
  }
  if (draft.behavior === 'allow' && now.mode === 'bypassPermissions')
    return { reason: 'this mode asks for nothing that a rule could allow' };
  return null;
}

const sameReach = (a: ParsedRule, b: ParsedRule): boolean =>
  a.tool === b.tool && a.specifier === b.specifier;

const reachesAll = (above: ParsedRule, own: ParsedRule): boolean =>
  sameReach(above, own) || (above.specifier === null && coversTool(above.tool, own.tool));

/**
 * Returns what overrules the draft in a call it matches but does not change, or null: the call is
 * decided as the draft would have it, or something else in it is asked for.
 */
function strongerIn(
  draft: PermissionRule,
  request: PermissionRequest,
  drafted: readonly PermissionRule[],
  { mode, context }: RulesOfNow,
): DeadRule | null {
  const decision = decide(request, drafted, mode, context);
  if (BEHAVIORS.indexOf(decision.behavior) >= BEHAVIORS.indexOf(draft.behavior)) return null;
  const firm = decide(request, drafted, 'bypassPermissions', context);
  const ofMode = decide(request, drafted, 'default', context).behavior === draft.behavior;
  const winner = firm.behavior === 'allow' ? (ofMode ? decision : null) : firm;
  return winner && { reason: winner.reason, ...(winner.rule ? { rule: winner.rule } : {}) };
}

/** Strongest first (docs/spec.md E1). */
const BEHAVIORS: readonly PermissionRule['behavior'][] = ['deny', 'ask', 'allow'];

/** Returns what overrules the draft in the first call, if something overrules it in every call. */
const strongerInAll = (inVain: readonly (DeadRule | null)[]): DeadRule | null =>
  inVain.includes(null) ? null : (inVain[0] ?? null);

const surprises = (request: PermissionRequest, context: DecisionContext): readonly string[] => [
  ...new Set([...risksOf([request], context), ...surprisesOf(request, context)]),
];

function aboutCall({ request, ...call }: PastRequest) {
  const target = targetOf(request);
  const cut = target.length > MAX_TARGET ? `${target.slice(0, MAX_TARGET - 1)}…` : target;
  return { ...call, tool: request.tool, target: cut };
}

function targetOf(request: PermissionRequest): string {
  switch (request.kind) {
    case 'shell':
      return request.command;
    case 'file':
      return request.path;
    case 'tool':
      return request.params?.['url'] ?? request.specifier ?? '';
  }
}
