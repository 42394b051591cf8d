import { homedir } from 'node:os';
import { createShellParser } from './engine/permissions/shell-analysis/parser';
import { createNodeFiles } from './node/files';
import { loadWasm } from './node/runtime';

/** What decisions are made with outside of a session: the parser, the disk, and whose home it is. */
export const createCheckWorld = (env: Readonly<Record<string, string | undefined>>) => ({
  parser: createShellParser(loadWasm),
  files: createNodeFiles(),
  home: env['HOME'] || env['USERPROFILE'] || homedir(),
  caseInsensitive: process.platform === 'darwin' || process.platform === 'win32',
});
