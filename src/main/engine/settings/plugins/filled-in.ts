import type { HookSetting } from '../../../../shared/hooks';
import { fillOptions, type OptionValues, optionVariables, variableOf } from './plugin-options';

/** The values that stand in for places in the files of a plugin. */
export interface PluginValues {
  /** The folder of the plugin. Absolute. */
  readonly root: string;
  readonly values: OptionValues;
  /** Those that are no secrets. */
  readonly shownValues: OptionValues;
}

/** Fills options into a hook. An address and a prompt are listed for people, so that no secret may stand in them. Pure. */
export const filledHook = (
  hook: HookSetting,
  { root, values, shownValues }: PluginValues,
): HookSetting => {
  if (hook.type === 'command') return asVariables(hook);
  const headers = Object.entries(hook.headers ?? {}).map(
    ([key, value]) => [key, fillOptions(value, values)] as const,
  );
  return {
    ...hook,
    run: fillOptions(hook.run, shownValues),
    ...(hook.headers === undefined ? {} : { headers: Object.fromEntries(headers) }),
    ...(hook.call === undefined
      ? {}
      : { call: { ...hook.call, input: Object(filled(hook.call.input, root, values)) } }),
  };
};

/** Puts variables in the place of options: a shell is given a value, never a text that it could take for code. Pure. */
const asVariables = <H extends Pick<HookSetting, 'run' | 'args'>>(hook: H): H => {
  const named = (text: string) =>
    text.replace(/\$\{user_config\.(\w+)\}/g, (_, key: string) => `\${${variableOf(key)}}`);
  const { run, args } = hook;
  return { ...hook, run: named(run), ...(args === undefined ? {} : { args: args.map(named) }) };
};

/** Fills in `${CLAUDE_PLUGIN_ROOT}` and options in every text of a server, and puts them into its environment. Pure. */
export function filledServer(server: unknown, root: string, values: OptionValues | null): unknown {
  const whole = filled(server, root, values ?? {});
  if (typeof whole !== 'object' || whole === null || !('command' in whole)) return whole;
  const { env } = whole as { readonly env?: unknown };
  if (env !== undefined && (typeof env !== 'object' || env === null)) return whole;
  return { ...whole, env: { CLAUDE_PLUGIN_ROOT: root, ...optionVariables(values ?? {}), ...env } };
}

/** Returns a value with the folder of the plugin and options in every text of it. */
function filled(value: unknown, root: string, values: OptionValues): unknown {
  if (typeof value === 'string')
    return fillOptions(
      value.replaceAll(ROOT_VARIABLE, () => root),
      values,
    );
  if (Array.isArray(value)) return value.map((each) => filled(each, root, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, filled(each, root, values)]),
  );
}

const ROOT_VARIABLE = `\${CLAUDE_PLUGIN_ROOT}`;
