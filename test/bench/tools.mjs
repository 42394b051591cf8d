import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';

/** Rows for single tools, run in this process straight from their sources. */
export async function toolRows(tell) {
  const { module } = await runnerImport(inRoot('test', 'bench', 'tools.ts'));
  return module.measureTools(tell);
}
