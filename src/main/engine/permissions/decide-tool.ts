import type { Decision, PermissionMode } from '../../../shared/permission';
import type { PermissionRequest } from './request';
import { coversParams, coversSpecifier } from './rule-match';
import { coversTool, type ParsedRule } from './rules';
import { suggestForTool } from './suggest';
import { allowed, asked, byRule, denied } from './verdict';

type ToolRequest = Extract<PermissionRequest, { kind: 'tool' }>;

/** Decides on a call that is neither a shell line nor a file: MCP, web, agents, skills. */
export function decideTool(
  request: ToolRequest,
  rules: readonly ParsedRule[],
  mode: PermissionMode,
): Decision {
  const rule = (behavior: 'allow' | 'deny' | 'ask') =>
    rules.find(
      (candidate) =>
        candidate.rule.behavior === behavior &&
        coversTool(candidate.tool, request.tool) &&
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

/** The allow rule that names just this, without wildcards. */
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
