import { type Node, visit } from 'jsonc-parser';
import { propertiesOf } from './json-text';
import type { KeyRemark } from './known-keys';
import { limitMeant } from './restricting-keys';

/**
 * Returns what Lathe reads in a JSON text and other programs refuse or read otherwise: the first comment, the first
 * trailing comma, and every repeated name. Pure.
 */
export const jsonOddities = (text: string, root: Node | null): KeyRemark[] => [
  ...notStrict(text),
  ...repeatedNames(root),
];

function notStrict(text: string): KeyRemark[] {
  let comment: number | null = null;
  let trailing: number | null = null;
  let comma: number | null = null;
  const value = () => {
    comma = null;
  };
  const close = () => {
    trailing ??= comma;
    comma = null;
  };
  visit(
    text,
    {
      onComment: (offset) => {
        comment ??= offset;
      },
      onSeparator: (character, offset) => {
        comma = character === ',' ? offset : null;
      },
      onObjectProperty: value,
      onLiteralValue: value,
      onObjectBegin: value,
      onArrayBegin: value,
      onObjectEnd: close,
      onArrayEnd: close,
    },
    { allowTrailingComma: true },
  );
  const remark = (at: number | null, field: string): KeyRemark[] =>
    at === null
      ? []
      : [
          {
            at,
            field,
            message: 'Lathe reads it, but strict JSON has none: others may refuse the file',
          },
        ];
  return [...remark(comment, 'a comment'), ...remark(trailing, 'a trailing comma')];
}

/** Returns which of several values of one name counts. */
function whichCounts(field: string): string {
  if (/^permissions(\.(deny|ask))?$/.test(field))
    return 'what any of them denies or asks for counts';
  if (/^sandbox(?:\.(?:filesystem|network|credentials))?$/.test(field))
    return 'the last one counts, but what any of them denies counts, too';
  if (/^sandbox\..*\.(?:denyRead|denyWrite|deniedDomains|files|envVars)$/.test(field))
    return 'what any of them denies counts';
  if (/^hooks(?:\.\w+(?:\[\d+\]\.hooks)?)?$/.test(field)) return 'the hooks of each count';
  return limitMeant(field.replace(/^permissions\./, '')) === null
    ? 'the last one counts'
    : 'the strictest counts';
}

/** Returns a remark for each name that stands more than once in an object or below it. `above`: the names that lead to it. Pure. */
export function repeatedNames(root: Node | null, above = ''): KeyRemark[] {
  const found: KeyRemark[] = [];
  const waiting: { node: Node; prefix: string }[] =
    root === null ? [] : [{ node: root, prefix: above }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, prefix } = next;
    if (node.type === 'array') {
      for (const [index, child] of (node.children ?? []).entries())
        if (child.children !== undefined)
          waiting.push({ node: child, prefix: `${prefix}[${index}]` });
      continue;
    }
    const seen = new Set<string>();
    const told = new Set<string>();
    for (const { name, value, at } of propertiesOf(node)) {
      const field = prefix === '' ? name : `${prefix}.${name}`;
      if (seen.has(name) && !told.has(name)) {
        told.add(name);
        const message = `the name stands here more than once; ${whichCounts(field)}`;
        found.push({ at, field, message });
      }
      seen.add(name);
      if (value.children !== undefined) waiting.push({ node: value, prefix: field });
    }
  }
  return found;
}
