import { z } from 'zod';

const Common = {
  /** Its name in the answer. */
  name: z.string().min(1).max(200),
  title: z.string().max(300),
  description: z.string().max(2000).optional(),
  required: z.boolean(),
};

/** One field of a form that a tool server asks a user to fill in. */
export const FormField = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    ...Common,
    default: z.string().max(20_000).optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
  }),
  z.strictObject({
    type: z.literal('number'),
    ...Common,
    integer: z.boolean(),
    default: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('boolean'), ...Common, default: z.boolean().optional() }),
  z.strictObject({
    type: z.literal('choice'),
    ...Common,
    options: z
      .array(z.strictObject({ value: z.string().max(500), title: z.string().max(500) }))
      .min(1)
      .max(200),
    multiple: z.boolean(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.array(z.string().max(500)).max(200).optional(),
  }),
]);
export type FormField = z.infer<typeof FormField>;

/** The most fields of a form. */
export const MAX_FORM_FIELDS = 50;

/** The values that a user filled in, by the name of the field; a field left empty is absent. */
export const FormValues = z.record(
  z.string().max(200),
  z.union([z.string().max(20_000), z.number(), z.boolean(), z.array(z.string().max(500)).max(200)]),
);
export type FormValues = z.infer<typeof FormValues>;

/** A mistake in one field, in words for the user. */
export interface FormProblem {
  readonly name: string;
  readonly message: string;
}

/** Returns what is wrong with the values of a form, in the order of its fields; empty when all of them fit. Pure. */
export const formProblems = (
  fields: readonly FormField[],
  values: FormValues,
): readonly FormProblem[] => {
  const known = new Set(fields.map(({ name }) => name));
  const foreign = Object.keys(values).filter((name) => !known.has(name));
  return [
    ...fields.flatMap((field) => {
      const message = fieldProblem(
        field,
        Object.hasOwn(values, field.name) ? values[field.name] : undefined,
      );
      return message === null ? [] : [{ name: field.name, message }];
    }),
    ...foreign.map((name) => ({ name, message: 'There is no such field.' })),
  ];
};

function fieldProblem(field: FormField, value: FormValues[string] | undefined): string | null {
  if (value === undefined) return field.required ? 'This is needed.' : null;
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? textProblem(field, value) : 'Write a text.';
    case 'number':
      return typeof value === 'number' ? numberProblem(field, value) : 'Write a number.';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'Choose yes or no.';
    case 'choice':
      return choiceProblem(field, value);
  }
}

function textProblem(
  { minLength, maxLength, format }: Extract<FormField, { type: 'text' }>,
  value: string,
): string | null {
  const length = [...value].length;
  if (minLength !== undefined && length < minLength)
    return `Write at least ${minLength} characters.`;
  if (maxLength !== undefined && length > maxLength)
    return `Write at most ${maxLength} characters.`;
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? null : 'Write an address such as ann@example.com.';
    case 'uri':
      return URL.canParse(value) ? null : 'Write an address such as https://example.com.';
    case 'date':
      return isDay(value) ? null : 'Write a day such as 2026-11-23.';
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value))
        ? null
        : 'Write a time such as 2026-11-23T09:30:00Z.';
    case undefined:
      return null;
  }
}

/** Tells whether a text is a day of the calendar: there is no 30th of February. */
const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

function numberProblem(
  { integer, minimum, maximum }: Extract<FormField, { type: 'number' }>,
  value: number,
): string | null {
  if (!Number.isFinite(value)) return 'Write a number.';
  if (integer && !Number.isInteger(value)) return 'Write a whole number.';
  if (minimum !== undefined && value < minimum) return `Write ${minimum} or more.`;
  if (maximum !== undefined && value > maximum) return `Write ${maximum} or less.`;
  return null;
}

function choiceProblem(
  { options, multiple, minimum, maximum }: Extract<FormField, { type: 'choice' }>,
  value: FormValues[string],
): string | null {
  const chosen = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) !== multiple) return 'Choose one.';
  if (chosen.some((one) => !options.some((option) => option.value === one)))
    return 'There is no such choice.';
  if (!multiple) return null;
  if (new Set(chosen).size < chosen.length) return 'Choose each once.';
  if (minimum !== undefined && chosen.length < minimum) return `Choose at least ${minimum}.`;
  if (maximum !== undefined && chosen.length > maximum) return `Choose at most ${maximum}.`;
  return null;
}
