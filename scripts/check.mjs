/** `npm run check`: format, lint, types, import rules and quick tests, side by side, in under a minute. */

import { readdirSync } from 'node:fs';
import { inRoot, readText } from './lib/system.mjs';
import { quietStep, staticChecks, toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

/** `npm test` runs these too: they start a browser, or whole builds as processes. */
const isSlow = (path) =>
  path.startsWith('test/hosts/process/') || readText(inRoot(path))?.includes('@playwright/test');

const slowTests = readdirSync(inRoot('test'), { recursive: true })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((path) => /\.test\.tsx?$/.test(path) && isSlow(path));

const ready = await setUp({ tell: console.log, build: false }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);

const vitest = [
  toolPath('vitest', 'vitest'),
  ['run', '--reporter=dot', ...slowTests.flatMap((path) => ['--exclude', path])],
];
const passed = await Promise.all([...staticChecks(), quietStep('quick tests', ...vitest)]);
process.exit(passed.every(Boolean) ? 0 : 1);
