import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingsProblem } from '../../shared/settings';
import { errorCode } from './file-fault';

/** The file that a new content is written to before it takes a file's place, and the process that writes it. */
const DRAFT = /^\.lathe-(\d+)-[0-9a-f]{18}\.tmp$/;

/** Returns a name for such a file that no other has. */
export const draftName = (): string =>
  `.lathe-${process.pid}-${randomBytes(9).toString('hex')}.tmp`;

/**
 * Removes from folders what writers left that were ended before the rename. Returns what to tell of it. Never fails: what
 * cannot be removed harms nothing.
 */
export async function removeLeftDrafts(
  folders: readonly string[],
): Promise<readonly SettingsProblem[]> {
  const told: SettingsProblem[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    const left = names.filter((name) => {
      const [, writer] = DRAFT.exec(name) ?? [];
      return writer !== undefined && !isAlive(Number(writer));
    });
    if (left.length === 0) continue;
    await Promise.all(left.map((name) => rm(join(folder, name)).catch(() => {})));
    const message = `${folder}: Lathe was ended while it wrote a file here. What was half written is removed; the file holds what it held before.`;
    told.push({ file: folder, message, level: 'warning' });
  }
  return told;
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
