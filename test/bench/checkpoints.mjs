import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';

/** Rows for checkpoints, run in this process straight from their sources. */
export async function checkpointRows(tell) {
  const { module } = await runnerImport(inRoot('test', 'bench', 'checkpoints.ts'));
  return module.measureCheckpoints(tell);
}
