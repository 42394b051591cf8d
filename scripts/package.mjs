/** `npm run package`: builds Lathe and packs it for this system. Further words go to electron-builder. */

import { run } from './lib/system.mjs';
import { toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

const ready = await setUp({ tell: console.log }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
if (ready.kind === 'restarted') process.exit(ready.exitCode);
const builder = toolPath('electron-builder', 'electron-builder');
const code = await run(
  process.execPath,
  [builder, '--publish', 'never', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
process.exit(code ?? 1);
