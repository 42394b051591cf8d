import path from 'node:path';
import type { DecisionContext } from './request';
import { rootsOf } from './rule-match';
import type { ParsedRule } from './rules';

/** What deny rules keep from being read and written, as far as they name a path. */
export interface DeniedPaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/**
 * The paths that deny rules for files name, so that the sandbox keeps programs from them too. Patterns with wildcards
 * are left out: what they mean is only known by looking at every file. Pure.
 */
export function deniedPaths(rules: readonly ParsedRule[], context: DecisionContext): DeniedPaths {
  const of = (tools: RegExp) => [
    ...new Set(
      rules
        .filter(({ rule, tool }) => rule.behavior === 'deny' && tools.test(tool))
        .flatMap((rule) => namedPaths(rule, context)),
    ),
  ];
  return { read: of(/^Read$/), write: of(/^(Edit|Write)$/) };
}

function namedPaths(rule: ParsedRule, context: DecisionContext): readonly string[] {
  if (rule.specifier === null) return [];
  return rootsOf(rule, rule.specifier, context).flatMap(({ root, pattern }) => {
    const folder = pattern.replace(/\/(\*\*)?$/, '');
    const hasWildcard = /(?<!\\)[*?[]/.test(folder);
    return hasWildcard || folder === '' ? [] : [path.resolve(root, folder.replace(/\\(.)/g, '$1'))];
  });
}
