import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './file-fault';

/** The mode of folders that are their owner's alone. */
const PRIVATE = 0o700;

/**
 * Makes a folder and those above it that are missing; throws the system's error. Node's own recursive `mkdir` never returns
 * below a folder that takes no new ones and calls them "not found", such as `/proc/self`.
 */
export async function makeFolder(path: string, mode = PRIVATE): Promise<void> {
  const make = () =>
    mkdir(path, { mode }).catch(async (thrown) => {
      if (!(await stat(path).catch(() => null))?.isDirectory()) throw thrown;
    });
  try {
    await make();
  } catch (thrown) {
    if (!lacksFolderAbove(thrown, path)) throw thrown;
    await makeFolder(dirname(path), mode);
    await make();
  }
}

/** Does what {@link makeFolder} does, while everything waits: for the start of a program. */
export function makeFolderSync(path: string): void {
  const make = () => {
    try {
      mkdirSync(path, { mode: PRIVATE });
    } catch (thrown) {
      if (!isFolder(path)) throw thrown;
    }
  };
  try {
    make();
  } catch (thrown) {
    if (!lacksFolderAbove(thrown, path)) throw thrown;
    makeFolderSync(dirname(path));
    make();
  }
}

/** Tells whether a folder is there; one that may not be looked at is none. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const lacksFolderAbove = (thrown: unknown, path: string): boolean =>
  errorCode(thrown) === 'ENOENT' && dirname(path) !== path;
