import { join } from 'node:path';
import { exportSession } from './engine/sessions/export';
import { listSessions } from './engine/sessions/list';
import { createNodeFiles } from './node/files';
import { createSearchThread, type SessionSearches } from './search/search-thread';

/** Creates searches over the sessions of a home folder. `script` is the built `search-worker`. */
export const createSearches = (latheHome: string, script: string): SessionSearches =>
  createSearchThread(script, {
    projects: join(latheHome, 'projects'),
    index: join(latheHome, 'search', 'sessions.db'),
  });

/** Creates what writes out sessions of a home folder. */
export const createExporter =
  (latheHome: string) => (request: Parameters<typeof exportSession>[2], signal: AbortSignal) =>
    exportSession(createNodeFiles(), latheHome, request, signal);

/** Creates what lists the sessions of one folder in a home folder, newest first. */
export const createSessionList = (latheHome: string) => (folder: string) =>
  listSessions(createNodeFiles(), latheHome, folder);
