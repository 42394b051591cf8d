import { join, resolve } from 'node:path';
import type { Result } from '../shared/result';
import { err, fault, ok } from '../shared/result';
import type { OtherLogName } from '../shared/session-search';
import type { Preferences } from '../shared/settings';
import { personalFolders } from './compose-environment';
import type { OtherLog } from './engine/sessions/copy-other-log';
import { exportSession } from './engine/sessions/export';
import { findSession, listSessions } from './engine/sessions/list';
import { fileOf, GONE, type OtherFolder, readOtherPage } from './engine/sessions/other-log-page';
import { restoreSession, setArchived, trashSession } from './engine/sessions/trash';
import type { KeepAct } from './hosts/common/command-line/command';
import { createNodeFiles } from './node/files';
import { createNodeLocks } from './node/locks';
import { createNodeClock, createNodeIds } from './node/system';
import { createSearchThread, type LogSearches } from './search/search-thread';

/**
 * Creates searches over the sessions of a home folder, and over the logs of other agents that the environment leads to, as
 * long as the preferences say so. `script` is the built `search-worker`.
 */
export function createSearches(
  latheHome: string,
  script: string,
  env: NodeJS.ProcessEnv,
  state: () => { readonly preferences: Pick<Preferences, 'searchesOthers'> },
): LogSearches {
  const others = otherFolders(env);
  const isWanted = () => state().preferences.searchesOthers !== false;
  const files = createNodeFiles();
  const services = { files, clock: createNodeClock(), ids: createNodeIds(), latheHome };
  const otherLog = (name: OtherLogName): Result<OtherLog> => {
    const file = fileOf(isWanted() ? others : [], name);
    return file === null ? err(GONE) : ok({ origin: name.origin, file });
  };
  const places = {
    projects: join(latheHome, 'projects'),
    others,
    index: join(latheHome, 'search', 'sessions.db'),
  };
  return {
    ...createSearchThread(script, places, () => !isWanted()),
    others: {
      page: (request) => readOtherPage(files, isWanted() ? others : [], request),
      contents: async (name) => {
        const log = otherLog(name);
        if (!log.ok) return log;
        const { contentsOfOther } = await copying();
        return contentsOfOther(files, log.value);
      },
      copy: async ({ itemId, project, ...name }) => {
        const log = otherLog(name);
        if (!log.ok) return log;
        const until = itemId === null ? null : Number.parseInt(itemId, 10);
        const { copyOtherLog } = await copying();
        return copyOtherLog(services, log.value, { until, project });
      },
    },
  };
}

/** Loads what is seldom needed. */
const copying = () => import('./engine/sessions/copy-other-log');

/** Returns the folders in which other agents keep their logs; none when a user switched that off. */
function otherFolders(env: NodeJS.ProcessEnv): readonly OtherFolder[] {
  if (/^(?:0|false|no|off)$/i.test(env['LATHE_SEARCH_OTHER_AGENTS'] ?? '')) return [];
  const { home, configDir } = personalFolders(env);
  const codex = env['CODEX_HOME'] || join(home, '.codex');
  return [
    { origin: 'claude', folder: resolve(configDir, 'projects') },
    { origin: 'codex', folder: resolve(codex, 'sessions') },
  ];
}

/** Creates what writes out sessions of a home folder. */
export const createExporter =
  (latheHome: string) => (request: Parameters<typeof exportSession>[2], signal: AbortSignal) =>
    exportSession(createNodeFiles(), latheHome, request, signal);

/** Creates what lists the sessions of one folder in a home folder, newest first. */
export const createSessionList = (latheHome: string) => (folder: string) =>
  listSessions(createNodeFiles(), latheHome, folder);

/**
 * Creates what archives, deletes and restores sessions of a home folder, also damaged ones of the folder it is called in. Says
 * what was done.
 */
export const createSessionKeeper =
  (latheHome: string) =>
  async (act: KeepAct, sessionId: string, folder: string): Promise<Result<string>> => {
    const files = createNodeFiles();
    const services = { files, latheHome, locks: createNodeLocks(), clock: createNodeClock() };
    if (act === 'restore') {
      const restored = await restoreSession(services, sessionId);
      return restored.ok ? ok(`Session ${sessionId} is back.`) : restored;
    }
    const found = await findSession(files, latheHome, sessionId, [folder]);
    if (found === null) return err(fault('no_session', `There is no session ${sessionId}.`));
    const done =
      act === 'delete'
        ? await trashSession(services, found)
        : await setArchived(files, found, act === 'archive');
    return done.ok ? ok(`${SAID[act]} “${found.title}”.`) : done;
  };

const SAID = {
  archive: 'Archived',
  unarchive: 'Took out of the archive',
  delete: 'Deleted, to be had back for 30 days with lathe sessions restore,',
} as const;
