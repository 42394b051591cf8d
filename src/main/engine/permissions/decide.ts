import type { Decision, PermissionMode, PermissionRule } from '../../../shared/permission';
import { decideFile } from './decide-file';
import { allowed, asked, byRule, denied } from './decision';
import type { Decide, DecisionContext, PermissionRequest } from './request';
import { coversParams, coversSpecifier } from './rule-match';
import { createRuleSet, type RuleSet } from './rule-set';
import { coversTool, coversToolOf, type ParsedRule, readRules } from './rules';
import { commandGrants, wholeLineRule } from './shell-grants';
import type { ShellContext } from './shell-paths';
import { restrictionsOf } from './shell-restrictions';
import { hardChecks, softChecks } from './shell-safety';
import { suggestForShell, suggestForTool } from './suggest';

/**
 * Decides whether a call may run. Pure and total. In the order of docs/spec.md E1: deny rules, ask
 * rules, safety checks, mode, allow rules, read-only, else ask. `why` is the chain of reasons, most
 * decisive first.
 */
export const decide: Decide = (request, rules, mode, context) =>
  decideBy(createRuleSet(readRules(rules)), request, mode, context);

/**
 * Creates a {@link decide} that reads and indexes each list of rules once: 100 000 of them take half a second. A list is
 * known by its identity, and what was read of it is kept no longer than itself.
 */
export function createDecide(): Decide {
  const known = new WeakMap<readonly PermissionRule[], RuleSet>();
  return (request, rules, mode, context) => {
    const parsed = known.get(rules) ?? createRuleSet(readRules(rules));
    known.set(rules, parsed);
    return decideBy(parsed, request, mode, context);
  };
}

/** Decides by rules that are read already. Pure. */
export function decideBy(
  rules: RuleSet,
  request: PermissionRequest,
  mode: PermissionMode,
  context: DecisionContext,
): Decision {
  const decision = decideAs(effectiveMode(request, mode), request, rules, context);
  if (decision.behavior !== 'ask') return decision;
  if (mode === 'dontAsk') return neverAsked(decision);
  if (mode === 'auto' && isJudgeable(request, rules, context))
    return { ...decision, judgeable: true };
  return decision;
}

/** Decides under a mode, before `dontAsk` and `auto` change the outcome. */
function decideAs(
  mode: PermissionMode,
  request: PermissionRequest,
  rules: RuleSet,
  context: DecisionContext,
): Decision {
  switch (request.kind) {
    case 'shell':
      return decideShell(request, rules, mode, context);
    case 'file':
      return decideFile(request, rules, mode, context);
    case 'tool':
      return decideTool(request, rules.all, mode);
  }
}

/**
 * Returns the mode that applies (docs/spec.md E1): edits inside the working directories skip the
 * judge of the automatic mode.
 */
const effectiveMode = (request: PermissionRequest, mode: PermissionMode): PermissionMode =>
  mode === 'auto' && request.kind === 'file' ? 'acceptEdits' : mode;

/**
 * Tells whether the classifier of `auto` may decide: no rule and no fixed check reserves the call
 * for the user, and it was understood.
 */
const isJudgeable = (
  request: PermissionRequest,
  rules: RuleSet,
  context: DecisionContext,
): boolean =>
  (request.kind !== 'shell' || request.analysis.ok) &&
  decideAs('bypassPermissions', request, rules, context).behavior === 'allow';

/** Turns a decision that would ask into a denial. */
function neverAsked(decision: Decision): Decision {
  const reason = `this mode never asks, and it would have to be asked: ${decision.reason}`;
  return {
    ...decision,
    behavior: 'deny',
    reason,
    why: [reason, ...decision.why],
    suggestions: [],
  };
}

type ShellRequest = Extract<PermissionRequest, { kind: 'shell' }>;

/** Decides on a shell line: every command in it, every redirection, every path it names. */
function decideShell(
  request: ShellRequest,
  rules: RuleSet,
  mode: PermissionMode,
  context: DecisionContext,
): Decision {
  const here: DecisionContext = { ...context, cwd: request.cwd };
  const shell: ShellContext = {
    request,
    rules,
    mode,
    context: here,
  };
  const restrictions = restrictionsOf(shell);
  const deny = restrictions('deny');
  if (deny.sure.length > 0) return denied(deny.sure);
  const ask = restrictions('ask');
  if (ask.sure.length > 0) return asked(ask.sure, []);
  const hard = [...hardChecks(shell), ...deny.perhaps, ...ask.perhaps];
  if (request.sandbox === 'left') hard.push({ reason: 'it is to run outside the sandbox' });
  if (hard.length > 0) return asked(hard, []);
  if (mode === 'bypassPermissions') return allowed([{ reason: 'permissions are bypassed' }]);

  if (request.sandbox === 'vouches' && mode !== 'plan')
    return allowed([{ reason: 'it runs in the sandbox, and such commands are not asked about' }]);

  const whole = mode === 'plan' ? null : wholeLineRule(shell);
  if (whole) return allowed([byRule(whole.rule, 'an allow rule names exactly this')]);
  const { granted, missing } = commandGrants(shell);
  const soft = softChecks(shell);
  if (soft.length === 0 && missing.length === 0) return allowed(granted);
  const causes = [...soft, ...missing.map(({ cause }) => cause)];
  const suggestions = mode === 'plan' ? [] : suggestForShell(shell, missing, soft.length > 0);
  return asked(causes, suggestions);
}

type ToolRequest = Extract<PermissionRequest, { kind: 'tool' }>;

/** Decides on a call that is neither a shell line nor a file: MCP, web, agents, skills. */
function decideTool(
  request: ToolRequest,
  rules: readonly ParsedRule[],
  mode: PermissionMode,
): Decision {
  const rule = (behavior: 'allow' | 'deny' | 'ask') =>
    rules.find(
      (candidate) =>
        candidate.rule.behavior === behavior &&
        coversToolOf(candidate, request.tool) &&
        (coversSpecifier(candidate, request.specifier) ||
          (behavior !== 'allow' && coversParams(candidate, request.params))),
    );
  const deny = rule('deny');
  if (deny) return denied([byRule(deny.rule, 'a deny rule covers it')]);
  const ask = rule('ask');
  if (ask) return asked([byRule(ask.rule, 'an ask rule covers it')], []);
  if (mode === 'bypassPermissions' && request.exactOnly === undefined)
    return allowed([{ reason: 'permissions are bypassed' }]);
  if (mode === 'plan' && !request.readOnly)
    return asked([{ reason: 'plan mode only reads, and this tool may do more' }], []);
  const allow = request.exactOnly === undefined ? rule('allow') : exactRule(request, rules);
  if (allow) return allowed([byRule(allow.rule, 'an allow rule covers it')]);
  if (request.readOnly && !request.sends) return allowed([{ reason: 'it changes nothing' }]);
  const reason = request.exactOnly ?? `no rule covers ${request.tool}`;
  return asked([{ reason }], suggestForTool(request));
}

/** Returns the allow rule that names just this, without wildcards. */
const exactRule = (
  { tool, specifier }: ToolRequest,
  rules: readonly ParsedRule[],
): ParsedRule | undefined =>
  rules.find(
    (candidate) =>
      candidate.rule.behavior === 'allow' &&
      specifier !== undefined &&
      candidate.specifier?.toLowerCase() === specifier.toLowerCase() &&
      coversTool(candidate.tool, tool),
  );

const ALLOWED: Decision = {
  behavior: 'allow',
  reason: 'it needs no permission',
  why: [],
  suggestions: [],
};

/** Joins the decisions on one call: deny over ask over allow. The reasons of all that ask come together. Pure. */
export function strictest(decisions: readonly Decision[]): Decision {
  const denied = decisions.find((d) => d.behavior === 'deny');
  if (denied) return denied;
  const asking = decisions.filter((d) => d.behavior === 'ask');
  const [first] = asking;
  if (first === undefined) return decisions[0] ?? ALLOWED;
  const { judgeable: _, ...rest } = first;
  return {
    ...rest,
    why: asking.flatMap((d) => d.why),
    suggestions: asking.flatMap((d) => d.suggestions).slice(0, 5),
    ...(asking.every((d) => d.judgeable) ? { judgeable: true } : {}),
  };
}
