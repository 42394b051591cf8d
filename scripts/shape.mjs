/** `npm run shape [-- <folder>]`: prints sizes and imports of the source, of this repository or another clone. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { inRoot } from './lib/system.mjs';
import { toolPath } from './lib/tools.mjs';
import { setUp } from './setup.mjs';

const ready = await setUp({ tell: console.error, build: false });
if (ready.kind === 'restarted') process.exit(ready.exitCode);

const folder = resolve(process.argv[2] ?? inRoot());
const { runnerImport } = await import('vite');
const { module } = await runnerImport(inRoot('test', 'arch', 'shape.ts'), { configFile: false });
const shape = module.measureRepository(folder);

const rows = [
  ['files under src', shape.files],
  ['lines', shape.lines],
  ['lines of a file: median', shape.medianLines],
  ['lines of a file: 90 % have at most', shape.p90Lines],
  ['lines of the longest file', shape.maxLines],
  ['files over the cap', shape.overCap.length],
  ['files that one neighbour alone imports', shape.oneNeighbour.length],
  ['  of these shorter than 60 lines', shape.crumbs.length],
  ['import cycles', shape.cycles.length],
  ...(folder === inRoot() ? [['unused exports, with tests and scripts', unusedExports()]] : []),
];
for (const [what, figure] of rows) console.log(`${String(figure).padStart(7)}  ${what}`);
for (const path of shape.overCap) console.log(`over the cap: ${path}`);
for (const cycle of shape.cycles) console.log(`cycle: ${cycle.join(' → ')}`);

function unusedExports() {
  const words = ['--no-progress', '--no-exit-code', '--reporter=json', '--include=exports,types'];
  const { stdout } = spawnSync(process.execPath, [toolPath('knip', 'knip'), ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(stdout).issues.flatMap((file) => [...file.exports, ...file.types]).length;
}
