/**
 * `npm test`: sets everything up, checks, runs every test, and ends with what failed and a line `N passed, N failed`.
 */
import { mkdirSync, rmSync } from 'node:fs';
import {
  checkFailures,
  countPlaywright,
  countVitest,
  failureLines,
  playwrightFailures,
  summary,
  vitestFailures,
} from './lib/decisions.mjs';
import { inRoot, readJson, root, run } from './lib/system.mjs';
import { installBrowser, installFromDebian } from './lib/test-programs.mjs';
import { quietStep, staticChecks, toolPath } from './lib/tools.mjs';
import { ensureBuilt, setUp } from './setup.mjs';

const results = inRoot('test-results');
const report = (name) => inRoot('test-results', `${name}.json`);

function giveUp(error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

try {
  const ready = await setUp({ tell: console.log, build: false, meanwhile: installFromDebian });
  if (ready.kind === 'restarted') process.exit(ready.exitCode);
  await installBrowser(console.log);
} catch (error) {
  giveUp(error);
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
// The checks look at the sources alone, and a build keeps only one processor busy.
const building = ensureBuilt(console.log).then(
  () => null,
  (error) => error,
);
const checks = await Promise.all(staticChecks());
const notBuilt = await building;
if (notBuilt !== null) giveUp(notBuilt);
const outcomes = checks.map(({ passed }) => ({ passed: +passed, failed: +!passed, skipped: 0 }));

const show = { stdio: ['ignore', 'inherit', 'inherit'] };
const vitest = toolPath('vitest', 'vitest');
const vitestWords = (name, projects) => [
  ...['run', ...projects.map((project) => `--project=${project}`)],
  ...['--reporter=default', '--reporter=json', `--outputFile.json=${report(name)}`],
];
await run(process.execPath, [vitest, ...vitestWords('processes', ['process', 'double'])], show);
// Tests in a browser wait a part of the time, and units never do: beside each other they leave no processor idle.
const unitTests = quietStep('unit tests', vitest, vitestWords('units', ['unit']));
await run(
  process.execPath,
  [
    toolPath('@playwright/test', 'playwright'),
    ...['test', '--project=web', '--project=double', '--reporter=list,json'],
  ],
  { ...show, env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report('playwright') } },
);
await unitTests;
const vitestReports = ['processes', 'units'].map((name) => readJson(report(name)));
const browser = readJson(report('playwright'));
outcomes.push(...vitestReports.map(countVitest), countPlaywright(browser));

const { failed, skipped, line } = summary(outcomes);
// Last, because often only the end of a log is kept.
const failures = [
  ...checkFailures(checks),
  ...vitestReports.flatMap((one) => vitestFailures(one, root)),
  ...playwrightFailures(browser),
];
for (const said of failureLines(failures)) console.log(said);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(line);
process.exit(failed === 0 ? 0 : 1);
