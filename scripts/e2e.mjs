/**
 * `npm run e2e`: the tests in a real browser. With `--electron`: those of the desktop app, in its own window. With
 * `--screenshots`: the pictures in docs/ instead.
 */

import { run } from './lib/system.mjs';
import { installTestPrograms } from './lib/test-programs.mjs';
import { toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

const ready = await setUp({ tell: console.log }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);
await installTestPrograms(console.log);

const words = process.argv.slice(2);
const project = ['screenshots', 'electron'].find((name) => words.includes(`--${name}`)) ?? 'web';
const rest = words.filter((word) => word !== `--${project}`);
const code = await run(
  process.execPath,
  [toolPath('@playwright/test', 'playwright'), 'test', `--project=${project}`, ...rest],
  { stdio: 'inherit' },
);
process.exit(code ?? 1);
