import type { Node } from 'jsonc-parser';
import type { PermissionRule, RuleBehavior, RuleSource } from '../../../shared/permission';
import { ruleDoubt } from '../permissions/rule-doubts';
import { areSeveral, EACH_ALONE, readRule } from '../permissions/rules';
import { type Property, propertiesOf } from './json-text';
import { looseList, meansPermissions, restrictionMeant } from './restricting-keys';
import { LIST_OF_ONE, type ReportProblem } from './sandbox-fields';

/** The file that rules are read from, and where its problems go. */
interface RuleFile {
  readonly source: RuleSource;
  readonly file: string;
  lineOf(offset: number): number;
  readonly problem: ReportProblem;
  /** Takes what may be a denial and cannot be read. */
  readonly lose: ReportProblem;
}

/** A list of rules under the name that it has in the file. */
interface RuleList {
  readonly behavior: RuleBehavior;
  readonly value: Node;
}

/**
 * Returns the rules of a settings file. Deny and ask lists count from every `permissions` object, should there be
 * several, and where a key is misspelled or in no such object.
 */
export function rulesIn(root: Node | null, file: RuleFile): PermissionRule[] {
  const objects = propertiesOf(root).filter(({ name }) => meansPermissions(name));
  for (const { name, value } of objects)
    if (value.type !== 'object' && (name === 'permissions' || value.type === 'array'))
      file.lose(value, name, 'an object is expected');
  const last = objects.findLast(({ name }) => name === 'permissions')?.value;
  const lists = [...restrictingLists(root), ...listsNamed(last, 'allow')];
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    lists.filter((one) => one.behavior === behavior).flatMap((one) => rulesOf(one, file)),
  );
}

/** Returns the lists of a file that deny or ask, wherever they stand, each with its key. Pure. */
export function restrictingLists(root: Node | null): (RuleList & Property)[] {
  const within = (
    node: Node | null | undefined,
    meant: (one: Property) => 'deny' | 'ask' | null,
  ): (RuleList & Property)[] =>
    propertiesOf(node).flatMap((one) => {
      const behavior = meant(one);
      return behavior === null ? [] : [{ ...one, behavior }];
    });
  return [
    ...propertiesOf(root)
      .filter(({ name }) => meansPermissions(name))
      .flatMap(({ value }) => within(value, ({ name }) => restrictionMeant(name))),
    ...within(root, looseList),
  ];
}

const listsNamed = (node: Node | undefined, behavior: 'allow'): RuleList[] =>
  propertiesOf(node).flatMap(({ name, value }) => (name === behavior ? [{ behavior, value }] : []));

function rulesOf({ behavior, value }: RuleList, file: RuleFile): PermissionRule[] {
  const field = `permissions.${behavior}`;
  return textsOf(value, field, behavior === 'allow' ? null : file.lose, file.problem).flatMap(
    ({ text, node }) => {
      const line = file.lineOf(node.offset);
      const rule = { behavior, text, source: file.source, file: file.file, line };
      const { parsed, problem } = readRule(rule);
      if (problem && parsed === null && behavior !== 'allow')
        file.lose(node, field, problem.message);
      else if (problem) file.problem(node, field, problem.message);
      const doubt = parsed === null || problem ? null : ruleDoubt(parsed);
      if (doubt !== null) file.problem(node, field, doubt);
      return parsed ? [rule] : [];
    },
  );
}

/** Returns the texts of a list. Those that cannot be read go to `lose` where they may be denials. */
export function textsOf(
  value: Node,
  field: string,
  lose: ReportProblem | null,
  problem: ReportProblem,
): { text: string; node: Node }[] {
  const refuse = lose ?? problem;
  if (value.type === 'string' && (lose === null || !areSeveral(String(value.value)))) {
    problem(value, field, LIST_OF_ONE);
    return [{ text: String(value.value), node: value }];
  }
  if (value.type !== 'array') {
    refuse(value, field, 'a list of texts is expected');
    return [];
  }
  return (value.children ?? []).flatMap((node) => {
    const text = node.type === 'string' ? String(node.value) : null;
    if (text !== null && !areSeveral(text)) return [{ text, node }];
    refuse(node, field, text === null ? 'a text in quotes is expected' : EACH_ALONE);
    return [];
  });
}
