import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings } from '../../../src/main/engine/settings/read';

const read = (text: string) => readSettings(text, 'projectSettings', 'settings.json');
const texts = (text: string) => read(text).rules.map((rule) => `${rule.behavior} ${rule.text}`);

test('comments, trailing commas and a byte order mark cost nothing; rules know their line', () => {
  const layer = read(
    '\uFEFF{\n  // why\n  "permissions": {\n    "deny": [\n      "Bash(rm:*)",\n    ],\n  },\n}\n',
  );
  expect(layer.problems.every(({ level }) => level === 'warning')).toBe(true);
  expect(layer.rules).toEqual([
    {
      behavior: 'deny',
      text: 'Bash(rm:*)',
      source: 'projectSettings',
      file: 'settings.json',
      line: 5,
    },
  ]);
});

test.each([
  ['{\n  "model": 5,\n  "effortLevel": "high"\n}', 'model', 2],
  ['{\n  "effortLevel": "huge",\n  "model": "opus"\n}', 'effortLevel', 2],
  ['{"alwaysThinkingEnabled": "yes"}', 'alwaysThinkingEnabled', 1],
  ['{"maxThinkingTokens": -1}', 'maxThinkingTokens', 1],
  ['{"maxThinkingTokens": "2k"}', 'maxThinkingTokens', 1],
  ['{"maxTurns": 0}', 'maxTurns', 1],
  ['{"maxTurns": 1.5}', 'maxTurns', 1],
  ['{"maxBudgetUsd": 0}', 'maxBudgetUsd', 1],
  ['{"maxBudgetUsd": "$5"}', 'maxBudgetUsd', 1],
  ['{"permissions": []}', 'permissions', 1],
  ['{"permissions": {"deny": "Bash"}}', 'permissions.deny', 1],
  ['{"permissions": {"deny": [5]}}', 'permissions.deny', 1],
  ['{"permissions": {"allow": ["Bash("]}}', 'permissions.allow', 1],
  ['{"permissions": {"defaultMode": "yolo"}}', 'permissions.defaultMode', 1],
  ['{"env": {"A B": "x"}}', 'env.A B', 1],
  ['{"env": {"A": {}}}', 'env.A', 1],
  ['{"env": {"__proto__": "x"}}', 'env.__proto__', 1],
  ['{"hooks": []}', 'hooks', 1],
])('a bad field costs only itself: %s', (text, field, line) => {
  const { problems } = read(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ file: 'settings.json', field, line, level: 'warning' });
  expect(problems[0]?.message).toContain(`settings.json, line ${line}`);
});

test('the fields beside a bad one count', () => {
  expect(read('{"model": 5, "effortLevel": "high"}').fields).toEqual({ effortLevel: 'high' });
  expect(texts('{"permissions": {"defaultMode": 1, "deny": ["Bash"]}}')).toEqual(['deny Bash']);
  expect(read('{"permissions": {"defaultMode": "manual"}}').permissions.defaultMode).toBe(
    'default',
  );
  expect(read('{"fallbackModel": "sonnet"}').fields.fallbackModel).toEqual(['sonnet']);
  expect(read('{"env": {"A": 1, "B": true, "C": "c"}}').env).toEqual({ A: '1', B: 'true', C: 'c' });
});

test.each([
  ['{"permissions": {"deny": ["Bash(rm:*)"] "allow": ["Bash"]}}', 'comma'],
  ['{"permissions": {"deny": ["Bash(rm:*)"], "allow": ["Bash"]}} x', 'value'],
  ['{permissions: 1, "permissions": {"deny": ["Bash(rm:*)"]}}', 'in double quotes'],
])('of a malformed file only denials are kept: %s', (text, expected) => {
  const layer = read(text);
  expect(texts(text)).toEqual(['deny Bash(rm:*)']);
  expect(layer).toMatchObject({ env: {}, fields: {}, additionalDirectories: [] });
  expect(layer.problems[0]).toMatchObject({ level: 'error', line: 1 });
  expect(layer.problems[0]?.message).toContain(expected);
  expect(layer.problems[0]?.message).toContain('still apply');
});

test.each([
  ['[]', 'a list'],
  ['5', 'a number'],
  ['null', 'null'],
  ['x', 'value'],
])('something that is no object is said so: %s', (text, expected) => {
  const { problems, rules } = read(text);
  expect(rules.filter(({ behavior }) => behavior === 'allow')).toEqual([]);
  expect(problems[0]?.message).toContain(expected);
});

test('denials of a repeated permissions object all count, the last allows do', () => {
  const text =
    '{"permissions":{"deny":["Bash(a)"],"allow":["Bash(b)"]},"permissions":{"deny":["Bash(c)"],"allow":["Bash(d)"]}}';
  expect(texts(text)).toEqual(['deny Bash(a)', 'deny Bash(c)', 'allow Bash(d)']);
});

test('THREATS 4: a faulty denial is kept at its strictest and reported', () => {
  const layer = read('{"permissions":{"deny":["Bash(rm"]}}');
  expect(layer.rules.map((rule) => rule.text)).toEqual(['Bash(rm']);
  expect(layer.problems[0]?.message).toContain('every use of Bash');
});

test.each([
  ['{"permissions":{"Deny":["Bash(rm)"]}}', 'permissions.Deny'],
  ['{"permissions":{"de\u200bny":["Bash(rm)"]}}', 'permissions.de\u200bny'],
  ['{"permissions":{" deny":["Bash(rm)"]}}', 'permissions. deny'],
  ['{"permissions":{"denny":["Bash(rm)"]}}', 'permissions.denny'],
  ['{"Permissions":{"deny":["Bash(rm)"],"allow":["Bash(ls)"]}}', 'Permissions'],
  ['{"permisions":{"deny":["Bash(rm)"]}}', 'permisions'],
  ['{"deny":["Bash(rm)"]}', 'deny'],
])('THREATS 4: a denial under a misspelled key counts and is told of: %s', (text, field) => {
  expect(texts(text)).toEqual(['deny Bash(rm)']);
  expect(read(text).problems).toMatchObject([{ level: 'warning' }]);
  expect(JSON.stringify(read(text).problems)).toContain(JSON.stringify(field).slice(1, -1));
});

test('nothing pollutes prototypes, nothing nested deeply crashes', () => {
  read(
    '{"__proto__":{"polluted":1},"env":{"constructor":"x"},"permissions":{"__proto__":{"deny":[]}}}',
  );
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(read('['.repeat(200_000)).problems[0]?.level).toBe('error');
});

test('THREATS 4: reading never throws, and cutting a file never loosens it', () => {
  const whole =
    '{"permissions":{"deny":["Bash(rm:*)","Read(.env)"],"allow":["Bash"]},"env":{"A":"1"}}';
  fc.assert(
    fc.property(fc.nat(whole.length - 1), (length) => {
      const layer = read(whole.slice(0, length));
      const kept = layer.rules.map(({ behavior, text }) => `${behavior} ${text}`);
      expect(kept.filter((rule) => rule.startsWith('allow'))).toEqual([]);
      if (length > 0) expect(kept).toEqual(expect.arrayContaining(['ask Bash', 'ask Read']));
      expect(layer.env).toEqual({});
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(read(text).source).toBe('projectSettings');
    }),
  );
});

test.each([
  ['{"worktree":{"baseref":"head"}}', 'worktree.baseref', '“baseRef” may be meant'],
  ['{"worktree":{"sparsePaths":["x"]}}', 'worktree.sparsePaths', 'Lathe does not use this setting'],
  ['{"worktree":{"baseRef":"main"}}', 'worktree', '"fresh" or "head"'],
  ['{"worktree":[]}', 'worktree', 'an object with baseRef'],
])('worktrees: %s is told', (text, field, told) => {
  const { problems } = readSettings(text, 'userSettings', '/s.json');
  expect(problems).toMatchObject([{ field, message: expect.stringContaining(told) }]);
});
