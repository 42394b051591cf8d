import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import type { HookSetting } from '../../../../shared/hooks';
import type { PermissionRule } from '../../../../shared/permission';
import type { SettingsProblem } from '../../../../shared/settings';
import { readHooks } from '../hook-settings';
import { type Property, propertiesOf } from '../json-text';
import { ASKS_EVERYTHING, askEverything } from '../lost-denials';
import { isGuard } from '../lost-hooks';
import { holdsGuards, holdsHooks, meansHooks } from '../restricting-keys';
import { filledHook } from './filled-in';
import { type PartPlaces, partsOf } from './parts-of';
import { type JsonObject, pluginProblem } from './plugin-json';
import { missingOptions, type OptionValues, withoutValue } from './plugin-options';

/** The part of a plugin that guards calls. */
export interface PluginGuards {
  readonly hooks: readonly HookSetting[];
  /** Rules that ask before every call where a hook that may be a guard cannot be read; empty where none is lost. */
  readonly rules: readonly PermissionRule[];
}

/** The plugin that is read, and where what is wrong with it is told. */
export interface ReadContext extends PartPlaces {
  /** The plugin's. */
  readonly name: string;
  /** Of its options; null: it is only looked at. */
  readonly values: OptionValues | null;
  /** The values that people may be shown. */
  readonly shownValues: OptionValues;
}

/** Returns a problem that says, too, that every call asks because of it. */
export const asking = (problem: SettingsProblem): SettingsProblem => ({
  ...problem,
  message: `${problem.message} ${ASKS_EVERYTHING}`,
});

/** Tells whether a plugin guards calls, or may have been meant to. */
export const guardsCalls = ({ hooks, rules }: PluginGuards): boolean =>
  rules.length > 0 || hooks.some(isGuard);

/** Reads the hooks of a plugin. Where one that may be a guard cannot be used, rules ask before every call. */
export async function pluginHooks(
  context: ReadContext,
  manifests: readonly JsonObject[],
  unreadManifests: readonly string[],
): Promise<PluginGuards> {
  const { files, problems } = context;
  const lostIn: string[] = [];
  /** Tells of a lost guard, in the place of what was told of it before. */
  const lose = (problem: SettingsProblem) => {
    const { file, field, line } = problem;
    const at = problems.findLastIndex(
      (one) => one.file === file && one.field === field && one.line === line,
    );
    lostIn.push(file);
    problems.push(asking(at < 0 ? problem : (problems.splice(at, 1)[0] ?? problem)));
  };
  const unread = [...unreadManifests];
  const usual = join('hooks', 'hooks.json');
  const parts = await partsOf(context, manifests, 'hooks', usual, (file) => unread.push(file));
  for (const file of unread) {
    const stat = await files.stat(file);
    // Nothing can be lost of an empty file.
    if (stat.ok && stat.value.size === 0) continue;
    const told = problems.findLast((one) => one.file === file);
    lose(told ?? pluginProblem(file, 'hooks', 'its hooks cannot be read', 1, 'warning'));
  }
  const around = parts.flatMap(({ object, node }) => (node === object.root ? [] : object));
  for (const { root, file, lineAt } of new Set([...manifests, ...around]))
    for (const one of propertiesOf(root))
      if (one.name !== 'hooks' && (holdsGuards(one) || namesHooks(one)))
        lose(pluginProblem(file, one.name, UNREAD_FIELD, lineAt(one.at), 'warning'));
  const hooks = parts.flatMap((part) => hooksOf(part, context, lose));
  const [file] = lostIn;
  return { hooks, rules: file === undefined ? [] : askEverything('userSettings', file) };
}

/** Tells whether a property is a misspelled `hooks` that names files or lists hooks. */
const namesHooks = ({ name, value }: Property): boolean =>
  meansHooks(name) && /^(?:string|array)$/.test(value.type) && holdsHooks(value);

const UNREAD_FIELD = 'nobody reads it here (did you mean a field of "hooks"?)';

/** Returns the hooks of one object, with the user's options filled in; those without a value are left out and told. */
function hooksOf(
  { object, node }: { readonly object: JsonObject; readonly node: Node },
  { root, name, problems, values, shownValues }: ReadContext,
  lose: (problem: SettingsProblem) => void,
): readonly HookSetting[] {
  const { file, lineAt } = object;
  const at = (where: Node, field: string, message: string) =>
    pluginProblem(file, field, message, lineAt(where.offset), 'warning');
  const hooks = readHooks(node, {
    source: 'userSettings',
    file,
    lineOf: lineAt,
    problem: (...one) => void problems.push(at(...one)),
    lose: (...one) => lose(at(...one)),
  });
  return hooks.flatMap((hook) => {
    const { args = [], headers = {} } = hook;
    const given = JSON.stringify(hook.call ?? {});
    const uses = [hook.run, ...args, ...Object.values(headers), given].join('\n');
    const lacks = missingOptions(uses, values);
    const filled = values === null ? hook : filledHook(hook, { root, values, shownValues });
    const secret = missingOptions(filled.run, values && shownValues);
    const why =
      lacks.length > 0
        ? withoutValue(lacks)
        : `left out: the option ${secret.join(', ')} is a secret and may stand in headers only`;
    if (lacks.length === 0 && secret.length === 0) return [{ ...filled, plugin: { name, root } }];
    const problem = pluginProblem(file, `hooks.${hook.event}`, why, hook.line, 'warning');
    if (isGuard(hook)) lose(problem);
    else problems.push(problem);
    return [];
  });
}
