import { z } from 'zod';

/** The choice that depends on the mode: the ecosystem's name for Opus in plan mode, and Sonnet otherwise. */
export const PLAN_ALIAS = 'opusplan';

/** The reasons that the API gives for declining a prompt; null where it gives none. */
export const Refusal = z.object({
  /** The kind of harm, in the API's own word. */
  category: z.string().nullable(),
  /** For a user. */
  explanation: z.string().nullable(),
  /** Another model could have answered, and the user did not want that. */
  kept: z.literal(true).optional(),
});
export type Refusal = z.infer<typeof Refusal>;

export const ModelChanged = z.object({
  type: z.literal('model_changed'),
  model: z.string(),
  /** It stands in for one that is overloaded, or that declined. */
  standsIn: z.literal(true).optional(),
  /** The model that declined, and why. Absent: nothing was declined. */
  declined: Refusal.extend({ model: z.string() }).optional(),
});

/** Returns the model that is chosen after a change. One that stands in leaves a choice by mode as it is. */
export const chosenAfter = (
  chosen: string,
  { model, standsIn }: Omit<z.infer<typeof ModelChanged>, 'type'>,
): string => (standsIn === true && chosen === PLAN_ALIAS ? chosen : model);

/** Returns a model id for people: "claude-opus-5-5-20261101" → "Claude Opus 5.5". Other ids stay as they are. */
export function modelName(id: string): string {
  if (id === PLAN_ALIAS) return 'Opus in plan mode, else Sonnet';
  const found = /^claude-([a-z]+)-(\d{1,2}(?:-\d{1,2})*)(?:-\d{8})?$/.exec(id);
  const [, family = '', version = ''] = found ?? [];
  if (found === null) return id;
  return `Claude ${family.charAt(0).toUpperCase()}${family.slice(1)} ${version.replaceAll('-', '.')}`;
}
