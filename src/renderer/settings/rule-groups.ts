import { type RuleBehavior, RuleSource } from '../../shared/permission';
import type { ListedRule } from '../../shared/rules-overview';
import { tildePath } from '../ui/format';

/** Rules of one behavior from one place. */
export interface SourceGroup {
  readonly source: RuleSource;
  /** The file, or what stands for it. */
  readonly place: string;
  /** The reason none of them can be removed here. */
  readonly locked: string | null;
  readonly rules: readonly ListedRule[];
}

/** Rules of one behavior. */
export interface BehaviorGroup {
  readonly behavior: RuleBehavior;
  /** Number of rules, including those that are not listed. */
  readonly count: number;
  readonly sources: readonly SourceGroup[];
}

/** The groups to draw, and how many rules did not fit. */
export interface RuleGroups {
  readonly groups: readonly BehaviorGroup[];
  readonly left: number;
}

/** In the order in which they are looked at. */
const ORDER: readonly RuleBehavior[] = ['deny', 'ask', 'allow'];
/** More rows are not drawn; the filter brings the others up. */
export const MAX_RULES = 300;

/** Groups the rules that fit a filter (in text or place) by behavior and source, strongest first. Pure. */
export function groupRules(rules: readonly ListedRule[], filter: string, home: string): RuleGroups {
  const words = filter.trim().toLowerCase();
  const fitting = rules.filter((listed) =>
    `${listed.rule.text}\n${positionOf(listed, home)}`.toLowerCase().includes(words),
  );
  const shown = ORDER.flatMap((b) => fitting.filter(({ rule }) => rule.behavior === b)).slice(
    0,
    MAX_RULES,
  );
  const groups = ORDER.map((behavior) => ({
    behavior,
    count: fitting.filter(({ rule }) => rule.behavior === behavior).length,
    sources: sourcesOf(
      shown.filter(({ rule }) => rule.behavior === behavior),
      home,
    ),
  })).filter((group) => group.count > 0);
  return { groups, left: fitting.length - shown.length };
}

function sourcesOf(rules: readonly ListedRule[], home: string): readonly SourceGroup[] {
  const places = Map.groupBy(
    rules,
    (listed) => `${listed.rule.source} ${positionOf(listed, home)}`,
  );
  return [...places.values()]
    .flatMap((inPlace) => {
      const [first] = inPlace;
      if (first === undefined) return [];
      const { source } = first.rule;
      return {
        source,
        place: positionOf(first, home),
        locked: first.locked ?? null,
        rules: inPlace,
      };
    })
    .toSorted((a, b) => strength(a.source) - strength(b.source));
}

const strength = (source: RuleSource): number => RuleSource.options.indexOf(source);

function positionOf({ rule }: ListedRule, home: string): string {
  if (rule.file !== undefined && rule.file !== '') return tildePath(rule.file, home);
  return PLACES[rule.source];
}

const PLACES: Readonly<Record<RuleSource, string>> = {
  managed: 'Managed settings',
  commandLine: 'Command line',
  session: 'This session',
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: '~/.claude/settings.json',
};
