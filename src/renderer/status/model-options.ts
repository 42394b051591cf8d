import type { ModelChoice } from '../../shared/settings';
import { tokens } from '../ui/format';
import type { PickerOption } from '../ui/Picker';
import { effortDescription, effortLabel, findModel, modelLabel } from './efforts';

/** The models of the menu: the current one if it stands in no list, those with an alias, then the others. */
export function modelOptions(
  models: readonly ModelChoice[],
  current: string,
): readonly PickerOption<string>[] {
  const unlisted = findModel(models, current) === undefined && current !== '';
  const first = models.filter((model) => model.alias !== undefined);
  const others = models.filter((model) => model.alias === undefined);
  return [
    ...(unlisted
      ? [{ value: current, label: modelLabel(models, current), description: 'chosen by its id' }]
      : []),
    ...first.map(optionOf),
    ...others.map((model, at) => ({
      ...optionOf(model),
      ...(at === 0 && first.length > 0 ? { heading: 'More models' } : {}),
    })),
  ];
}

const optionOf = ({ id, name, contextTokens }: ModelChoice): PickerOption<string> => ({
  value: id,
  label: name,
  description: `${id} · ${tokens(contextTokens)} tokens of context`,
});

/** The efforts of the menu. */
export const effortOptions = (efforts: readonly string[]): readonly PickerOption<string>[] =>
  efforts.map((value) => {
    const description = effortDescription(value);
    return { value, label: effortLabel(value), ...(description === '' ? {} : { description }) };
  });
