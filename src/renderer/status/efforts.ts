import { modelName } from '../../shared/model-name';
import type { ModelChoice } from '../../shared/settings';

/** The efforts we know, in rising order, with what they are good for. */
const EFFORTS: Readonly<Record<string, readonly [label: string, description: string]>> = {
  low: ['Low', 'Quick and cheap, for simple work'],
  medium: ['Medium', 'For everyday work'],
  high: ['High', 'Thorough; the usual choice'],
  xhigh: ['Extra high', 'Thinks longer, for hard problems'],
  max: ['Max', 'As much as the model can; slow and dear'],
};

/** An effort for people: "high" → "High". */
export const effortLabel = (effort: string): string =>
  effort === ''
    ? 'Default'
    : (EFFORTS[effort]?.[0] ?? effort.charAt(0).toUpperCase() + effort.slice(1));

/** What an effort is good for; empty for one we do not know. */
export const effortDescription = (effort: string): string => EFFORTS[effort]?.[1] ?? '';

/** The effort that is really asked for: the wished one, else the next lower one that the model has. */
export function effortUsed(efforts: readonly string[], wished: string): string {
  if (efforts.includes(wished)) return wished;
  const order = Object.keys(EFFORTS);
  const lower = efforts.filter((level) => order.indexOf(level) < order.indexOf(wished));
  return lower.at(-1) ?? '';
}

/** The model with this id or alias. */
export const findModel = (models: readonly ModelChoice[], name: string): ModelChoice | undefined =>
  models.find((m) => m.id === name || m.alias === name);

/** The model's name for people; an id we have no entry for is made readable. */
export const modelLabel = (models: readonly ModelChoice[], name: string): string =>
  findModel(models, name)?.name ?? modelName(name);
