import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fitsSchema } from '../../../src/main/engine/sessions/fits-schema';
import { DurableEvent } from '../../../src/shared/agent-event';
import { runs } from '../../support/runs';

const json = fc.jsonValue({ maxDepth: 1 });

/** Values that a schema is meant for; refinements may still refuse them. */
function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return fc.string({ maxLength: 6 });
    case 'number':
      return fc.oneof(fc.nat(9), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'array':
      return fc.array(valuesOf(def.element), { maxLength: 2 });
    case 'record':
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), valuesOf(def.valueType), {
        maxKeys: 2,
        noNullPrototype: true,
      });
    case 'optional':
      return fc.option(valuesOf(def.innerType), { nil: undefined });
    case 'nullable':
      return fc.option(valuesOf(def.innerType), { nil: null });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([key, each]) => [key, valuesOf(each)])),
        { noNullPrototype: true },
      );
    case 'union':
      return fc.oneof(...def.options.map(valuesOf));
    default:
      return json;
  }
}

/** Returns a value with something else at one of its places, chosen by `path`. */
function changed(value: unknown, path: readonly number[], other: unknown): unknown {
  const [first, ...rest] = path;
  if (typeof value !== 'object' || value === null || first === undefined) return other;
  const keys = Object.keys(value);
  const key = keys[first % Math.max(1, keys.length)];
  if (key === undefined) return other;
  const next = changed(Reflect.get(value, key), rest, other);
  if (Array.isArray(value)) return value.with(Number(key), next);
  return { ...value, [key]: next };
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

describe('what a schema takes as it is', () => {
  const fits = fitsSchema(DurableEvent);

  /** Kinds of events that make up a log. */
  const FREQUENT = new Set([
    'user_message',
    'attachment',
    'block_finished',
    'message_finished',
    'call_settled',
    'continued',
    'query_started',
    'query_finished',
  ]);

  for (const option of DurableEvent.options) {
    const kind = option.shape.type.value;
    it(`${kind}: takes no value that the schema refuses or changes`, () => {
      const sample = fc.tuple(valuesOf(option), fc.array(fc.nat(20), { maxLength: 4 }), json);
      fc.assert(
        fc.property(sample, fc.boolean(), ([value, path, other], isChanged) => {
          const event = asJson(isChanged ? changed(value, path, other) : value);
          if (!fits(event)) return;
          const parsed = DurableEvent.safeParse(event);
          expect(parsed.success).toBe(true);
          // Keys that the schema does not know are left out by it, and kept by us.
          expect(event).toMatchObject(parsed.data ?? {});
        }),
        { numRuns: runs(200) },
      );
    });

    if (FREQUENT.has(kind))
      it(`${kind}: takes what the schema takes, so that it is not parsed`, () => {
        fc.assert(
          fc.property(valuesOf(option).map(asJson), (event) => {
            // Questions have bounds, and are few.
            const { kind } =
              z.object({ kind: z.string() }).safeParse(Reflect.get(Object(event), 'view')).data ??
              {};
            if (kind === 'question' || !DurableEvent.safeParse(event).success) return;
            expect([event, fits(event)]).toEqual([event, true]);
          }),
          { numRuns: runs(200) },
        );
      });
  }
});

describe('what is not looked into is left to the parser', () => {
  it.each<readonly [string, z.core.$ZodType, unknown]>([
    ['a bound of a number', z.number().int().min(1), 3],
    ['a length of a text', z.string().min(1), 'a'],
    ['a changed value', z.string().transform((text) => text.length), 'a'],
    ['a default', z.object({ a: z.string().default('x') }), {}],
    ['a strict object', z.strictObject({ a: z.string() }), { a: 'x' }],
    ['an own test', z.string().refine((text) => text === 'a'), 'a'],
    ['too great a number', z.number(), Number.POSITIVE_INFINITY],
    ['a list for an object', z.object({}), []],
    ['a field with null', z.object({ a: z.string().optional() }), { a: null }],
  ])('%s', (_, schema, value) => expect(fitsSchema(schema)(value)).toBe(false));
});
