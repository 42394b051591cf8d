import type { SettingsProblem } from '../../../shared/settings';
import type { EffectiveSettings, SettingPlace } from './effective';
import type { SettingsLayer } from './read';
import { OWN_VARIABLE } from './schema';

/** Returns the place of a field in a settings file. */
export const placeOf = ({ file, lines }: SettingsLayer, field: string): SettingPlace => {
  const line = lines[field];
  return { file, ...(line === undefined ? {} : { line }) };
};

/** Returns words about a field with its place in front of them; the words alone where that is not known. Pure. */
export const atPlace = (place: SettingPlace | undefined, field: string, words: string): string =>
  place === undefined
    ? words
    : `${place.file}${place.line === undefined ? '' : `, line ${place.line}`}: ${field}: ${words}`;

/** Creates the problem of a field at its place. */
export const problemAt = (
  place: SettingPlace | undefined,
  field: string,
  words: string,
): SettingsProblem => ({
  ...(place ?? { file: '' }),
  field,
  message: atPlace(place, field, words),
  level: 'warning',
});

/** Returns the places of fields that may turn out to name nothing, where they are set. `counted`: strongest first. Pure. */
export function placesOf(counted: readonly SettingsLayer[]): Pick<EffectiveSettings, 'places'> {
  const single = (['agent', 'model', 'outputStyle'] as const).flatMap((name) => {
    const layer = counted.find(({ fields }) => fields[name] !== undefined);
    return layer === undefined ? [] : [[name, placeOf(layer, name)] as const];
  });
  const skills = counted.toReversed().flatMap((layer) =>
    Object.keys(layer.fields.skillOverrides ?? {}).map((skill) => {
      const name = `skillOverrides.${skill}`;
      return [name, placeOf(layer, name)] as const;
    }),
  );
  const places = [...single, ...skills];
  return places.length === 0 ? {} : { places: Object.fromEntries(places) };
}

/** Returns the variables that reach Lathe itself, each from the strongest layer that has it. Pure. */
export function ownVariablesIn(
  counted: readonly SettingsLayer[],
): Pick<EffectiveSettings, 'ownVariables'> {
  const own = counted.filter(({ source }) => !/^(?:local|project)Settings$/.test(source));
  const found = own.toReversed().flatMap((layer) =>
    Object.entries(layer.env)
      .filter(([name]) => OWN_VARIABLE.test(name))
      .map(([name, value]) => [name, { ...placeOf(layer, `env.${name}`), value }] as const),
  );
  return found.length === 0 ? {} : { ownVariables: Object.fromEntries(found) };
}
