import { join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';
import { textAnswer } from './api-server.mjs';
import { makeHome, startHost } from './page-app.mjs';
import { run } from './subject.mjs';
import { median, row } from './table.mjs';

const MEGABYTE = 1_000_000;

/** How often the long session is resumed. */
const RESUMES = 3;

/** Rows for many sessions in one host, and for a long one. */
export const measureSessions = async (entry, tell) => [
  ...(await manyRows(entry, tell)),
  ...(await longRows(entry, tell)),
];

/** Rows for one host in which many sessions are opened one after the other, straight over its socket. */
async function manyRows(entry, tell) {
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

/** Rows for a session of half a million lines that goes on with one more prompt. */
async function longRows(entry, tell) {
  const { module } = await runnerImport(inRoot('test', 'bench', 'long-session.ts'));
  const place = makeHome();
  try {
    const latheHome = join(place.home, '.lathe');
    const id = module.writeLongSession(latheHome, place.project);
    const resumed = { name: 'lathe', words: [entry, '-p', 'go on', '--resume', id] };
    const runs = [];
    for (let n = 0; n < RESUMES; n += 1)
      runs.push(
        await run(resumed, [textAnswer('Done.')], {
          project: place.project,
          env: { LATHE_HOME: latheHome },
        }),
      );
    const coldMs = median(runs.map((one) => one.coldMs));
    const cpuMs = median(runs.map((one) => one.cpuMs));
    const peak = median(runs.map(({ memory }) => memory.shared));
    tell('a long session', { coldMs, cpuMs, peak });
    return [
      row('500 000 lines resumed: start to the first request', 'ms', coldMs, 3_000),
      row('peak memory of it', 'MB', peak / MEGABYTE, 450),
    ];
  } finally {
    place.remove();
  }
}
