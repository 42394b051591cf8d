import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Locks } from '../../engine/ports';

/** The request of a second start to the first. */
export const InstanceRequest = z.object({
  /** `url`: a fresh link for a browser. `show`: bring the app up. */
  ask: z.enum(['url', 'show']),
  folder: z.string().max(4096).optional(),
});
export type InstanceRequest = z.infer<typeof InstanceRequest>;

/** The answer of the first. `url` is absent when it has windows of its own. */
export const InstanceReply = z.object({
  host: z.enum(['electron', 'web']),
  pid: z.number(),
  url: z.string().optional(),
});
export type InstanceReply = z.infer<typeof InstanceReply>;

/** The right to be the one process that works on this home. */
export interface InstanceLock {
  release(): Promise<void>;
}

/** Time for the other process to answer. Milliseconds. */
const ANSWER_MS = 3_000;
/** The longest line either side reads. Characters. */
const MAX_LINE = 8_192;
/** Unix socket paths must fit `sockaddr_un` (104 bytes on macOS, with the closing zero). */
const MAX_SOCKET_PATH_BYTES = 100;

/** Returns where the instance of a home listens. A long home gets a short name in the temporary folder instead. */
export function instanceAddress(latheHome: string, platform: NodeJS.Platform): string {
  const short = createHash('sha256').update(latheHome).digest('hex').slice(0, 24);
  if (platform === 'win32') return `\\\\.\\pipe\\lathe-${short}`;
  const own = join(latheHome, 'run', 'app.sock');
  return Buffer.byteLength(own) <= MAX_SOCKET_PATH_BYTES
    ? own
    : join(tmpdir(), `lathe-${short}.sock`);
}

/** Time for another start to listen after it took the lock, and between two looks at that. Milliseconds. */
const STARTING_MS = 3_000;
const POLL_MS = 50;

/** Takes the lock of the home, waiting for it until the signal aborts. */
export type TakeLock = (waiting: AbortSignal) => ReturnType<Locks['acquire']>;

/** Returns the lock of a home, which its one instance holds. */
export const instanceLock =
  (locks: Locks, latheHome: string): TakeLock =>
  (waiting) =>
    locks.acquire(join(latheHome, 'run', 'app.lock'), waiting);

/**
 * Makes this process the instance at `address` and answers later starts with `answer`; or returns the reply of
 * the one that is already there to `request`. Whoever holds the lock is the instance.
 */
export async function becomeInstance(
  address: string,
  request: InstanceRequest,
  answer: (request: InstanceRequest) => InstanceReply,
  takeLock: TakeLock,
): Promise<Result<InstanceLock | { readonly other: InstanceReply }>> {
  for (let waited = 0; waited < STARTING_MS; waited += POLL_MS) {
    // First of all, because an instance of an earlier version listens without holding the lock.
    const other = await askInstance(address, request);
    if (other.ok) return ok({ other: other.value });
    if (other.error.code !== 'nobody') return other;
    const lock = await takeLock(AbortSignal.timeout(POLL_MS));
    if (lock.ok) return listenUnder(lock.value, address, answer);
  }
  return err(
    fault('instance', `Another Lathe is starting on this home (${address}).`, 'Try again.'),
  );
}

/** Listens in place of a socket file that a crash may have left; gives the lock back when that fails. */
async function listenUnder(
  release: () => Promise<void>,
  address: string,
  answer: (request: InstanceRequest) => InstanceReply,
): Promise<Result<InstanceLock>> {
  if (!address.startsWith('\\\\')) await rm(address, { force: true });
  const server = await tryListen(address, answer);
  if (server === null) {
    await release();
    return err(fault('instance', `Lathe cannot listen at ${address}.`, 'Check its folder.'));
  }
  return ok({
    release: async () => {
      await closeServer(server);
      await release();
    },
  });
}

function tryListen(
  address: string,
  answer: (request: InstanceRequest) => InstanceReply,
): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer((socket) => serveOne(socket, answer));
    server.maxConnections = 16;
    server.once('error', () => resolve(null));
    server.listen(address, () => {
      server.unref();
      onlyForThisUser(address).then(
        () => resolve(server),
        () => resolve(null),
      );
    });
  });
}

/** Sets the socket's mode to 0600; Windows pipes have none. */
async function onlyForThisUser(address: string): Promise<void> {
  if (!address.startsWith('\\\\')) await chmod(address, 0o600);
}

function serveOne(socket: Socket, answer: (request: InstanceRequest) => InstanceReply): void {
  socket.on('error', () => socket.destroy());
  readLine(socket)
    .then((line) => {
      const request = InstanceRequest.safeParse(parseJson(line));
      if (!request.success) return socket.destroy();
      socket.end(`${JSON.stringify(answer(request.data))}\n`);
    })
    .catch(() => socket.destroy());
}

/** Tells whether an instance listens at an address. It hears nothing of that. */
export async function isInstanceAt(address: string): Promise<boolean> {
  const socket = await connect(address);
  socket?.destroy();
  return socket !== null;
}

/** Asks the instance at an address. The fault `nobody` means: no process listens there. */
export async function askInstance(
  address: string,
  request: InstanceRequest,
): Promise<Result<InstanceReply>> {
  const socket = await connect(address);
  if (socket === null) return err(fault('nobody', 'No other Lathe works on this home.'));
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const reply = InstanceReply.safeParse(parseJson(await readLine(socket)));
    return reply.success ? ok(reply.data) : err(silent());
  } catch {
    return err(silent());
  } finally {
    socket.destroy();
  }
}

const silent = () =>
  fault(
    'instance_silent',
    'Another Lathe holds this home but does not answer.',
    'End it, or set LATHE_HOME to another folder.',
  );

function connect(address: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => reject(new Error('No answer in time')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('Closed before a whole line')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_LINE) reject(new Error('Line too long'));
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
