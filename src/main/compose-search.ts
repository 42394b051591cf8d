import { join } from 'node:path';
import { createSearchThread, type SessionSearches } from './search/search-thread';

/** Creates searches over the sessions of a home folder. `script` is the built `search-worker`. */
export const createSearches = (latheHome: string, script: string): SessionSearches =>
  createSearchThread(script, {
    projects: join(latheHome, 'projects'),
    index: join(latheHome, 'search', 'sessions.db'),
  });
