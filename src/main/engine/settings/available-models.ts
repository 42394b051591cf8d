import { PLAN_ALIAS } from '../../../shared/model-name';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { ModelChoice, SettingsProblem } from '../../../shared/settings';
import { canonicalModel, factsOf, listModels, resolveModel } from '../model/catalog';
import type { AllowList } from './allow-lists';
import { EVERY_NAME } from './schema';

/** The models that settings let people choose. Absent: every model. */
export interface AvailableModels {
  /** The lists of models that can be chosen; one has to be on each of them. */
  readonly availableModels?: readonly AllowList<string>[];
  /** The model that is taken where nobody chose has to be on them, too. */
  readonly enforceAvailableModels?: boolean;
  /** An id on them means no other version, and the model that is taken where nobody chose has to be on them. */
  readonly exactModels?: boolean;
  /** The models that can never be chosen. */
  readonly deniedModels?: AllowList<string>;
}

/** Returns a model's id for what a user calls it. */
export type ResolveModel = (name: string) => Result<string>;

/**
 * Resolves a model that settings let be chosen; else says why not. The one that is taken where nobody chose can always be. `resolve`
 * knows what the environment puts in the place of a family. Pure.
 */
export function availableModel(
  name: string,
  limits: AvailableModels,
  resolve: ResolveModel,
): Result<string> {
  const wish = name.trim().toLowerCase();
  if (wish === '' || wish === 'default') return standardModel(limits, resolve);
  const resolved = resolve(name);
  if (!resolved.ok) return resolved;
  const refusal = refusalOf(resolved.value, limits, resolve);
  if (refusal === null) return resolved;
  const standard = standardModel(limits, resolve);
  return standard.ok && standard.value === resolved.value ? resolved : err(refusal);
}

/** Returns the model that is taken where nobody chose: the usual one, unless settings leave only others. */
function standardModel(limits: AvailableModels, resolve: ResolveModel): Result<string> {
  const { availableModels = [], enforceAvailableModels, exactModels } = limits;
  const isBound = enforceAvailableModels === true || exactModels === true;
  // A list that names no model leaves the usual one.
  const lists = availableModels.filter(
    ({ entries }) => isBound && entries.some((entry) => exactModels !== true || isFixed(entry)),
  );
  const bound: AvailableModels = { ...limits, availableModels: lists };
  const usual = resolve('default');
  if (!usual.ok) return usual;
  const refusal = refusalOf(usual.value, bound, resolve);
  if (refusal === null) return usual;
  const others = lists[0]?.entries ?? ['sonnet', 'haiku'];
  const other = others
    .map((entry) => modelNamed(entry, resolve))
    .find((id) => id !== null && refusalOf(id, bound, resolve) === null);
  return other == null ? err({ ...refusal, fix: NONE_LEFT }) : ok(other);
}

const NONE_LEFT = 'No other model is left, so nothing can be asked. Correct the settings.';

/** Returns the model that an entry of a list stands for; null for one that is no name of a model. */
function modelNamed(entry: string, resolve: ResolveModel): string | null {
  const long = `claude-${entry.trim()}`;
  if (factsOf(long) !== null) return long;
  const named = resolve(entry);
  return named.ok && named.value !== PLAN_ALIAS ? named.value : null;
}

/** Returns why settings do not let a model be chosen; null where they do. */
function refusalOf(model: string, limits: AvailableModels, resolve: ResolveModel): Fault | null {
  const { availableModels = [], exactModels = false, deniedModels } = limits;
  if (deniedModels !== undefined && isDenied(deniedModels.entries, model, resolve))
    return fault(
      NOT_AVAILABLE,
      `The model "${model}" is in deniedModels of ${deniedModels.file}.`,
      'Choose another one.',
    );
  const list = availableModels.find(
    ({ entries }) => !hasModel(entries, model, resolve, exactModels),
  );
  if (list === undefined) return null;
  const names = list.entries.length === 0 ? 'the default model' : list.entries.join(', ');
  return fault(
    NOT_AVAILABLE,
    `The model "${model}" is not in availableModels of ${list.file}.`,
    `Choose one of: ${names}.`,
  );
}

/** Returns the model for questions beside the conversation; the one that is taken where nobody chose, where that is denied. */
export function smallModelOf(
  small: string,
  { deniedModels }: AvailableModels,
  resolve: ResolveModel,
): string {
  if (deniedModels === undefined || !isDenied(deniedModels.entries, small, resolve)) return small;
  const standard = standardModel({ deniedModels }, resolve);
  return standard.ok ? standard.value : small;
}

/** Tells whether it is settings that refuse a model. Pure. */
export const isNotAvailable = (resolved: Result<string>): boolean =>
  !resolved.ok && resolved.error.code === NOT_AVAILABLE;

const NOT_AVAILABLE = 'model_not_available';

/** Lists the models that settings let be chosen. Pure. */
export const choosableModels = (limits: AvailableModels): readonly ModelChoice[] =>
  withRefusals(listModels(), limits).filter(({ refused }) => refused === undefined);

/** Marks the models of a menu that settings do not let be chosen with the reason. Pure. */
export const withRefusals = (
  models: readonly ModelChoice[],
  limits: AvailableModels,
  resolve: ResolveModel = resolveAny,
): readonly ModelChoice[] =>
  models.map((model) => {
    const chosen = availableModel(model.id, limits, resolve);
    return isNotAvailable(chosen) && !chosen.ok
      ? { ...model, refused: chosen.error.message }
      : model;
  });

/** Returns what gives a model that settings name back when it may be chosen; one that may not is added to `problems`, once. */
export function choosing(
  limits: AvailableModels,
  problems: SettingsProblem[],
): (field: string, name: string) => string | undefined {
  return (field, name) => {
    const chosen = availableModel(name, limits, resolveAny);
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
function hasModel(
  entries: readonly string[],
  model: string,
  resolve: ResolveModel,
  exact: boolean,
): boolean {
  const isNamed = (id: string) => isNamedBy(entries, id, resolve, exact);
  if (model !== PLAN_ALIAS) return isNamed(model);
  return (!exact && isNamed(model)) || modelsByMode(resolve).every(isNamed);
}

/** Tells whether a model is denied; a choice that depends on the mode is with either of its models. */
const isDenied = (entries: readonly string[], model: string, resolve: ResolveModel): boolean =>
  entries.includes(EVERY_NAME) ||
  (model === PLAN_ALIAS ? modelsByMode(resolve) : [model]).some((id) =>
    isNamedBy(entries.filter(isFixed), id, resolve, false),
  );

/** Returns the models of the choice that depends on the mode. */
const modelsByMode = (resolve: ResolveModel): readonly string[] =>
  ['opus', 'sonnet'].map(resolve).flatMap((one) => (one.ok ? one.value : []));

const isNamedBy = (
  entries: readonly string[],
  id: string,
  resolve: ResolveModel,
  exact: boolean,
): boolean =>
  entries
    .filter((entry) => !exact || isFixed(entry))
    .some((entry) => {
      const own = resolve(entry);
      return (own.ok && own.value === id) || means(entry, id, exact);
    });

/** Tells whether a name stands for the same family or model whatever the mode and the version of Lathe. */
const isFixed = (name: string): boolean =>
  !['default', PLAN_ALIAS].includes(name.trim().toLowerCase());

/** Tells whether an entry means a model: as its family, its id, or, unless it is `exact`, the beginning of its id up to a dash. */
function means(entry: string, model: string, exact: boolean): boolean {
  const id = withoutSpeed(model);
  const wanted = withoutSpeed(entry.trim());
  if (wanted === '') return false;
  return (
    [wanted, `claude-${wanted}`].some(
      (one) => id === one || (!exact && id.startsWith(`${one}-`)),
    ) ||
    (/^[a-z]+$/.test(wanted) && id.startsWith('claude-') && id.split('-').includes(wanted))
  );
}

const withoutSpeed = (id: string): string => canonicalModel(id).replace(/-fast$/, '');
