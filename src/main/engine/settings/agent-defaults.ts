import { applyEdits, modify } from 'jsonc-parser';
import type {
  AgentDefaults,
  DefaultSetting,
  DefaultsChange,
  DefaultValues,
} from '../../../shared/agent-defaults';
import type { ThinkingMode } from '../../../shared/agent-event';
import { ok, type Result } from '../../../shared/result';
import { layoutOf, readRoot, withoutProperty } from './json-text';
import type { SettingsLayer } from './read';
import { thinkingUpTo } from './schema';

/** Returns the thinking a file asks for: `false` turns it off, else a number of tokens limits it. Pure. */
export function thinkingOf({ fields }: Pick<SettingsLayer, 'fields'>): ThinkingMode | undefined {
  const { alwaysThinkingEnabled: enabled, maxThinkingTokens: tokens } = fields;
  if (enabled === false) return 'disabled';
  return tokens === undefined ? enabled && 'adaptive' : thinkingUpTo(tokens);
}

const VALUES: {
  readonly [K in keyof DefaultValues]: (l: SettingsLayer) => DefaultValues[K] | undefined;
} = {
  model: ({ fields }) => fields.model,
  effort: ({ fields }) => fields.effortLevel,
  thinking: thinkingOf,
  maxTurns: ({ fields }) => fields.maxTurns,
  maxBudgetUsd: ({ fields }) => fields.maxBudgetUsd,
  maxDailyBudgetUsd: ({ fields }) => fields.maxDailyBudgetUsd,
};

/**
 * Returns what new sessions begin with, as the user set it, and what goes before that. `layers` are those that count,
 * strongest first. Pure.
 */
export function agentDefaults(layers: readonly SettingsLayer[]): AgentDefaults {
  const one = <T>(choose: (layer: SettingsLayer) => T | undefined): DefaultSetting<T> => {
    const first = layers.find((layer) => choose(layer) !== undefined);
    const user = layers.find(({ source }) => source === 'userSettings');
    const own = user === undefined ? undefined : choose(user);
    const value = first === undefined ? undefined : choose(first);
    const overruled =
      first === undefined || value === undefined || first.source === 'userSettings'
        ? {}
        : { overruled: { value, source: first.source, file: first.file } };
    return { own: own ?? null, ...overruled };
  };
  return {
    model: one(VALUES.model),
    effort: one(VALUES.effort),
    thinking: one(VALUES.thinking),
    maxTurns: one(VALUES.maxTurns),
    maxBudgetUsd: one(VALUES.maxBudgetUsd),
    maxDailyBudgetUsd: one(VALUES.maxDailyBudgetUsd),
  };
}

/** Returns the text of the user's settings with other defaults; comments and layout stay. Pure. */
export function withDefaults(text: string, file: string, change: DefaultsChange): Result<string> {
  return fieldsOf(change).reduce<Result<string>>(
    (done, [name, value]) => (done.ok ? withField(done.value, file, name, value) : done),
    ok(text),
  );
}

/** Returns the fields of a settings file that a change sets; undefined takes one out. */
function fieldsOf(change: DefaultsChange): readonly (readonly [string, unknown])[] {
  const { thinking, effort, ...others } = change;
  const plain = Object.entries({
    ...others,
    ...(effort === undefined ? {} : { effortLevel: effort }),
  });
  return [
    ...plain
      .filter(([, value]) => value !== undefined)
      .map(([k, v]) => [k, v ?? undefined] as const),
    ...(thinking === undefined ? [] : thinkingFields(thinking)),
  ];
}

const thinkingFields = (thinking: ThinkingMode | null) => {
  const isBudget = typeof thinking === 'object' && thinking !== null;
  const enabled = isBudget || thinking === null ? undefined : thinking === 'adaptive';
  return [
    ['alwaysThinkingEnabled', enabled],
    ['maxThinkingTokens', isBudget ? thinking.budgetTokens : undefined],
  ] as const;
};

/** Returns the text of a settings file with another value of one field; undefined takes it out. Pure. */
export function withField(
  text: string,
  file: string,
  name: string,
  value: unknown,
): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root } = read.value;
  if (value === undefined) return ok(bom + withoutProperty(body, root, name));
  const formattingOptions = layoutOf(body);
  return ok(bom + applyEdits(body, modify(body, [name], value, { formattingOptions })));
}
