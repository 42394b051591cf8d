import { chmodSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { isRunning } from '../process/process-table';
import type { HostPlace } from '../run-folder';

/** Time for a socket to answer before it counts as dead. Milliseconds. */
const ANSWER_MS = 2_000;

/** Listens at a host's place; null when another host answers there. A dead host's socket is removed. */
export async function listenAt(
  place: HostPlace,
  onSocket: (socket: Socket) => void,
): Promise<Server | null> {
  const first = await tryListen(place.socket, onSocket);
  if (first !== null) return first;
  if (await isAnswered(place.socket)) return null;
  await rm(place.socket, { force: true });
  return tryListen(place.socket, onSocket);
}

/** Listens at a socket; null when the address is in use. */
function tryListen(socket: string, onSocket: (socket: Socket) => void): Promise<Server | null> {
  const server = createServer(onSocket);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(socket, () => {
      if (process.platform !== 'win32') chmodSync(socket, 0o600);
      resolve(server);
    });
  });
}

/** Tells whether somebody listens at a socket. */
function isAnswered(path: string): Promise<boolean> {
  const socket = createConnection(path);
  const answer = new Promise<boolean>((resolve) => {
    socket.setTimeout(ANSWER_MS, () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return answer.finally(() => socket.destroy());
}

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

/** Tells whether a socket is in the run folder, or in a folder made for long paths (see `hostPlace`). */
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
