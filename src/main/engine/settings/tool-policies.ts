import type { Node } from 'jsonc-parser';
import type { PermissionRule, RuleSource } from '../../../shared/permission';
import { readRule } from '../permissions/rules';
import { plainName, toolName } from '../permissions/server-names';
import { plainValue, propertiesOf } from './json-text';

/**
 * Returns the rules that come with servers: `tools` of each says which need a question and which are denied. That some
 * are always allowed is not taken from there. Pure.
 */
export const toolPolicies = (servers: unknown, source: RuleSource): readonly PermissionRule[] =>
  Object.entries(Object(servers)).flatMap(([server, value]) =>
    rulesOf(server, Object(value)['tools'], source),
  );

/** Returns the rules that come with the servers of a file, from every place where a name is repeated. Pure. */
export const toolPoliciesIn = (servers: Node, source: RuleSource): readonly PermissionRule[] =>
  propertiesOf(servers).flatMap(({ name: server, value }) =>
    propertiesOf(value).flatMap(({ name, value: tools }) =>
      name === 'tools' ? rulesOf(server, plainValue(tools), source) : [],
    ),
  );

/** Returns the rules of one server. Where its tools cannot be read, any of them may be denied: they all ask. */
function rulesOf(server: string, tools: unknown, source: RuleSource): readonly PermissionRule[] {
  if (tools === undefined || tools === null) return [];
  const rules = (Array.isArray(tools) ? tools : [null]).map((tool) => ruleOf(server, tool, source));
  return rules.flatMap((rule) => rule ?? []);
}

function ruleOf(server: string, tool: unknown, source: RuleSource): PermissionRule | null {
  if (typeof tool === 'string') return null;
  const { name, ...others } = Object(tool) as Readonly<Record<string, unknown>>;
  const policies = Object.entries(others).flatMap(([key, value]) =>
    /polic|permission/i.test(key) ? String(value) : [],
  );
  const isNamed = typeof name === 'string';
  if (isNamed && policies.every((policy) => policy === 'always_allow')) return null;
  // A word that nobody knows asks. Of several the strictest counts.
  const behavior = isNamed && policies.includes('always_deny') ? 'deny' : 'ask';
  const text = isNamed ? toolName(server, name) : `mcp__${plainName(server)}`;
  return readRule({ behavior, text, source }).parsed?.rule ?? null;
}
