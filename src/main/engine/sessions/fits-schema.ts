import type { z } from 'zod';

/** A test of a value out of JSON. */
type Fits = (value: unknown) => boolean;

const never: Fits = () => false;
const always: Fits = () => true;

/**
 * Returns a test whether a schema takes a value out of JSON as it is, which costs a fraction of parsing: nothing is
 * copied, and nothing is told. It may say no to a value that the schema takes (it knows neither checks nor changes of
 * values), never yes to one that the schema refuses. Unknown keys are taken.
 */
export function fitsSchema(schema: z.core.$ZodType): Fits {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ((def.checks?.length ?? 0) > 0) return never;
  switch (def.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => Number.isFinite(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'unknown':
      return always;
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'array':
      return everyElement(fitsSchema(def.element));
    case 'record':
      return everyValue(fitsSchema(def.keyType), fitsSchema(def.valueType));
    case 'optional': {
      const inner = fitsSchema(def.innerType);
      return (value) => value === undefined || inner(value);
    }
    case 'nullable': {
      const inner = fitsSchema(def.innerType);
      return (value) => value === null || inner(value);
    }
    case 'object':
      return def.catchall === undefined ? everyField(def.shape) : never;
    case 'union':
      return 'discriminator' in def
        ? byTag(String(def.discriminator), def.options)
        : oneOfMany(def.options.map(fitsSchema));
    default:
      return never;
  }
}

function oneOf(values: readonly unknown[]): Fits {
  const [only, ...more] = values;
  if (more.length === 0) return (value) => value === only;
  const known = new Set(values);
  return (value) => known.has(value);
}

const oneOfMany =
  (options: readonly Fits[]): Fits =>
  (value) =>
    options.some((fits) => fits(value));

function everyElement(fits: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const element of value) if (!fits(element)) return false;
    return true;
  };
}

function everyValue(fitsKey: Fits, fits: Fits): Fits {
  return (value) => {
    if (!isObject(value)) return false;
    for (const key in value) if (!(fitsKey(key) && fits(value[key]))) return false;
    return true;
  };
}

function everyField(shape: Readonly<Record<string, z.core.$ZodType>>): Fits {
  const names = Object.keys(shape);
  const tests = Object.values(shape).map(fitsSchema);
  return (value) => {
    if (!isObject(value)) return false;
    // A loop over places: this is the hottest of all when a long log is read.
    for (let at = 0; at < names.length; at++)
      if (!tests[at]?.(value[names[at] as string])) return false;
    return true;
  };
}

/** Chooses the option by the value of one field; an option without plain values for it is never chosen. */
function byTag(tag: string, options: readonly z.core.$ZodType[]): Fits {
  const byValue = new Map<unknown, Fits>();
  for (const option of options) {
    const { def } = (option as z.core.$ZodTypes)._zod;
    const field = def.type === 'object' ? def.shape[tag] : undefined;
    const tagged = (field as z.core.$ZodTypes | undefined)?._zod.def;
    if (tagged?.type !== 'literal') continue;
    for (const value of tagged.values) byValue.set(value, fitsSchema(option));
  }
  return (value) => isObject(value) && (byValue.get(value[tag])?.(value) ?? false);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
