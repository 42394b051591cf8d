import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const RECORD = /^terminal-host-v\d+(-[\w-]+)?\.json$/;

/** Removes what crashed hosts published in a run folder: their records, sockets and logs. Never fails. */
export async function sweepDeadHosts(runFolder: string): Promise<void> {
  const names = await readdir(runFolder).catch(() => []);
  for (const name of names.filter((file) => RECORD.test(file))) {
    const record = join(runFolder, name);
    const { pid, socket } = await readRecord(record);
    if (typeof pid !== 'number' || isRunning(pid)) continue;
    await rm(record, { force: true });
    await rm(record.replace(/json$/, 'log'), { force: true });
    if (typeof socket === 'string' && isOurSocket(socket, runFolder))
      await rm(socket, { force: true });
  }
}

/** In the run folder, or in a folder made for long paths (see `hostPlace`). */
const isOurSocket = (socket: string, runFolder: string): boolean =>
  dirname(socket) === runFolder || /[\\/]lathe-[0-9a-f]{16}[\\/]s$/.test(socket);

async function readRecord(path: string): Promise<{ pid?: unknown; socket?: unknown }> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
