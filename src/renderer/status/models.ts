import { useEffect, useState } from 'react';
import { modelName } from '../../shared/model-name';
import { ok } from '../../shared/result';
import type { ModelChoice } from '../../shared/settings';
import { currentProject } from '../store/screen';
import { useLathe, useScreen } from '../store/use-lathe';
import { tokens } from '../ui/format';
import type { PickerOption } from '../ui/Menu';

/** Returns the models of the menu: the current one if it stands in no list, those with an alias, then the others. */
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

const optionOf = ({ id, name, contextTokens, refused }: ModelChoice): PickerOption<string> => ({
  value: id,
  label: name,
  description: refused ?? `${id} · ${tokens(contextTokens)} tokens of context`,
  ...(refused === undefined ? {} : { disabled: true }),
});

/** The efforts we know, in rising order, with what they are good for. */
const EFFORTS: Readonly<Record<string, readonly [label: string, description: string]>> = {
  low: ['Low', 'Quick and cheap, for simple work'],
  medium: ['Medium', 'For everyday work'],
  high: ['High', 'Thorough; the usual choice'],
  xhigh: ['Extra high', 'Thinks longer, for hard problems'],
  max: ['Max', 'As much as the model can; slow and dear'],
};

/** Formats an effort: "high" → "High". */
export const effortLabel = (effort: string): string =>
  effort === ''
    ? 'Default'
    : (EFFORTS[effort]?.[0] ?? effort.charAt(0).toUpperCase() + effort.slice(1));

/** Describes an effort; empty for an unknown one. */
export const effortDescription = (effort: string): string => EFFORTS[effort]?.[1] ?? '';

/** Returns the effort that is really asked for: the wished one, else the next lower one that the model has. */
export function effortUsed(efforts: readonly string[], wished: string): string {
  if (efforts.includes(wished)) return wished;
  const order = Object.keys(EFFORTS);
  const lower = efforts.filter((level) => order.indexOf(level) < order.indexOf(wished));
  return lower.at(-1) ?? '';
}

/** Returns the model with this id or alias. */
export const findModel = (models: readonly ModelChoice[], name: string): ModelChoice | undefined =>
  models.find((m) => m.id === name || m.alias === name);

/** Returns the model's name for display; an id we have no entry for is made readable. */
export const modelLabel = (models: readonly ModelChoice[], name: string): string =>
  findModel(models, name)?.name ?? modelName(name);

/** Returns the models of the menu; asked for again when the connection to a model or the project changes. Empty until they are known. */
export function useModels(): readonly ModelChoice[] {
  const { ask } = useLathe();
  const connection = useScreen((s) => s.app?.connection);
  const linked = useScreen((s) => s.link.kind === 'connected');
  const key = `${linked} ${connection?.kind} ${connection?.baseUrl}`;
  // Its settings may have changed whenever the host tells of it anew.
  const project = useScreen(currentProject);
  const path = project?.path;
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  useEffect(() => {
    let current = true;
    void ask(async (client) => ok(await client.models.list({ project: path }))).then((listed) => {
      if (current && listed.ok) setModels(listed.value);
    });
    return () => {
      current = false;
    };
  }, [ask, key, path, project]);
  return models;
}
