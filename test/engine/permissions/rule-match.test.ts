import { expect, test } from 'vitest';
import { deniedPaths } from '../../../src/main/engine/permissions/rule-match';
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
