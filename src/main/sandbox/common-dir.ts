import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxViolation } from '../engine/ports-sandbox';

/**
 * `.git/commondir` sends git to another folder for its configuration and hooks (gitrepository-layout(5)), so whoever makes one
 * makes git run programs, outside too. It has no place in a repository of its own, but an absent file cannot be kept absent
 * without confusing git. Gives what takes away the ones that were made meanwhile, and tells of them.
 */
export function watchCommonDirs(writable: readonly string[]): () => readonly SandboxViolation[] {
  const absent = writable
    .map((folder) => join(folder, '.git', 'commondir'))
    .filter((path) => !existsSync(path));
  return () =>
    absent.filter(existsSync).map((target) => {
      rmSync(target, { recursive: true, force: true });
      return { kind: 'write', target, reason: 'git would run what it leads to; it was taken away' };
    });
}
