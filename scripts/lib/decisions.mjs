/** The decisions of set-up, apart from their effects. Plain JavaScript, because nothing is installed yet. */
import { stripVTControlCharacters } from 'node:util';

/** The Node major Lathe is built for. */
const NODE_MAJOR = 24;
/** The oldest Node it runs on: what vitest and the sandbox library need. */
export const OLDEST_NODE = [22, 12];

/** `v24.1.0` → [24, 1]. */
function versionOf(text) {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major), Number(minor)];
}

/**
 * Which Node goes on: `this` one, the `bundled` one in node_modules, or `none`.
 * `bundled` is the version there, or null.
 */
export function chooseNode(current, bundled) {
  if (versionOf(current)[0] === NODE_MAJOR) return 'this';
  if (bundled !== null && versionOf(bundled)[0] === NODE_MAJOR) return 'bundled';
  return isNewEnough(versionOf(current)) ? 'this' : 'none';
}

const isNewEnough = ([major, minor]) =>
  major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);

/** Returns true when `npm ci` must run. Hashes are of the lockfile now and at the last install (null: never). */
export const needsInstall = (lockHash, installedHash) => installedHash !== lockHash;

/**
 * An environment with nothing of our own `node_modules`: `npm ci` removes that folder, so neither npm nor the Node
 * under it may come from there, nor the place where npm (which asks its Node) looks for its settings. `root` is the
 * repository, `separator` the one between PATH's entries.
 */
export function withoutOwnPrograms(env, root, separator) {
  const plain = (path) => path.replaceAll('\\', '/');
  const own = `${plain(root).replace(/\/+$/, '')}/node_modules/`;
  const isOwn = (path) => `${plain(path)}/`.startsWith(own);
  const cleaned = ([name, value]) => {
    if (name.toUpperCase() !== 'PATH') return isOwn(value) ? [] : [[name, value]];
    const kept = value.split(separator).filter((entry) => !isOwn(entry));
    return [[name, kept.join(separator)]];
  };
  return Object.fromEntries(Object.entries(env).flatMap(cleaned));
}

/** Returns true when a build is older than its newest source. Times are epoch milliseconds; null: never built. */
export const needsBuild = (newestSource, builtAt) => builtAt === null || newestSource >= builtAt;

/** What the tests need from Debian, by the program that shows it is there. */
const TEST_PROGRAMS = {
  'chromium-headless-shell': 'chromium-headless-shell',
  bwrap: 'bubblewrap',
  socat: 'socat',
  strace: 'strace',
};

/** The Debian packages behind programs that are missing. */
export const missingPackages = (hasProgram) =>
  Object.entries(TEST_PROGRAMS)
    .filter(([program]) => !hasProgram(program))
    .map(([, name]) => name);

/** Returns how missing packages can be had: `apt` by us, `hint` for the user, or `nothing` to do. */
export function packagePlan(missing, { hasApt, isRoot }) {
  if (missing.length === 0) return { kind: 'nothing' };
  if (hasApt && isRoot) return { kind: 'apt', packages: missing };
  return {
    kind: 'hint',
    text: hasApt
      ? `For all tests: sudo apt-get install ${missing.join(' ')}`
      : `For all tests, install: ${missing.join(', ')}`,
  };
}

/** Sums test outcomes and words the last line of a test run. */
export function summary(outcomes) {
  const sum = (name) => outcomes.reduce((total, outcome) => total + outcome[name], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  return { passed, failed, skipped, line: `${passed} passed, ${failed} failed` };
}

/** Counts in vitest's JSON report. A report that is missing or broken is one failure. */
export function countVitest(report) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const failedSuites = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + failedSuites,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Counts in Playwright's JSON report. */
export function countPlaywright(report) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected + report.errors.length, skipped };
}

/** Returns the static checks that failed: each name and what the check said first. */
export const checkFailures = (checks) =>
  checks
    .filter(({ passed }) => !passed)
    .map(({ name, output }) => failure([`check: ${name}`], output));

/** Returns the tests that failed by vitest's JSON report: `file › name` and its message, paths below `root` made relative. */
export function vitestFailures(report, root) {
  if (report === null) return ['vitest: wrote no report that can be read'];
  return report.testResults.flatMap((file) => {
    const path = below(root, file.name);
    const failed = file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map((it) => failure([path, it.fullName], it.failureMessages.join('\n')));
    const isWhole = file.status !== 'failed' || file.assertionResults.length > 0;
    return isWhole ? failed : [failure([path], file.message)];
  });
}

/** Returns the tests that failed by Playwright's JSON report: `file:line › name` and its message. */
export function playwrightFailures(report) {
  if (report === null) return ['playwright: wrote no report that can be read'];
  const inSuite = (suite, titles) => [
    ...(suite.specs ?? [])
      .filter(({ tests }) => tests.some(({ status }) => status === 'unexpected'))
      .map((spec) => {
        const errors = spec.tests.flatMap(({ results }) => results.flatMap((it) => it.errors));
        const said = errors.map(({ message }) => message ?? '').join('\n');
        return failure([`${spec.file}:${spec.line}`, ...titles, spec.title], said);
      }),
    ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, [...titles, inner.title])),
  ];
  return [
    ...report.suites.flatMap((file) => inSuite(file, [])),
    ...report.errors.map(({ message }) => failure(['playwright'], message ?? '')),
  ];
}

/** More lines of a failure's message are in the log above. */
const MESSAGE_LINES = 6;
/** The longest line of a message. Characters. */
const MESSAGE_COLUMNS = 300;
/** More failures have one cause, which the first ones show. */
const FAILURES_TOLD = 50;

/** The lines that name what failed, for the end of the log; none when nothing did. */
export function failureLines(failures) {
  if (failures.length === 0) return [];
  const left = failures.length - FAILURES_TOLD;
  return [
    'Failed:',
    ...failures.slice(0, FAILURES_TOLD).map((said) => `  ✗ ${said.replaceAll('\n', '\n      ')}`),
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ];
}

const below = (root, path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);

/** A name, and the first lines of what was said of it, without colours. */
function failure(names, message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim().slice(0, MESSAGE_COLUMNS))
    .filter((line) => line !== '');
  return [names.join(' › '), ...lines.slice(0, MESSAGE_LINES)].join('\n');
}

/**
 * Packages a lockfile asks for and does not hold. npm sometimes writes such a file when a platform's package is
 * missing in the registry, and `npm ci` dies of it on other machines.
 */
export function lockHoles(lock) {
  const held = new Set(Object.keys(lock.packages));
  return Object.entries(lock.packages).flatMap(([place, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter(
        (name) => !foldersAbove(place).some((folder) => held.has(`${folder}node_modules/${name}`)),
      )
      .map((name) => `${name} (wanted by ${place || 'package.json'})`),
  );
}

/** The folders whose `node_modules` a package sees: its own and all around it, nearest first. */
function foldersAbove(place) {
  const parts = place.split(/\/?node_modules\//).slice(1);
  return parts
    .map(
      (_, at) =>
        `${parts
          .slice(0, parts.length - at)
          .map((part) => `node_modules/${part}`)
          .join('/')}/`,
    )
    .concat('');
}
