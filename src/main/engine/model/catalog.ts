import { modelName, PLAN_ALIAS } from '../../../shared/model-name';
import type { PermissionMode } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { DEMO_MODEL, type ModelChoice } from '../../../shared/settings';
import { type Family, MODELS, type ModelFacts } from './catalog-data';

/** The default limit of output tokens; the loop raises it once when an answer reaches it (docs/spec.md A5). */
const DEFAULT_MAX_TOKENS = 8192;

/** The model of users who chose none. */
const DEFAULT_MODEL_ALIAS: Family = 'opus';

/** The context window assumed for an unknown model. Tokens. */
const UNKNOWN_CONTEXT_TOKENS = 200_000;

const FAMILIES: readonly Family[] = ['opus', 'sonnet', 'haiku', 'fable'];

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the bare id: no date, no `[1m]`, no provider in front, dots as dashes. Two names of one model give the same. */
export const canonicalModel = (id: string): string => {
  const name = id.toLowerCase();
  return name
    .slice(Math.max(name.lastIndexOf('claude-'), 0))
    .replace(/\[1m\]$/, '')
    .replace(/[-@]\d{8}(-v\d+(:\d+)?)?$/, '')
    .replaceAll('.', '-');
};

/** Tells whether two ids name the same model, so that thinking made under one may be sent to the other. */
export const sameModel = (a: string, b: string): boolean =>
  a === b || canonicalModel(a) === canonicalModel(b);

/** Returns the facts of a model; null for an unknown one. */
export function factsOf(id: string): ModelFacts | null {
  const bare = canonicalModel(id);
  return MODELS.find((m) => m.id === bare) ?? null;
}

/** Returns the context window of any model, in tokens; a careful guess for unknown ones. */
export const contextWindowOf = (id: string): number =>
  factsOf(id)?.contextTokens ?? UNKNOWN_CONTEXT_TOKENS;

/**
 * Tells whether a model takes PDF documents: Claude models do since 3.5. Returns false for unknown ones, as a request with
 * what they do not take would fail as a whole.
 */
export const takesPdf = (id: string): boolean =>
  /^claude-(?!(2|instant|3-(opus|sonnet|haiku))([-.\d]|$))/.test(canonicalModel(id));

/** Returns the most output tokens that may be asked of a model. */
export const maxOutputOf = (id: string): number => factsOf(id)?.maxOutputTokens ?? 64_000;

/** Returns the output tokens to ask for: as many as the user set, but never more than the model has; else the default. */
export const askedOutput = (id: string, set: number | undefined): number =>
  Math.min(set ?? DEFAULT_MAX_TOKENS, maxOutputOf(id));

/** Returns the levels of effort that a model has, lowest first. */
export const effortsOf = (id: string): readonly string[] => factsOf(id)?.efforts ?? [];

/** Returns the level to send for a wished effort: itself, else the next lower one the model has, else none. */
export function supportedEffort(id: string, wished: string | undefined): string | undefined {
  const levels = effortsOf(id);
  if (wished === undefined || levels.includes(wished)) return wished;
  const order = ['low', 'medium', 'high', 'xhigh', 'max'];
  return levels.findLast((level) => order.indexOf(level) < order.indexOf(wished));
}

/**
 * Resolves an alias: `ANTHROPIC_DEFAULT_<FAMILY>_MODEL` if set, else the newest of the family. The older
 * `ANTHROPIC_SMALL_FAST_MODEL` still counts for haiku.
 */
function aliasTarget(family: Family, env: Env): string {
  const older = family === 'haiku' ? env['ANTHROPIC_SMALL_FAST_MODEL'] : undefined;
  const chosen = env[`ANTHROPIC_DEFAULT_${family.toUpperCase()}_MODEL`] || older;
  if (chosen !== undefined && chosen !== '') return chosen;
  return MODELS.find((m) => m.family === family && m.latest)?.id ?? family;
}

/** Returns the model for small questions beside the conversation. */
export const smallModel = (env: Env): string => aliasTarget('haiku', env);

/** Returns the id to ask for in a mode. Differs from `model` only for a choice that depends on the mode. */
export const modelInMode = (model: string, mode: PermissionMode, env: Env): string =>
  model === PLAN_ALIAS ? aliasTarget(mode === 'plan' ? 'opus' : 'sonnet', env) : model;

/** Hyphens and dashes that web pages and documents write in ids. */
const DASHES = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;

/**
 * Turns what the user wrote (alias, id, or nothing) into a model id. Accepts any id beginning with `claude-`, newer ones
 * than this version knows included; with a base URL of the user's own, anything that may be a name.
 * Other hyphens than the plain one, which come with a paste, count as it. A choice that depends on the mode
 * stays as it is, for {@link modelInMode}.
 */
export function resolveModel(
  input: string | undefined,
  env: Env,
  customBaseUrl = (env['ANTHROPIC_BASE_URL'] ?? '') !== '',
): Result<string> {
  const given = (input ?? '').trim().replace(/\[1m\]$/i, '');
  const ownNames = FAMILIES.map((f) => aliasTarget(f, env));
  const wish = ownNames.includes(given) ? given : given.replace(DASHES, '-');
  if (wish === '' || wish === 'default') return ok(aliasTarget(DEFAULT_MODEL_ALIAS, env));
  const family = FAMILIES.find((f) => f === wish.toLowerCase());
  if (family !== undefined) return ok(aliasTarget(family, env));
  if (wish.toLowerCase() === PLAN_ALIAS) return ok(PLAN_ALIAS);
  const isOwn = ownNames.includes(wish) || (customBaseUrl && mayBeName(wish));
  if (wish.startsWith('claude-') || isOwn) return ok(wish);
  return err(
    fault(
      'unknown_model',
      `There is no model "${wish}".`,
      `Use ${[...FAMILIES, PLAN_ALIAS].join(', ')}, or a full id such as ${MODELS.filter(
        (m) => m.latest,
      )
        .map((m) => m.id)
        .join(', ')}.`,
    ),
  );
}

/** Tells whether a text may be a name of some server's model; what is left of a broken line is none. */
const mayBeName = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) &&
  !/[\p{Cc}"'`]/u.test(text) &&
  ['[]', '{}', '()'].every(
    ([open = '', close = '']) => text.split(open).length === text.split(close).length,
  );

/** The only choice in the menu of the offline demo. */
export const DEMO_CHOICE: ModelChoice = {
  id: DEMO_MODEL,
  name: 'Scripted demo',
  contextTokens: UNKNOWN_CONTEXT_TOKENS,
  efforts: [],
};

/** Returns how the thinking of a model can be set; nothing for an unknown one. */
export function thinkingOf(id: string): Pick<ModelChoice, 'thinking'> {
  const facts = factsOf(id);
  return facts === null
    ? {}
    : { thinking: { adaptive: facts.adaptiveThinking, off: facts.thinkingOff } };
}

/** Lists one choice per family, or what the environment puts in its place; last the one that depends on the mode. */
export function listModels(env: Env = {}): readonly ModelChoice[] {
  const choices = FAMILIES.map((family): ModelChoice => {
    const id = aliasTarget(family, env);
    const facts = factsOf(id);
    return {
      id,
      name: facts?.name ?? id,
      alias: family,
      contextTokens: contextWindowOf(id),
      efforts: [...(facts?.efforts ?? [])],
      ...thinkingOf(id),
    };
  });
  return [...choices, planChoice(choices)];
}

/** Returns the choice that depends on the mode: no more is said of it than holds for both of its models. */
function planChoice(choices: readonly ModelChoice[]): ModelChoice {
  const both = choices.filter(({ alias }) => alias === 'opus' || alias === 'sonnet');
  const [inPlan, otherwise] = both;
  return {
    id: PLAN_ALIAS,
    ...(otherwise === undefined ? {} : { asked: otherwise.id }),
    name: modelName(PLAN_ALIAS),
    alias: PLAN_ALIAS,
    contextTokens: Math.min(...both.map(({ contextTokens }) => contextTokens)),
    efforts: otherwise?.efforts.filter((effort) => inPlan?.efforts.includes(effort)) ?? [],
  };
}

/** Returns the most output tokens of a model. A user who set the output wants no more, also when an answer is cut. */
export const mostOutput = (model: string, set: number | undefined): number =>
  set === undefined ? maxOutputOf(model) : askedOutput(model, set);
