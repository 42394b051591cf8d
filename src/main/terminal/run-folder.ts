import { createHash, randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { err, fault, ok, type Result } from '../../shared/result';
import { PROTOCOL } from './protocol/control';

/** The files of a terminal host. */
export interface HostPlace {
  readonly runFolder: string;
  /** The number that its host expects to be greeted with. */
  readonly protocol: number;
  /** `terminal-host-v<protocol>`. */
  readonly name: string;
  /** Unix socket or Windows pipe. */
  readonly socket: string;
  /** JSON {@link HostRecord}, 0600: how a client finds the socket and proves who it is. */
  readonly record: string;
  /** The faults of the host, if any; overwritten at each start. */
  readonly log: string;
}

/** The facts a running host publishes about itself. */
export interface HostRecord {
  readonly pid: number;
  readonly socket: string;
  readonly token: string;
}

/** Unix socket paths end at 104 bytes on macOS and 108 on Linux, the closing zero included. */
const MAX_SOCKET_PATH_BYTES = 100;

/**
 * Returns the place of the host of a run folder (`$LATHE_HOME/run`). A path too long for a socket puts the socket
 * into a short private folder under `tmp`.
 */
export function hostPlace(
  runFolder: string,
  platform: NodeJS.Platform = process.platform,
  tmp: string = tmpdir(),
  protocol: number = PROTOCOL,
): HostPlace {
  const name = `terminal-host-v${protocol}`;
  const inFolder = join(runFolder, `${name}.sock`);
  const hash = createHash('sha256').update(inFolder).digest('hex').slice(0, 16);
  const socket =
    platform === 'win32'
      ? `\\\\.\\pipe\\lathe-${hash}`
      : Buffer.byteLength(inFolder) <= MAX_SOCKET_PATH_BYTES
        ? inFolder
        : join(tmp, `lathe-${hash}`, 's');
  return {
    ...{ runFolder, protocol, name, socket },
    record: join(runFolder, `${name}.json`),
    log: join(runFolder, `${name}.log`),
  };
}

/** Makes the run folder, and the socket's own folder when that is elsewhere; both readable by us alone. */
export async function preparePlace(place: HostPlace): Promise<Result<null>> {
  const made = await makePrivateFolder(place.runFolder);
  const socketFolder = dirname(place.socket);
  if (!made.ok || place.socket.startsWith('\\\\') || socketFolder === place.runFolder) return made;
  return makePrivateFolder(socketFolder);
}

/** Makes a folder that only we can read, or makes sure that an existing one is. */
export async function makePrivateFolder(path: string): Promise<Result<null>> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const found = await lstat(path);
    if (!found.isDirectory() || !isOurs(found.uid))
      return err(fault('run_folder', `${path} is not a folder of yours.`, 'Remove it.'));
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) await chmod(path, 0o700);
    return ok(null);
  } catch (error) {
    return err(
      fault(
        'run_folder',
        `The folder ${path} cannot be prepared: ${messageOf(error)}`,
        'Check that your home folder is writable, or set LATHE_HOME.',
      ),
    );
  }
}

const isOurs = (uid: number): boolean =>
  process.platform === 'win32' || uid === (process.getuid?.() ?? userInfo().uid);

/** Returns what the host at a place published; null when there is none or it is unreadable. */
export async function readHostRecord(place: Pick<HostPlace, 'record'>): Promise<HostRecord | null> {
  try {
    const value: unknown = JSON.parse(await readFile(place.record, 'utf8'));
    if (typeof value !== 'object' || value === null) return null;
    const { pid, socket, token } = value as Record<string, unknown>;
    return typeof pid === 'number' && typeof socket === 'string' && typeof token === 'string'
      ? { pid, socket, token }
      : null;
  } catch {
    return null;
  }
}

/** Returns the places of hosts of other protocols, as older and newer versions of Lathe start them; some may be dead. */
export async function placesOfOthers(runFolder: string): Promise<readonly HostPlace[]> {
  const names = await readdir(runFolder).catch(() => []);
  return names.flatMap((name) => {
    const protocol = Number(RECORD.exec(name)?.[1] ?? PROTOCOL);
    return protocol === PROTOCOL
      ? []
      : [hostPlace(runFolder, process.platform, tmpdir(), protocol)];
  });
}

const RECORD = /^terminal-host-v(\d+)\.json$/;

/** Publishes a host's record. */
export const writeHostRecord = (place: HostPlace, record: HostRecord): void =>
  replaceRunFile(place.record, JSON.stringify(record));

/** Writes a file of the run folder in one step, for its owner only: readers see the old or the new text. */
export function replaceRunFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/** Takes back what a host published, unless another has taken its place since. */
export async function removeHostRecord(place: HostPlace, pid: number): Promise<void> {
  const record = await readHostRecord(place);
  if (record === null || record.pid !== pid) return;
  await rm(place.record, { force: true });
  if (!place.socket.startsWith('\\\\')) await rm(place.socket, { force: true });
}

/** Returns the text of a thrown value. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
