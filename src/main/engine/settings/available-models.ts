import { PLAN_ALIAS } from '../../../shared/model-name';
import { err, fault, type Result } from '../../../shared/result';
import type { ModelChoice, SettingsProblem } from '../../../shared/settings';
import { canonicalModel, listModels, resolveModel } from '../model/catalog';
import type { AllowList } from './allow-lists';

/** The lists of models that people may choose from; a model has to be on each of them. Absent: every model. */
export interface AvailableModels {
  readonly availableModels?: readonly AllowList<string>[];
}

/** Returns a model's id for what a person calls it. */
export type ResolveModel = (name: string) => Result<string>;

/**
 * Resolves a model that settings let be chosen; else says why not. The one that is taken where nobody chose can always be. `resolve`
 * knows what the environment puts in the place of a family. Pure.
 */
export function availableModel(
  name: string,
  { availableModels = [] }: AvailableModels,
  resolve: ResolveModel,
): Result<string> {
  const resolved = resolve(name);
  const standard = resolve('default');
  if (!resolved.ok || (standard.ok && standard.value === resolved.value)) return resolved;
  const list = availableModels.find(({ entries }) => !hasModel(entries, resolved.value, resolve));
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
  listModels().filter(({ id }) => availableModel(id, settings, resolveAny).ok);

/** Returns what gives a model that settings name back when it may be chosen; one that may not is added to `problems`, once. */
export function choosing(
  availableModels: readonly AllowList<string>[],
  problems: SettingsProblem[],
): (field: string, name: string) => string | undefined {
  return (field, name) => {
    const chosen = availableModel(name, { availableModels }, resolveAny);
    if (!isNotAvailable(chosen)) return name;
    const message = `${field}: ${chosen.ok ? '' : chosen.error.message} It is left out.`;
    if (problems.every((one) => one.message !== message))
      problems.push({ file: '', field, message, level: 'warning' });
    return undefined;
  };
}

/** Resolves a model as far as that can be said without the environment; other servers have names of their own. */
const resolveAny: ResolveModel = (name) => resolveModel(name, {}, true);

/** Tells whether a list has a model. A choice that depends on the mode needs to be named, or both of its models. */
function hasModel(entries: readonly string[], model: string, resolve: ResolveModel): boolean {
  const isNamed = (id: string) =>
    entries.some((entry) => {
      const own = resolve(entry);
      return (own.ok && own.value === id) || means(entry, id);
    });
  if (model !== PLAN_ALIAS || isNamed(model)) return isNamed(model);
  return ['opus', 'sonnet'].map(resolve).every((one) => one.ok && isNamed(one.value));
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
