import { expect, test } from 'vitest';
import { deniedPaths, mayNameOneOf } from '../../../src/main/engine/permissions/rule-match';
import { readRules } from '../../../src/main/engine/permissions/rules';
import type { RuleBehavior } from '../../../src/shared/permission';

const context = {
  cwd: '/p/sub',
  home: '/home/you',
  project: '/p',
  workingDirectories: ['/p'],
  caseInsensitive: false,
};
const denied = (text: string, behavior: RuleBehavior = 'deny') =>
  deniedPaths(readRules([{ behavior, text, source: 'projectSettings' }]), context);

test.each<[string, readonly string[]]>([
  ['Read(//etc/secret)', ['/etc/secret']],
  ['Read(~/.ssh/**)', ['/home/you/.ssh']],
  ['Read(/private/)', ['/p/private']],
  ['Read(./private/**)', ['/p/sub/private', '/p/private']],
  ['Read(a\\*b)', ['/p/sub/a*b', '/p/a*b']],
  ['Read(**/.env)', []],
  ['Read(*.key)', []],
  ['Read', []],
  ['Bash(rm:*)', []],
])('%s keeps programs from %j', (text, read) => {
  expect(denied(text)).toEqual({ read, write: [] });
});

test('rules for editing deny writing; what is allowed or asked denies nothing', () => {
  expect(denied('Edit(//etc/x)')).toEqual({ read: [], write: ['/etc/x'] });
  expect(denied('Read(//etc/x)', 'ask')).toEqual({ read: [], write: [] });
});

test.each<[string, string, boolean, boolean]>([
  ['.cache', '*.md', false, true],
  ['conf.d/**', '*.md', false, true],
  ['conf.d', '*.md', false, true],
  ['**/.aws', '*.py', false, true],
  ['secrets', '*.py', false, true],
  ['*.PEM', '*.pem', true, true],
  ['KEYS.md', '*.MD', true, true],
  ['*.PEM', '*.pem', false, false],
  ['.env', '*.py', false, false],
  ['**/.npmrc', '*.ts', false, false],
  ['.gitignore', '*.ts', false, false],
  ['*.pem', '*.ts', true, false],
])('Read(%s) may mean a file called %s (ignoring case: %s): %s', (path, name, ignores, may) => {
  const read = readRules([{ behavior: 'deny', text: `Read(${path})`, source: 'projectSettings' }]);
  expect(read.map((rule) => mayNameOneOf(rule, [name], { caseInsensitive: ignores }))).toEqual([
    may,
  ]);
});
