/**
 * `npm run bench`: how much Lathe adds to what its work costs anyway, as ratios to a floor measured in the same minute.
 * Ends with 0 whatever the figures are: they are for people to judge, on a machine that may be busy.
 */
import { loadavg } from 'node:os';
import { measure } from '../test/bench/measure.mjs';
import { lathe } from '../test/bench/subject.mjs';
import { table } from '../test/bench/table.mjs';
import { toolRows } from '../test/bench/tools.mjs';
import { inRoot } from './lib/system.mjs';
import { setUp } from './setup.mjs';

try {
  const ready = await setUp({ tell: console.error });
  if (ready.kind === 'restarted') process.exit(ready.exitCode);
  const entry = process.argv[2] ?? inRoot('out', 'main', 'cli.js');
  const tell = (name) => console.error(`measured: ${name}`);
  const rows = [...(await measure(lathe(entry), tell)), ...(await toolRows(tell))];
  console.log(`Node ${process.version}, load ${loadavg()[0].toFixed(1)}; medians of several runs`);
  console.log(table(rows));
  console.log(
    'Memory counts all of Lathe: its process and the guard beside it, not the commands they run.',
  );
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
