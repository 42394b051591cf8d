import { pathToFileURL } from 'node:url';
import { setUp } from '../setup.mjs';
import { inRoot } from './system.mjs';

/** Sets up, telling about it on standard error, and hands over to the built command line in this process. */
export async function launch(prepare = async () => {}) {
  try {
    const tell = (line) => process.stderr.write(`${line}\n`);
    const result = await setUp({ tell });
    if (result.kind === 'restarted') process.exit(result.exitCode);
    await prepare(tell);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  await import(pathToFileURL(inRoot('out', 'main', 'cli.js')).href);
}
