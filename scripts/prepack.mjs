/** Before `npm pack`: builds what the package of npm holds. */

import { setUp } from './setup.mjs';

const ready = await setUp({ tell: console.error }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);
