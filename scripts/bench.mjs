/**
 * `npm run bench`: how much Lathe adds to what its work costs anyway, as ratios to a floor measured in the same minute.
 * With `--page`: what its page costs in a browser, instead; with `--terminals`: what its terminals do; with `--checkpoints`: what keeping files for undo costs;
 * with `--context`: what a long conversation costs; with `--search`: what a search in sessions takes; with `--sessions`: what many sessions cost that are opened in one host.
 * with `--configured`: what many skills, agents and tool servers cost at the start.
 * Ends with 0 whatever the figures are: they are for people to judge, on a machine that may be busy.
 */
import { loadavg } from 'node:os';
import { checkpointRows } from '../test/bench/checkpoints.mjs';
import { measureConfigured } from '../test/bench/configured.mjs';
import { measureContext } from '../test/bench/context.mjs';
import { measure } from '../test/bench/measure.mjs';
import { measurePage } from '../test/bench/page.mjs';
import { searchRows } from '../test/bench/search.mjs';
import { measureSessions } from '../test/bench/sessions.mjs';
import { lathe } from '../test/bench/subject.mjs';
import { table } from '../test/bench/table.mjs';
import { measureTerminals } from '../test/bench/terminals.mjs';
import { toolRows } from '../test/bench/tools.mjs';
import { inRoot } from './lib/system.mjs';
import { setUp } from './setup.mjs';

try {
  const ready = await setUp({ tell: console.error });
  if (ready.kind === 'restarted') process.exit(ready.exitCode);
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const page = process.argv.includes('--page');
  const terminals = process.argv.includes('--terminals');
  const checkpoints = process.argv.includes('--checkpoints');
  const context = process.argv.includes('--context');
  const configured = process.argv.includes('--configured');
  const search = process.argv.includes('--search');
  const sessions = process.argv.includes('--sessions');
  const entry = words[0] ?? inRoot('out', 'main', 'cli.js');
  const tell = (name, figures) =>
    console.error(`measured: ${name}${figures ? `\n${JSON.stringify(figures, null, 1)}` : ''}`);
  const rows = terminals
    ? await measureTerminals(entry, tell)
    : checkpoints
      ? await checkpointRows(tell)
      : context
        ? await measureContext(entry, tell)
        : configured
          ? await measureConfigured(entry, tell)
          : search
            ? await searchRows(tell)
            : sessions
              ? await measureSessions(entry, tell)
              : page
                ? await measurePage(entry, tell)
                : [...(await measure(lathe(entry), tell)), ...(await toolRows(tell))];
  const single = page || terminals || checkpoints || configured || search || sessions;
  const many = single ? 'one run' : 'medians of several runs';
  console.log(`Node ${process.version}, load ${loadavg()[0].toFixed(1)}; ${many}`);
  console.log(table(rows));
  if (!single && !context)
    console.log(
      'Memory counts all of Lathe: its process and the guard beside it, not the commands they run.',
    );
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
