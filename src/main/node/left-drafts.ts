import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingsProblem } from '../../shared/settings';
import type { Clock } from '../engine/ports';
import { errorCode } from './file-fault';

/** The file that a new content is written to before it takes a file's place, and the process that writes it. */
const DRAFT = /^\.lathe-(\d+)-[0-9a-f]{18}\.tmp$/;

/**
 * The age from which on a draft is nobody's. Its writer may be alive where we cannot see it: on another machine or in a
 * container with the same folder. A draft is written in seconds; the rest is for clocks that differ. Milliseconds.
 */
const LEFT_AFTER_MS = 600_000;

/** Returns a name for such a file that no other has. */
export const draftName = (): string =>
  `.lathe-${process.pid}-${randomBytes(9).toString('hex')}.tmp`;

/**
 * Removes from folders what writers left that were ended before the rename. Returns what to tell of it. Never fails: what
 * cannot be removed harms nothing.
 */
export async function removeLeftDrafts(
  folders: readonly string[],
  clock: Pick<Clock, 'date'>,
): Promise<readonly SettingsProblem[]> {
  const told: SettingsProblem[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    const left = names.filter((name) => {
      const [, writer] = DRAFT.exec(name) ?? [];
      return writer !== undefined && !isAlive(Number(writer));
    });
    const removed = await Promise.all(
      left.map((name) => removeOld(join(folder, name), clock.date() - LEFT_AFTER_MS)),
    );
    if (!removed.includes(true)) continue;
    const message = `${folder}: Lathe was ended while it wrote a file here. What it had written of it is removed; it never took a file's place.`;
    told.push({ file: folder, message, level: 'warning' });
  }
  return told;
}

/** Removes a file that was last written before a time. Tells whether it did. */
async function removeOld(path: string, before: number): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.mtimeMs >= before) return false;
    await rm(path);
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // One of somebody else's is alive too.
    return errorCode(thrown) !== 'ESRCH';
  }
}
