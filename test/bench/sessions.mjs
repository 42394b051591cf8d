import { join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';
import { makeHome, startHost } from './page-app.mjs';
import { row } from './table.mjs';

const MEGABYTE = 1_000_000;

/** Rows for one host in which many sessions are opened one after the other, straight over its socket. */
export async function measureSessions(entry, tell) {
  const { module } = await runnerImport(inRoot('test', 'bench', 'sessions.ts'));
  const place = makeHome();
  const ids = module.writeSessions(join(place.home, '.lathe'), place.project);
  const host = await startHost(entry, place, 'http://127.0.0.1:9');
  try {
    const opened = await module.openAll(host, place.project, ids);
    const { growth, peak, work, held } = opened;
    tell('sessions', opened);
    return [
      row('128 sessions of 2 MB opened in turn: sessions in memory', '', held, 9),
      row('memory in the last quarter less that in the second', 'MB', growth / MEGABYTE, 20),
      row('peak memory of the host', 'MB', peak / MEGABYTE, 300),
      row('most work of the host for one', 'ms', work, 250),
    ];
  } finally {
    await host.stop();
    place.remove();
  }
}
