import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';

/** Rows for searches in sessions, run in this process straight from their sources. */
export async function searchRows(tell) {
  const { module } = await runnerImport(inRoot('test', 'bench', 'search.ts'));
  return module.measureSearches(tell);
}
