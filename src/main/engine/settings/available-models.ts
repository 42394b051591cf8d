import { PLAN_ALIAS } from '../../../shared/model-name';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { ModelChoice, SettingsProblem } from '../../../shared/settings';
import { canonicalModel, listModels, resolveModel } from '../model/catalog';
import type { AllowList } from './allow-lists';

/** The lists of models that people may choose from; a model has to be on each of them. Absent: every model. */
export interface AvailableModels {
  readonly availableModels?: readonly AllowList<string>[];
}

/**
 * Returns a resolved model when settings let it be chosen, else why not. The `standard` model, which is taken where nobody chose one,
 * can always be. Pure.
 */
export function availableModel(
  resolved: Result<string>,
  { availableModels = [] }: AvailableModels,
  standard: Result<string>,
): Result<string> {
  if (!resolved.ok || (standard.ok && standard.value === resolved.value)) return resolved;
  const list = availableModels.find(({ entries }) => !hasModel(entries, resolved.value));
  if (list === undefined) return resolved;
  const names = list.entries.length === 0 ? 'the default model' : list.entries.join(', ');
  return err(
    fault(
      NOT_AVAILABLE,
      `The model "${resolved.value}" is not in availableModels of ${list.file}.`,
      `Choose one of: ${names}.`,
    ),
  );
}

/** Tells whether it is settings that refuse a model. Pure. */
export const isNotAvailable = (resolved: Result<string>): boolean =>
  !resolved.ok && resolved.error.code === NOT_AVAILABLE;

const NOT_AVAILABLE = 'model_not_available';

/** Lists the models that settings let be chosen. Pure. */
export const choosableModels = (settings: AvailableModels): readonly ModelChoice[] =>
  listModels().filter(({ id }) => availableModel(ok(id), settings, resolveModel('default', {})).ok);

/** Returns what gives a model that settings name back when it may be chosen; one that may not is added to `problems`, once. */
export function choosing(
  availableModels: readonly AllowList<string>[],
  problems: SettingsProblem[],
): (field: string, name: string) => string | undefined {
  return (field, name) => {
    const resolved = resolveModel(name, {}, true);
    const chosen = availableModel(resolved, { availableModels }, resolveModel('default', {}));
    if (chosen.ok || !resolved.ok) return name;
    const message = `${field}: ${chosen.error.message} It is left out.`;
    if (problems.every((one) => one.message !== message))
      problems.push({ file: '', field, message, level: 'warning' });
    return undefined;
  };
}

/** Tells whether a list has a model. A choice that depends on the mode needs to be named, or both of its models. */
function hasModel(entries: readonly string[], model: string): boolean {
  const isNamed = (id: string) => entries.some((entry) => means(entry, id));
  if (model !== PLAN_ALIAS) return isNamed(model);
  const both = ['opus', 'sonnet'].flatMap((family) => {
    const target = resolveModel(family, {});
    return target.ok ? target.value : [];
  });
  return isNamed(model) || both.every(isNamed);
}

/** Tells whether an entry means a model: as its family, its id, or the beginning of its id up to a dash. */
function means(entry: string, model: string): boolean {
  const id = canonicalModel(model);
  const wanted = canonicalModel(entry.trim());
  if (wanted === '') return false;
  return (
    [wanted, `claude-${wanted}`].some((one) => id === one || id.startsWith(`${one}-`)) ||
    (/^[a-z]+$/.test(wanted) && id.startsWith('claude-') && id.split('-').includes(wanted))
  );
}
