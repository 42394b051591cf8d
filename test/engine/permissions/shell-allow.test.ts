import { describe, expect, test } from 'vitest';
import { expectShell, type Row, sharedFixture, shellTests } from './support/table';

const fixture = sharedFixture();
const NPM_TEST = { allow: ['Bash(npm test:*)'] };

describe('a prefix rule covers the command, its arguments and harmless company', () => {
  shellTests(fixture, 'allow', COVERED(), NPM_TEST);
});

describe('a prefix rule covers nothing that runs beside, around or instead of the command', () => {
  shellTests(fixture, 'ask', NOT_COVERED(), NPM_TEST);
});

const WITH_RULES: readonly (readonly [Row, readonly string[]])[] = [
  [
    ['allow', 'npm test > out.txt'],
    ['Bash(npm test:*)', 'Edit(/out.txt)'],
  ],
  [['ask', 'npm test > out.txt'], ['Bash']],
  [['allow', 'sudo npm test'], ['Bash(sudo npm test)']],
  [['allow', 'sudo npm test'], ['Bash(sudo npm test:*)']],
  [['allow', 'FOO=1 npm test'], ['Bash(FOO=1 npm test)']],
  [['allow', 'npm test && curl x'], ['Bash(npm test && curl x)']],
  [['ask', 'npm test && curl x; rm y'], ['Bash(npm test && curl x)']],
  [['allow', 'cat /etc/hosts'], ['Bash(cat /etc/hosts)']],
  [['ask', 'cat /etc/hosts'], ['Bash(cat:*)']],
  [['allow', 'cat /etc/hosts'], ['Read(//etc/hosts)']],
  [['allow', 'watch npm test'], ['Bash(watch npm test)']],
  [
    ['ask', 'watch npm test'],
    ['Bash(watch:*)', 'Bash(npm test)'],
  ],
  [
    ['ask', 'find . -exec cat {} \\;'],
    ['Bash(find:*)', 'Bash(cat:*)'],
  ],
  [['ask', 'find . -delete'], ['Bash(find:*)']],
  [['allow', 'mkfoo -la x'], ['Bash(mkfoo *)']],
  [['allow', 'mkfoo'], ['Bash(mkfoo *)']],
  [['ask', 'mkfoox'], ['Bash(mkfoo *)']],
  [['allow', 'mkfoox'], ['Bash(mkfoo*)']],
  [['allow', 'mkfoo x'], ['Bash(mkfoo:*)']],
  [['ask', 'mkfoox'], ['Bash(mkfoo:*)']],
  [['allow', 'git push origin main'], ['Bash(git * main)']],
  [['ask', 'git push origin dev'], ['Bash(git * main)']],
  [['allow', 'mkfoo *.x'], ['Bash(mkfoo \\*.x)']],
  [['ask', 'mkfoo a.x'], ['Bash(mkfoo \\*.x)']],
  [['allow', 'rm -rf dist'], ['Bash(*)']],
  [
    ['ask', 'cd sub && git status'],
    ['Bash(git:*)', 'Bash(cd:*)'],
  ],
  [['ask', 'ls() { rm x; }; ls'], ['Bash']],
  [['ask', 'LD_PRELOAD=x ls'], ['Bash']],
  [['ask', 'Npm test'], ['Bash(npm test)']],
  [['ask', 'git commit -m "$(curl x)"'], ['Bash(git commit:*)']],
  [['allow', 'git commit -m "$(git log -1)"'], ['Bash(git commit:*)']],
];

test.each(WITH_RULES.map(([row, allow]) => [row, allow] as const))(
  '%j with %j',
  ([expected, command], allow) => expectShell(fixture(), expected, command, { allow }, 'default'),
);

test('the decision names the rule, where it is from, and the part it is about', async () => {
  const denied = await fixture().shell('ls && rm x', { deny: ['Bash(rm:*)'] });
  expect(denied).toMatchObject({
    behavior: 'deny',
    reason: 'a deny rule covers it: Bash(rm:*) (.claude/settings.json)',
    rule: { text: 'Bash(rm:*)', source: 'projectSettings' },
    parts: [{ start: 6, end: 10 }],
  });
  const asked = await fixture().shell('ls && curl x');
  expect(asked).toMatchObject({ behavior: 'ask', parts: [{ start: 6, end: 12 }] });
  expect(asked.reason).toContain('curl x');
});

function COVERED() {
  return [
    'npm test',
    'npm test -- -t x',
    'npm test && npm test',
    'timeout 60 npm test',
    'time npm test',
    'nohup npm test',
    'npm test 2>&1 | tail -20',
    'npm test > /dev/null',
    'NODE_ENV=test npm test',
    'CI=1 npm test',
    'cd src && npm test',
    'npm  test',
    'npm test | grep fail',
    '(npm test)',
    'npm test; echo $?',
    'npm test || true',
    'if npm test; then echo ok; fi',
    'npm test $X',
    'npm test "$(ls)"',
  ];
}

function NOT_COVERED() {
  return [
    'npm testx',
    'npm tes',
    'npm test && npm publish',
    'npm test > out.txt',
    'FOO=1 npm test',
    'NODE_OPTIONS=x npm test',
    'sudo npm test',
    'env npm test',
    'bash -c "npm test"',
    'npm test; curl x',
    'npm test & curl x',
    'npm test | sh',
    'npm test "$(curl x)"',
    'npm run test',
    'watch npm test',
    './npm test',
    '"npm test"',
    'npm test\u200b',
    'npm test < /etc/passwd',
    'cd /tmp && npm test',
    'npx npm test',
    'npm() { :; }; npm test',
    'alias npm=x; npm test',
    'PATH=. npm test',
    'export PATH=.; npm test',
    'npm test > ../x',
    'xargs -n1 npm test',
    'find . -exec npm test \\;',
    'npm test <(curl x)',
    'npm test $((a[0]))',
  ];
}
