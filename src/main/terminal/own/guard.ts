import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { withoutSecrets } from '../child-env';
import { leaveEnd } from '../host/output-file';
import { type LedgerEntry, ledgerPath, parseLedger } from '../process/ledger';
import { createLeftovers } from '../process/leftovers';
import {
  HOST_TAG,
  type ProcessIdentity,
  type ProcessTable,
  TERMINAL_TAG,
} from '../process/process-table';
import { systemProcesses } from '../process/system-processes';

/** The command that starts `terminal-host.js`: a Node program and what comes before its options. */
export interface GuardLaunch {
  readonly execPath: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that watches over this one. */
export interface Guard {
  /** Ends the guard because nothing is left to guard. Resolves when its process is gone. */
  dismiss(): Promise<void>;
}

/** The word that dismisses the guard. A pipe that closes without it means that we were killed. */
const ALL_WELL = 'done';

/** A shell needs a fiftieth of Node's memory to wait; it turns into Node when there is something to do. */
const WAITING = `read -r word; [ "$word" = ${ALL_WELL} ] || exec "$@"`;

/**
 * Starts a process that outlives ours and then ends what a host of terminals (`hostId`) left running. It gets no keys and holds
 * nothing of ours but the pipe whose end it waits for.
 */
export function startGuard(
  launch: GuardLaunch,
  runFolder: string,
  hostId: string,
  failed: (error: unknown) => void,
): Guard {
  const [program = '', ...args] = guardCommand(launch, runFolder, hostId);
  const env: Record<string, string> = { ...withoutSecrets(process.env), ...launch.env };
  // Inside a terminal of Lathe's own: the guard is no part of what ends with it.
  delete env[TERMINAL_TAG];
  delete env[HOST_TAG];
  const child = spawn(program, args, {
    cwd: runFolder,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  child.once('error', failed);
  child.stdin?.on('error', () => undefined);
  child.unref();
  return { dismiss: () => dismiss(child) };
}

/** Gives the command line that waits for our end, and then ends what the host `hostId` left running. */
export function guardCommand(
  { execPath, args }: GuardLaunch,
  runFolder: string,
  hostId: string,
): readonly string[] {
  // In one word: one id in 64 begins with a hyphen and would be taken for an option.
  const finish = [execPath, ...args, `--run-folder=${runFolder}`, `--finish=${hostId}`];
  return process.platform === 'win32' ? finish : ['/bin/sh', '-c', WAITING, 'sh', ...finish];
}

function dismiss(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.ref();
  child.stdin?.end(`${ALL_WELL}\n`);
  return gone;
}

/** Between TERM and KILL (docs/spec.md G4). Milliseconds. */
const GRACE_MS = 500;

/**
 * Ends what a host that was killed left running, writes down how its commands ended, and removes its ledger when nothing is
 * left. Other hosts' leftovers are not touched; a host that lives keeps everything.
 */
export async function finishHost(runFolder: string, hostId: string): Promise<void> {
  const text = await readFile(ledgerPath(runFolder, hostId), 'utf8').catch(() => '');
  const ledger = parseLedger(text);
  const processes = systemProcesses();
  if (ledger !== null) await whenGone(ledger.owner, processes);
  const leftovers = createLeftovers(runFolder, processes);
  await leftovers.end((leftover) => leftover.hostId === hostId, GRACE_MS);
  if (ledger === null) return;
  const running = [...ledger.entries.values()].filter((one) => !ledger.ended.has(one.terminalId));
  await Promise.all(running.map(leaveKilledEnd));
}

/** Waits until a killed process is gone: its files are closed before that, and a busy system takes its time. */
async function whenGone({ pid, startTime }: ProcessIdentity, table: ProcessTable): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if ((await table.startTime(pid)) !== startTime) return;
    await setTimeout(LOOK_MS);
  }
}

/** The number of looks, and the time between two. Milliseconds. */
const MAX_LOOKS = 200;
const LOOK_MS = 50;

/** Writes down, for the next who opens the session, that a command ended with its Lathe. */
async function leaveKilledEnd({ outputFile }: LedgerEntry): Promise<void> {
  if (outputFile === undefined) return;
  const size = await stat(outputFile).catch(() => null);
  leaveEnd(outputFile, {
    exitCode: null,
    bytes: size?.size ?? 0,
    stopped: 'Lathe was killed while it ran, and it was ended.',
    endedAt: Date.now(),
  });
}

/** Waits for the end of standard input; returns true when the guard was dismissed before that. */
export async function endedWell(input: AsyncIterable<Uint8Array>): Promise<boolean> {
  let said = '';
  for await (const chunk of input) said = (said + Buffer.from(chunk).toString()).slice(0, 10);
  return said.trim() === 'done';
}
