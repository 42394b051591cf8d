import type { Decision, PermissionMode } from '../../../shared/permission';
import { decideFile } from './decide-file';
import { decideShell } from './decide-shell';
import { decideTool } from './decide-tool';
import type { Decide, DecisionContext, PermissionRequest } from './request';
import { type ParsedRule, readRules } from './rules';

/**
 * May this call run? Pure and total. In the order of SPEC E1: deny rules, ask rules, safety checks, mode,
 * allow rules, read-only, else ask. `why` is the chain of reasons, most decisive first.
 */
export const decide: Decide = (request, rules, mode, context) => {
  const parsed = readRules(rules);
  const decision = decideAs(effectiveMode(request, mode), request, parsed, context);
  if (decision.behavior !== 'ask') return decision;
  if (mode === 'dontAsk') return neverAsked(decision);
  if (mode === 'auto' && isJudgeable(request, parsed, context))
    return { ...decision, judgeable: true };
  return decision;
};

/** The decision before a mode that never asks, or has somebody else asked, has its say. */
function decideAs(
  mode: PermissionMode,
  request: PermissionRequest,
  rules: readonly ParsedRule[],
  context: DecisionContext,
): Decision {
  switch (request.kind) {
    case 'shell':
      return decideShell(request, rules, mode, context);
    case 'file':
      return decideFile(request, rules, mode, context);
    case 'tool':
      return decideTool(request, rules, mode);
  }
}

/** SPEC E1: edits inside the working directories skip the judge of the automatic mode. */
const effectiveMode = (request: PermissionRequest, mode: PermissionMode): PermissionMode =>
  mode === 'auto' && request.kind === 'file' ? 'acceptEdits' : mode;

/** What no rule and no fixed check keeps for the person, and what was understood: somebody else may judge that. */
const isJudgeable = (
  request: PermissionRequest,
  rules: readonly ParsedRule[],
  context: DecisionContext,
): boolean =>
  (request.kind !== 'shell' || request.analysis.ok) &&
  decideAs('bypassPermissions', request, rules, context).behavior === 'allow';

/** What a mode in which nobody is asked makes of a decision that would ask. */
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
