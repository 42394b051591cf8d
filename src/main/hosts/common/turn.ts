import { createHash } from 'node:crypto';
import { constants, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How long others may take in all, and how often we look. Milliseconds. */
const PATIENCE_MS = 3_000;
const POLL_MS = 20;

/** `O_EXLOCK` of macOS's <fcntl.h>: the file is locked as long as it is open. Node has no name for it. */
const O_EXLOCK = 0x20;

/** Gives the turn back. */
export type EndTurn = () => Promise<void>;

/**
 * Waits until no other process has its turn at `name`, and takes it; the end of the process ends it too. Null when
 * it does not come in time. Windows needs none: what two starts could fight for vanishes with its process there.
 */
export async function takeTurn(name: string, platform = process.platform): Promise<EndTurn | null> {
  if (platform === 'win32') return async () => {};
  const take = platform === 'darwin' ? lockFile : bindName;
  for (let waited = 0; waited <= PATIENCE_MS; waited += POLL_MS) {
    const end = await take(name);
    if (end !== null) return end;
    await delay(POLL_MS);
  }
  return null;
}

/** Linux: a socket name without a file, which the kernel frees with its process. */
function bindName(name: string): Promise<EndTurn | null> {
  const short = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(null));
    server.listen(`\0lathe-turn-${short}`, () =>
      resolve(() => new Promise((done) => server.close(() => done()))),
    );
  });
}

async function lockFile(name: string): Promise<EndTurn | null> {
  const flags = constants.O_CREAT | constants.O_RDWR | constants.O_NONBLOCK | O_EXLOCK;
  try {
    const file = await open(`${name}.turn`, flags, 0o600);
    return () => file.close();
  } catch {
    return null;
  }
}
