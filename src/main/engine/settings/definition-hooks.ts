import type { HookSetting } from '../../../shared/hooks';
import type { PermissionRule, RuleSource } from '../../../shared/permission';
import { readHooks } from './hook-settings';
import { allNamed, propertiesOf, readJson } from './json-text';
import { askEverything } from './lost-denials';
import { holdsGuards, meansGuard, meansHooks, restrictionNamed } from './restricting-keys';

/** The hooks of a definition of an agent or a skill. */
interface DefinitionHooks {
  readonly hooks: readonly HookSetting[];
  /** Rules that ask before every call where a hook that may be a guard cannot be read; empty where none is lost. */
  readonly rules: readonly PermissionRule[];
  /** Fields that nobody reads and that hold such hooks. They are told. */
  readonly misspelled: ReadonlySet<string>;
}

/** The place of a definition: where it comes from, its file, and what its calls are called. */
interface DefinitionPlace {
  readonly source: string;
  readonly file: string;
  /** As in “Lathe asks before every call of this agent”. */
  readonly calls: string;
}

/** Tells whether a name that is no field's may hold what takes something away or guards. */
export const bindsByName = (name: string): boolean =>
  restrictionNamed(name) !== null || meansHooks(name) || meansGuard(name);

/** Reads the hooks among the fields of a definition. A bad one costs only itself and is told; a lost guard asks. */
export function hooksOfDefinition(
  fields: ReadonlyMap<string, unknown>,
  { source, file, calls }: DefinitionPlace,
  tell: (field: string, message: string) => void,
): DefinitionHooks {
  const by: RuleSource = source === 'project' ? 'projectSettings' : 'userSettings';
  const misspelled = new Set<string>();
  let isLost = false;
  const lose = (field: string, message: string) => {
    isLost = true;
    const until = `Until it can be read, Lathe asks before every ${calls}`;
    tell(field, `${message}. ${until}, because it may be meant to stop some`);
  };
  const { root } = readJson(JSON.stringify(Object.fromEntries(fields)) ?? '{}');
  for (const property of propertiesOf(root)) {
    if (property.name === 'hooks' || !holdsGuards(property)) continue;
    misspelled.add(property.name);
    const where = meansHooks(property.name) ? '"hooks"' : `"${property.name}" below "hooks"`;
    lose(property.name, `there is no such field (did you mean ${where}?)`);
  }
  const inHooks = (field: string) => field.replace(/^hooks\./, '');
  const words = (field: string, message: string) =>
    field === 'hooks' ? message : `${inHooks(field)}: ${message}`;
  const hooks = allNamed(root, 'hooks')
    .filter(({ type }) => type !== 'null')
    .flatMap((node) =>
      readHooks(node, {
        ...{ source: by, file, lineOf: () => 1 },
        problem: (_, field, message) => tell('hooks', words(field, message)),
        lose: (_, field, message) => lose('hooks', words(field, message)),
      }),
    );
  return { hooks, rules: isLost ? askEverything(by, file) : [], misspelled };
}
