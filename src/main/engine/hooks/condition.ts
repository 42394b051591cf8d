import type { PermissionMode, PermissionRule } from '../../../shared/permission';
import type { Decide, DecisionContext, PermissionRequest } from '../permissions/request';
import { mayBeTool } from '../permissions/rule-doubts';
import { coversToolOf, readRule } from '../permissions/rules';

/**
 * Returns whether a hook's condition covers a call: a permission rule, read as a deny rule is, so that nested commands,
 * other spellings and links do not slip by. What cannot be told is covered. Pure.
 */
export function covers(
  text: string,
  requests: readonly PermissionRequest[],
  decide: Decide,
  context: DecisionContext,
): boolean {
  const rule: PermissionRule = { behavior: 'deny', text, source: 'session' };
  const { parsed } = readRule(rule);
  if (parsed === null || !mayBeTool(parsed.tool)) return true;
  const judge = (request: PermissionRequest, rules: readonly PermissionRule[]) =>
    decide(request, rules, NO_QUESTIONS, context);
  return requests.some((request) => {
    if (!coversToolOf(parsed, request.tool)) return false;
    if (request.kind === 'shell' && !request.analysis.ok) return true;
    const withRule = judge(request, [rule]);
    if (withRule.behavior !== 'ask') return withRule.behavior === 'deny';
    return withRule.why.length > judge(request, []).why.length;
  });
}

/** Under this mode only the rule and the safety checks speak. */
const NO_QUESTIONS: PermissionMode = 'bypassPermissions';
