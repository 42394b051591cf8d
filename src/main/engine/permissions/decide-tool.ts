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
  if (mode === 'bypassPermissions') return allowed([{ reason: 'permissions are bypassed' }]);
  if (mode === 'plan' && !request.readOnly)
    return asked([{ reason: 'plan mode only reads, and this tool may do more' }], []);
  const allow = rule('allow');
  if (allow) return allowed([byRule(allow.rule, 'an allow rule covers it')]);
  if (request.readOnly) return allowed([{ reason: 'it changes nothing' }]);
  return asked([{ reason: `no rule covers ${request.tool}` }], suggestForTool(request));
}
