import { z } from 'zod';
import { withoutHidden } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';

/** A schema of an object, as the Messages API takes it. */
export type ObjectSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** Larger schemas would fill the context. Characters. */
const MAX_CHARS = 100_000;
/** Deeper ones describe nothing, and take a reader its stack. */
const MAX_DEPTH = 64;
/** The names that the API takes at the top of a schema. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** The API takes none of them at the top of a schema. */
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Returns what the API takes of the input schema of a tool, or why nothing can be: one schema that it refuses makes every
 * request fail. Choices at the top become properties; the server checks them itself. A property whose name it refuses
 * is left out where the tool can be called without it. Pure.
 */
export function schemaForModel(given: unknown): Result<ObjectSchema, string> {
  if (depthOf(given) > MAX_DEPTH) return err('its input schema is nested too deeply');
  const parsed = Top.safeParse(given);
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? '';
    return err(`its input schema is no valid JSON Schema of an object${place && ` (${place})`}`);
  }
  if (JSON.stringify(given).length > MAX_CHARS)
    return err(`its input schema is longer than ${MAX_CHARS} characters`);
  const schema = given as ObjectSchema;
  const { properties = {}, required = [] } = parsed.data;
  const odd = Object.keys(properties).filter((name) => !PROPERTY_NAME.test(name));
  const needed = odd.find((name) => required.includes(name));
  if (needed !== undefined)
    return err(`it needs an input whose name the model cannot be given: "${needed}"`);
  const choices = CHOICES.filter((name) => Object.hasOwn(schema, name));
  if (odd.length + choices.length === 0) return ok(schema);
  const branches = choices.flatMap((name) => parsed.data[name] ?? []);
  const offered = [...branches.toReversed(), parsed.data].flatMap((part) =>
    typeof part === 'object' ? Object.entries(part.properties ?? {}) : [],
  );
  const without = Object.entries(schema).filter(([name]) => !choices.some((one) => one === name));
  return ok({
    ...(Object.fromEntries(without) as ObjectSchema),
    properties: Object.fromEntries(offered.filter(([name]) => PROPERTY_NAME.test(name))),
  });
}

/**
 * Returns a schema with unseen characters marked in all its names and texts, because the model reads every one of them. A server
 * that wants such a character in a value gets none. Pure.
 */
export const plainSchema = <T>(schema: T): T => plain(schema) as T;

function plain(value: unknown): unknown {
  if (typeof value === 'string') return withoutHidden(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [withoutHidden(name), plain(one)]),
  );
}

/** Returns how deep lists and objects stand in each other, as far as it matters. Keeps no stack of calls. Pure. */
function depthOf(given: unknown): number {
  let level: readonly unknown[] = [given];
  let depth = 0;
  for (; level.length > 0 && depth <= MAX_DEPTH; depth += 1)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  return depth;
}

const TypeName = z.enum(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const Count = z.number().int().min(0);

/** The keywords of JSON Schema 2020-12 by which a schema can be refused, each with the form of its value. */
const keywords = () => {
  const some = z.array(Schema).min(1);
  const named = z.record(z.string(), Schema);
  return {
    ...{ type: z.union([TypeName, z.array(TypeName).min(1)]), enum: z.array(z.unknown()) },
    ...{ properties: named, patternProperties: named, $defs: named, definitions: named },
    ...{ anyOf: some, oneOf: some, allOf: some, prefixItems: some, required: z.array(z.string()) },
    ...{ items: Schema, additionalProperties: Schema, propertyNames: Schema, contains: Schema },
    ...{ not: Schema, if: Schema, else: Schema },
    ...{ minimum: z.number(), maximum: z.number(), multipleOf: z.number() },
    ...{ exclusiveMinimum: z.number(), exclusiveMaximum: z.number() },
    ...{ minLength: Count, maxLength: Count, minItems: Count, maxItems: Count },
    ...{ minProperties: Count, maxProperties: Count, uniqueItems: z.boolean() },
    ...{ title: z.string(), description: z.string(), pattern: z.string(), format: z.string() },
    $ref: z.string(),
  };
};

interface Keywords {
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
}
type Schema = boolean | Keywords;

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.union([z.boolean(), z.looseObject(keywords()).partial()]),
);
const Top = z
  .looseObject(keywords())
  .partial()
  .extend({ type: z.literal('object') });
