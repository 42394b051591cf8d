import { expect, test } from 'vitest';
import { groupRules, MAX_RULES } from '../../../src/renderer/settings/rule-groups';
import type { PermissionRule } from '../../../src/shared/permission';
import type { ListedRule } from '../../../src/shared/rules-overview';

const HOME = '/home/you';
const listed = (
  behavior: PermissionRule['behavior'],
  text: string,
  source: PermissionRule['source'],
  file?: string,
): ListedRule => ({ rule: { behavior, text, source, ...(file ? { file } : {}) } });

const RULES: readonly ListedRule[] = [
  listed('allow', 'Bash(make)', 'userSettings', '/home/you/.claude/settings.json'),
  listed('allow', 'Read', 'session'),
  listed('deny', 'Bash(curl:*)', 'userSettings', '/home/you/.claude/settings.json'),
  { ...listed('deny', 'WebFetch', 'managed', '/etc/x.json'), locked: 'by the machine' },
];
const shape = (filter: string) =>
  groupRules(RULES, filter, HOME).groups.map(({ behavior, count, sources }) => [
    behavior,
    count,
    ...sources.map((s) => `${s.place}: ${s.rules.map(({ rule }) => rule.text).join(' ')}`),
  ]);

test('rules stand in the order in which they count, by place, the strongest first', () => {
  expect(shape('')).toEqual([
    ['deny', 2, '/etc/x.json: WebFetch', '~/.claude/settings.json: Bash(curl:*)'],
    ['allow', 2, 'This session: Read', '~/.claude/settings.json: Bash(make)'],
  ]);
  expect(groupRules(RULES, '', HOME).groups[0]?.sources[0]?.locked).toBe('by the machine');
});

test('the filter looks at texts and places, whatever the letter case', () => {
  expect(shape(' bash(MAKE ')).toEqual([['allow', 1, '~/.claude/settings.json: Bash(make)']]);
  expect(shape('this session')).toEqual([['allow', 1, 'This session: Read']]);
  expect(shape('nothing')).toEqual([]);
});

test('what does not fit is counted, denials are shown first', () => {
  const many = Array.from({ length: MAX_RULES + 5 }, (_, i) => listed('allow', `R${i}`, 'session'));
  const { groups, left } = groupRules([...many, ...RULES], '', HOME);
  expect(left).toBe(9);
  expect(groups.map(({ behavior, count }) => [behavior, count])).toEqual([
    ['deny', 2],
    ['allow', MAX_RULES + 7],
  ]);
});
