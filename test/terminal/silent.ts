import { tmpdir } from 'node:os';
import type { TestContext } from 'vitest';
import { createHostClient, type HostClient } from '../../src/main/terminal/client/host-client';
import { createLeftovers } from '../../src/main/terminal/process/leftovers';
import { systemProcesses } from '../../src/main/terminal/process/system-processes';
import { PROTOCOL } from '../../src/main/terminal/protocol/control';
import { hostPlace } from '../../src/main/terminal/run-folder';
import { buildOtherHost } from '../support/build-entry';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { isAlive } from './support';

/** The version before the update, whose host speaks a protocol of another number. */
const OLDER = { protocol: PROTOCOL - 1, version: '1.1.0' };
/** No test may wait for an answer that long: who does, waits until the test is ended. Milliseconds. */
export const NEVER_MS = 600_000;
/** Looks that would outlast a test, were each to wait for a silent host. */
export const LOOKS = 100;

/** The terminals of one test, whose hosts it can silence. */
export interface Silence {
  readonly terminals: TestTerminals;
  /** Stops a host in the middle of whatever it does; the end of the test wakes it. */
  stop(pid: number): void;
  wake(pid: number): void;
  /** A client of the version before the update, which starts a host of its own. */
  older(): Promise<HostClient>;
  /** A client of our version that starts no host. */
  ours(greetingMs?: number): HostClient;
}

/** Starts terminals that end with the test. Tests that run at the same time have their own. */
export async function startSilence(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  limits: Parameters<typeof startTestTerminals>[0] = {},
): Promise<Silence> {
  const terminals = await startTestTerminals(limits);
  const stopped = new Set<number>();
  const wake = (pid: number) => {
    stopped.delete(pid);
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  };
  onTestFinished(async () => {
    for (const pid of stopped) wake(pid);
    const left = terminals.connect({ greetingMs: NEVER_MS });
    await left.list();
    await terminals.stop();
  });
  const clientOf = (protocol: number, version: string, greetingMs: number, host?: string) =>
    createHostClient({
      place: hostPlace(terminals.runFolder, process.platform, tmpdir(), protocol),
      launch: host === undefined ? null : { execPath: process.execPath, args: [host], version },
      version,
      greetingMs,
      leftovers: createLeftovers(terminals.runFolder, systemProcesses()),
    });
  return {
    terminals,
    stop(pid) {
      stopped.add(pid);
      process.kill(pid, 'SIGSTOP');
    },
    wake,
    older: async () =>
      clientOf(OLDER.protocol, OLDER.version, NEVER_MS, await buildOtherHost(OLDER.protocol)),
    ours: (greetingMs = NEVER_MS) => clientOf(PROTOCOL, terminals.version, greetingMs),
  };
}
