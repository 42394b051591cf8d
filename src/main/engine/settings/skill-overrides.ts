import type { SettingsProblem } from '../../../shared/settings';
import type { SettingsLayer } from './read';

/** The uses that settings leave of a skill: `name-only` lists its name alone, `user-invocable-only` leaves it to the user. */
const USES = ['on', 'name-only', 'user-invocable-only', 'off'] as const;

/** The uses of single skills, by name. */
export type SkillOverrides = Readonly<Record<string, (typeof USES)[number]>>;

/**
 * Joins what the files say of single skills, of each the strongest. What cannot be read counts as `off`, and is added to
 * `problems`. `layers`: strongest first.
 */
export function skillOverridesOf(
  layers: readonly SettingsLayer[],
  problems: SettingsProblem[],
): SkillOverrides {
  const overrides = layers.toReversed().flatMap(({ fields, file, lines }) =>
    Object.entries(fields.skillOverrides ?? {}).map(([name, value]) => {
      const use = USES.find((one) => one === value);
      if (use === undefined) {
        const field = `skillOverrides.${name}`;
        const line = lines['skillOverrides'];
        const place = line === undefined ? file : `${file}, line ${line}`;
        const message = `${place}: ${field}: one of ${USES.join(', ')} is expected; it counts as off.`;
        problems.push({
          ...{ file, field, message, level: 'warning' },
          ...(line === undefined ? {} : { line }),
        });
      }
      return [name, use ?? 'off'] as const;
    }),
  );
  return Object.fromEntries(overrides);
}
