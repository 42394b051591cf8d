import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './system.mjs';

/** What the build is made from. */
const BUILD_INPUTS = ['src', 'electron.vite.config.ts', 'package-lock.json'];

/** Returns when the newest source changed, epoch milliseconds. Folders count, so that a removed file is noticed. */
export const newestSource = () => Math.max(...BUILD_INPUTS.map((input) => newestIn(inRoot(input))));

function newestIn(path) {
  const { mtimeMs } = statSync(path);
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    return mtimeMs;
  }
  return Math.max(
    mtimeMs,
    ...entries.map((entry) =>
      entry.isDirectory()
        ? newestIn(join(path, entry.name))
        : statSync(join(path, entry.name)).mtimeMs,
    ),
  );
}

/** A fingerprint of the lockfile. */
export const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
