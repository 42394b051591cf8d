import { z } from 'zod';
import type { ToolDefinition } from '../model/model-client';

/** What a definition needs of a tool. `inputSchema` is a tool's own JSON Schema (MCP); it is passed through. */
export interface ToolLike {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** Turns tools into API definitions, sorted by name, each schema computed once. One per session. */
export interface ToolSchemas {
  definitions(tools: readonly ToolLike[]): readonly ToolDefinition[];
}

export function createToolSchemas(): ToolSchemas {
  const known = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();
  const schemaOf = (tool: ToolLike): Readonly<Record<string, unknown>> => {
    if (tool.inputSchema !== undefined) return tool.inputSchema;
    const before = known.get(tool.input);
    if (before !== undefined) return before;
    const schema = inputSchemaOf(tool.input);
    known.set(tool.input, schema);
    return schema;
  };
  const made = new WeakMap<ToolLike, ToolDefinition>();
  const definitionOf = (tool: ToolLike): ToolDefinition => {
    const { name, description } = tool;
    const input_schema = schemaOf(tool);
    const before = made.get(tool);
    if (before?.description === description && before.input_schema === input_schema) return before;
    const now = { name, description, input_schema };
    made.set(tool, now);
    return now;
  };
  return {
    definitions: (tools) =>
      [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(definitionOf),
  };
}

/**
 * A zod schema as the API wants it: JSON Schema of an object. Bounds that only say "a safe integer" are
 * dropped. A schema that is no object is a mistake of the tool's author and throws.
 */
export function inputSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  if (json.type !== 'object')
    throw new TypeError('A tool input must be an object: wrap unions in a field.');
  return json;
}
