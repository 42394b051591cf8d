import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import { type Property, propertiesOf } from './json-text';
import { FIELDS } from './schema';

/** An object inside a field of settings, and the names that Lathe reads in it. */
interface NestedObject {
  readonly properties: readonly Property[];
  readonly known: ReadonlySet<string>;
  /** The names that lead to it, with a dot at the end. */
  readonly prefix: string;
}

/** Fields whose names are looked at elsewhere. */
const ELSEWHERE: ReadonlySet<string> = new Set(['hooks', 'mcpServers', 'sandbox', 'worktree']);

/** Returns the objects inside the fields at the top of a settings file, as far as all their names are known. Pure. */
export const nestedObjects = (top: readonly Property[]): readonly NestedObject[] =>
  top
    .filter(({ name }) => Object.hasOwn(FIELDS, name) && !ELSEWHERE.has(name))
    .flatMap(({ name, value }) =>
      objectsIn(value, FIELDS[name as keyof typeof FIELDS].schema, name),
    );

function objectsIn(node: Node, schema: z.core.$ZodType, field: string): readonly NestedObject[] {
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => objectsIn(node, option, field));
  if (schema instanceof z.ZodArray && node.type === 'array')
    return (node.children ?? []).flatMap((item) => objectsIn(item, schema.element, field));
  // An object that takes other names, too, or none at all, says so by itself.
  if (!(schema instanceof z.ZodObject) || schema.def.catchall !== undefined) return [];
  if (node.type !== 'object') return [];
  const known = new Set(Object.keys(schema.shape));
  return [{ properties: propertiesOf(node), known, prefix: `${field}.` }];
}

/** The fields of an entry of `tools`. */
const TOOL_KEYS = ['name', 'permission_policy'] as const;
const POLICIES = ['always_allow', 'always_ask', 'always_deny'];

/** A remark about an entry of `tools` of a server. */
interface ToolRemark {
  readonly at: number;
  readonly field: string;
  readonly message: string;
}

/** Returns what is wrong with the entries of `tools` of one server. `field`: the names that lead to it. Pure. */
export function toolRemarks(server: Node, field: string): readonly ToolRemark[] {
  const tools = propertiesOf(server).filter(({ name }) => name === 'tools');
  return tools.flatMap(({ value, at }) => {
    const entry = 'with a name and a permission_policy';
    if (value.type !== 'array')
      return [{ at, field, message: `a list of objects, each ${entry}, is expected` }];
    return (value.children ?? []).flatMap((tool): readonly ToolRemark[] =>
      tool.type === 'object'
        ? entryRemarks(tool, field)
        : [{ at: tool.offset, field, message: `an object ${entry} is expected` }],
    );
  });
}

function entryRemarks(tool: Node, field: string): readonly ToolRemark[] {
  const found = propertiesOf(tool);
  const value = (key: string) => found.findLast(({ name }) => name === key)?.value;
  const name = value('name');
  const policy = value('permission_policy');
  const policies = `one of ${POLICIES.join(', ')} is expected; until then it counts as always_ask`;
  return [
    ...found
      .filter((one) => !TOOL_KEYS.some((known) => known === one.name))
      .map((one) => ({
        ...{ at: one.at, field: `${field}.${one.name}` },
        message: `there is no such field of a tool; it has ${TOOL_KEYS.join(' and ')}`,
      })),
    ...(name?.type === 'string'
      ? []
      : [
          {
            ...{ at: name?.offset ?? tool.offset, field: `${field}.name` },
            message: 'the name of a tool in quotes is expected',
          },
        ]),
    ...(policy === undefined || POLICIES.includes(String(policy.value))
      ? []
      : [{ at: policy.offset, field: `${field}.permission_policy`, message: policies }]),
  ];
}
