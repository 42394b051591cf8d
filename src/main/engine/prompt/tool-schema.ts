import { z } from 'zod';
import type { ToolDefinition } from '../model/model-client';

/** The parts of a tool that its definition needs. `inputSchema` is a tool's own JSON Schema (MCP); it is passed through. */
interface ToolLike {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** Turns tools into API definitions, in their order, each schema computed once. One per session. */
export interface ToolSchemas {
  definitions(tools: readonly ToolLike[]): readonly ToolDefinition[];
}

/** Creates the definitions of one session; each schema is computed once. */
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
    definitions: (tools) => tools.map(definitionOf),
  };
}

/** Bounds that a call is checked against here; in every request they would only cost tokens. */
const CHECKED_HERE = ['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems'] as const;

/**
 * Turns a zod schema into JSON Schema as the API wants it, without {@link CHECKED_HERE}. A schema that is no object is
 * a mistake of the tool's author and throws.
 */
export function inputSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const bound of CHECKED_HERE) delete jsonSchema[bound];
    },
  });
  if (json.type !== 'object')
    throw new TypeError('A tool input must be an object: wrap unions in a field.');
  return json;
}
