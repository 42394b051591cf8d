import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { ToolSource } from './catalogue';
import { fixedSource } from './catalogue';
import { ownNeeds } from './needs';
import { NO_ACCESS } from './resource-access';
import { defineTool } from './tool';

/** The name of the tool, as programs know it. */
const NAME = 'StructuredOutput';

/** The most times that the model is sent back to give the answer it owes. */
const MAX_REMINDERS = 5;

/** The answer in a given shape that a run has to end with. */
export interface StructuredOutput {
  /** The tool by which the model gives it. */
  readonly source: ToolSource;
  /** Returns what the model still has to do, for the model; null when it has answered, or will not. */
  unfinished(): string | null;
  /** Returns the answer to the last prompt; undefined when there is none. */
  answer(): unknown;
  /** Forgets the answer: another prompt is asked. */
  restart(): void;
}

/** Creates it for a JSON Schema of an object. An error says why the schema cannot be used. */
export function createStructuredOutput(schema: unknown): Result<StructuredOutput> {
  const json = z.record(z.string(), z.unknown()).safeParse(schema);
  if (!json.success || json.data['type'] !== 'object') {
    return err(badSchema('a JSON Schema with "type": "object" is expected'));
  }
  let input: z.ZodType<Record<string, unknown>>;
  try {
    input = z.fromJSONSchema(json.data as z.core.JSONSchema.JSONSchema) as typeof input;
  } catch (thrown) {
    return err(badSchema(thrown instanceof Error ? thrown.message : String(thrown)));
  }
  let answer: unknown;
  let reminders = 0;
  const tool = defineTool<Record<string, unknown>, null>({
    name: NAME,
    description:
      'Gives your final answer in the shape that the program which reads it expects. Call it exactly once, when the work is done.',
    input,
    inputSchema: json.data,
    access: async () => NO_ACCESS,
    needs: ownNeeds(NAME),
    title: () => ({ verb: 'Answer', target: '' }),
    // biome-ignore lint/correctness/useYield: the answer comes in one piece
    execute: async function* (given) {
      answer = given;
      return { ok: true, output: null };
    },
    toModel: () => [{ type: 'text', text: 'The answer was taken. Nothing is left to do.' }],
    view: (given) => ({ kind: 'generic', title: 'Answer', detail: JSON.stringify(given, null, 2) }),
  });
  return ok({
    source: fixedSource('structured output', [tool]),
    unfinished: () => {
      if (answer !== undefined || reminders >= MAX_REMINDERS) return null;
      reminders += 1;
      return `Your answer is not complete: give it with the ${NAME} tool.`;
    },
    answer: () => answer,
    restart: () => {
      answer = undefined;
      reminders = 0;
    },
  });
}

const badSchema = (why: string) => fault('bad_schema', `--json-schema: ${why}.`);
