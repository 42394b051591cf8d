import { expect, test } from 'vitest';
import type { PermissionMode } from '../../../src/shared/permission';
import { sharedFixture } from './support/table';

const fixture = sharedFixture();
const rulesFor = async (command: string, mode: PermissionMode = 'default') =>
  (await fixture().shell(command, {}, mode)).suggestions.map((suggestion) => suggestion.rule);

test.each([
  ['npm test', ['Bash(npm test)', 'Bash(npm test:*)']],
  ['npm run test -- -t x', ['Bash(npm run test -- -t x)', 'Bash(npm run test:*)']],
  ['git commit -m x', ['Bash(git commit -m x)', 'Bash(git commit:*)']],
  ['git push origin main', ['Bash(git push origin main)']],
  ['node x.js', ['Bash(node x.js)']],
  ['mkfoo *.x', ['Bash(mkfoo \\*.x)']],
  ['npm test > out.txt', ['Bash(npm test > out.txt)', 'Bash(npm test)']],
  ['cat /etc/hosts', ['Bash(cat /etc/hosts)']],
  ['rm -rf /', []],
  ['echo "abc', []],
])('%s → %j', async (command, expected) => {
  expect(await rulesFor(command)).toEqual(expected);
});

test('a compound gets the whole line first and at most five rules', async () => {
  const rules = await rulesFor('a1 && b1 && c1 && d1 && e1 && f1');
  expect(rules).toHaveLength(5);
  expect(rules[0]).toBe('Bash(a1 && b1 && c1 && d1 && e1 && f1)');
});

test.each([
  'npm test',
  'mkfoo *.x',
  'cat /etc/hosts',
  'FOO=1 npm test',
  'npm test > out.txt',
  'a1 && b1 | c1',
  'watch ls',
  'echo $((i+1))',
  'grep "a\\.b" /etc/hosts',
])('the first suggestion for %s lets the same line pass next time', async (command) => {
  const [rule] = await rulesFor(command);
  const decision = await fixture().shell(command, { allow: [rule ?? ''] });
  expect(decision.behavior, decision.why.join(' | ')).toBe('allow');
});

test.each([
  ['Edit', 'src/app.ts', 'Edit(/src/app.ts)'],
  ['Edit', 'src/[a]*.ts', 'Edit(/src/\\[a\\]\\*.ts)'],
  ['Write', '~/notes/x.md', 'Edit(/'],
  ['Read', '/etc/hosts', 'Read(//etc/hosts)'],
  ['Grep', '/etc', 'Read(//etc)'],
])('%s %s → %s for the session, and it works', async (tool, file, expected) => {
  const [first] = (await fixture().file(tool, file)).suggestions;
  expect(first?.rule.startsWith(expected)).toBe(true);
  expect(first?.destination).toBe('session');
  expect((await fixture().file(tool, file, { allow: [first?.rule ?? ''] })).behavior).toBe('allow');
});

test('nothing is suggested where no rule can help', async () => {
  expect((await fixture().file('Write', '.git/config')).suggestions).toEqual([]);
  expect((await fixture().file('Read', 'key')).suggestions).toEqual([]);
  expect(await rulesFor('npm test', 'plan')).toEqual([]);
  expect(await rulesFor('npm test', 'dontAsk')).toEqual([]);
});
