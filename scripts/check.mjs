/** `npm run check`: format, lint, types, unused code, import rules and unit tests, side by side, in a minute or two. */

import { quietStep, staticChecks, toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

const ready = await setUp({ tell: console.log, build: false }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);

// Random cases: a fifth of what `npm test` tries.
process.env.LATHE_QUICK = '1';
// Tests of real processes and browsers run in `npm test` only.
const units = ['run', '--project', 'unit', '--reporter=dot'];
const checks = await Promise.all([
  ...staticChecks(),
  quietStep('unit tests', toolPath('vitest', 'vitest'), units),
]);
process.exit(checks.every(({ passed }) => passed) ? 0 : 1);
