import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Returns the program of a server of the protocol's authors. */
export const npmServer = (name: 'everything' | 'filesystem' | 'memory'): string =>
  join(
    dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)),
    'dist/index.js',
  );

/** Finds a port below those that the system gives to connections: it stays free until a server of ours takes it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Starts the reference server of the protocol on a port, and waits until it listens. */
export async function startEverything(
  kind: 'streamableHttp' | 'sse',
  port: number,
): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [npmServer('everything'), kind], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (/on port/.test(said)) resolve();
    });
    child.once('exit', () => reject(new Error(said)));
  });
  return child;
}

/** Ends a process, and waits until it is gone. */
export async function endChild(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await gone;
}
