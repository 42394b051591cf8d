import { describe, expect, it } from 'vitest';
import { ruleBreadth, ruleProblem, scopesFor } from '../../../src/renderer/approvals/rule-draft';
import { whyItAsks } from '../../../src/renderer/approvals/WhyLine';

describe('ruleProblem', () => {
  it.each([
    'Bash(npm test)',
    'Bash(git push:*)',
    'Read',
    'mcp__a__b-c',
    'mcp__a__*',
    'Edit(/a (b)/**)',
  ])('%s is a rule', (rule) => expect(ruleProblem(rule)).toBeNull());
  it.each([
    '',
    '  ',
    'Bash(',
    'Bash()',
    'Bash(  )',
    'npm test',
    '(x)',
    'Bash(a)b',
    'Bash(a)\nEdit',
  ])('%j is none', (rule) => expect(ruleProblem(rule)).not.toBeNull());
});

describe('ruleBreadth', () => {
  it.each([
    ['Bash', /every command/],
    ['Bash(*)', /every command/],
    ['Bash(:*)', /every command/],
    ['Edit(**)', /every file/],
    ['WebFetch', /every use of WebFetch/],
  ])('%s warns', (rule, text) => expect(ruleBreadth(rule)).toMatch(text));
  it.each(['Bash(npm test)', 'Bash(git *)', 'Edit(/src/**)', 'nonsense('])('%s does not', (rule) =>
    expect(ruleBreadth(rule)).toBeNull(),
  );
});

it('offers the shared file only when the suggestion names it', () => {
  expect(scopesFor('session').map((s) => s.destination)).toEqual([
    'session',
    'localSettings',
    'userSettings',
  ]);
  expect(scopesFor('projectSettings').map((s) => s.destination)).toContain('projectSettings');
});

describe('whyItAsks', () => {
  const decision = { behavior: 'ask', reason: 'Asked. ', why: [], suggestions: [] } as const;
  it('says the reason alone', () =>
    expect(whyItAsks({ ...decision, why: [], suggestions: [] })).toEqual({
      reason: 'Asked',
      rule: null,
      location: null,
    }));
  it.each([
    [{ file: '/p/.claude/settings.json', line: 3 }, '/p/.claude/settings.json, line 3'],
    [{ file: '/p/x.json' }, '/p/x.json'],
    [{}, 'the managed policy'],
  ])('names the rule and where it stands %#', (where, location) => {
    const rule = { behavior: 'ask', text: 'Bash(x)', source: 'managed', ...where } as const;
    expect(whyItAsks({ ...decision, why: [], suggestions: [], rule })).toEqual({
      reason: 'Asked',
      rule: 'Bash(x)',
      location,
    });
  });
});
