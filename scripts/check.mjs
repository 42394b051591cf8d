/** `npm run check`: format, lint, types, import rules and quick tests, side by side, in under a minute. */

import { quietStep, staticChecks, toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

/** Tests that start browsers, servers of their own or whole builds; `npm test` has them. */
const SLOW = ['test/electron-double/**', 'test/hosts/process/**'];

const ready = await setUp({ tell: console.log, build: false }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);

const vitest = [
  toolPath('vitest', 'vitest'),
  ['run', '--reporter=dot', ...SLOW.flatMap((glob) => ['--exclude', glob])],
];
const passed = await Promise.all([...staticChecks(), quietStep('quick tests', ...vitest)]);
process.exit(passed.every(Boolean) ? 0 : 1);
