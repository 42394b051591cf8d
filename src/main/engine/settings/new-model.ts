import { err, type Result } from '../../../shared/result';
import { type AvailableModels, availableModel, type ResolveModel } from './available-models';
import type { EffectiveSettings } from './effective';
import { atPlace } from './value-places';

/** The settings that say which model new sessions have, and where they stand. */
export type ModelSettings = Pick<EffectiveSettings, 'model' | 'places' | 'ownVariables'> &
  AvailableModels;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the model of new sessions, as a variable, else a setting names it; the error names the place of that. Pure. */
export function newModel(
  settings: ModelSettings,
  env: Environment,
  resolve: ResolveModel,
): Result<string> {
  const { name, place, field } = wishOf(settings, env);
  const found = availableModel(name, settings, resolve);
  if (found.ok) return found;
  return err({ ...found.error, message: atPlace(place, field, found.error.message) });
}

function wishOf({ model, places = {}, ownVariables = {} }: ModelSettings, env: Environment) {
  const field = 'ANTHROPIC_MODEL';
  const name = env[field] ?? '';
  if (name === '') return { name: model ?? 'default', place: places.model, field: 'model' };
  const set = ownVariables[field];
  return set?.value === name
    ? { name, place: set, field: `env.${field}` }
    : { name, place: { file: 'the environment' }, field };
}
