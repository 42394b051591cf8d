import type { PermissionRule, RuleSource } from '../../../shared/permission';
import { readRule } from '../permissions/rules';
import { toolName } from '../permissions/server-names';

/**
 * Returns the rules that come with servers: `tools` of each says which need a question and which are denied. That some
 * are always allowed is not taken from there. Pure.
 */
export const toolPolicies = (servers: unknown, source: RuleSource): readonly PermissionRule[] =>
  Object.entries(Object(servers)).flatMap(([server, value]) => {
    const tools = Object(value)['tools'];
    return Array.isArray(tools) ? tools.flatMap((tool) => ruleOf(server, tool, source)) : [];
  });

function ruleOf(server: string, tool: unknown, source: RuleSource): readonly PermissionRule[] {
  const { name, permission_policy: policy } = Object(tool);
  if (typeof name !== 'string' || policy === undefined || policy === 'always_allow') return [];
  // A word that nobody knows asks.
  const behavior = policy === 'always_deny' ? 'deny' : 'ask';
  const { parsed } = readRule({ behavior, text: toolName(server, name), source });
  return parsed === null ? [] : [parsed.rule];
}
