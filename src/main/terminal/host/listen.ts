import { chmodSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { HostPlace } from '../run-folder';

/** How long a socket may take to answer before it counts as dead. Milliseconds. */
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

/** Null when the address is in use. */
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

/** Whether somebody listens at a socket. */
export function isAnswered(path: string): Promise<boolean> {
  const socket = createConnection(path);
  const answer = new Promise<boolean>((resolve) => {
    socket.setTimeout(ANSWER_MS, () => resolve(false));
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  return answer.finally(() => socket.destroy());
}
