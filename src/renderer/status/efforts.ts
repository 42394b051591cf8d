import type { ModelChoice } from '../../shared/settings';

/** An effort for people: "high" → "High". */
export const effortLabel = (effort: string): string =>
  effort === '' ? 'Default' : effort.charAt(0).toUpperCase() + effort.slice(1);

/** The model with this id or alias. */
export const findModel = (models: readonly ModelChoice[], name: string): ModelChoice | undefined =>
  models.find((m) => m.id === name || m.alias === name);

/** The model's name for people; an id we have no entry for is shown as it is. */
export const modelLabel = (models: readonly ModelChoice[], name: string): string =>
  findModel(models, name)?.name ?? name;
