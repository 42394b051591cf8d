import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, fault, type Result } from '../../../shared/result';
import { withoutSecrets } from '../child-env';
import { HOST_TAG, TERMINAL_TAG } from '../process/process-table';
import { type HostPlace, preparePlace } from '../run-folder';
import { connectToHost, type HostConnection } from './host-connection';

/** How a terminal host is started: a Node program, or Electron with `ELECTRON_RUN_AS_NODE`. */
export interface HostLaunch {
  readonly execPath: string;
  /** The built `terminal-host.js`, with whatever must come before it. */
  readonly args: readonly string[];
  /** Added to our own environment (secrets removed). */
  readonly env?: Readonly<Record<string, string>>;
}

/** From start to the first answer it takes about 60 ms; a machine under load gets this long. Milliseconds. */
const START_MS = 15_000;
const FIRST_LOOK_MS = 15;
const LAST_LOOK_MS = 100;

/**
 * Starts a host at a place and connects to it as soon as it answers. When two clients do this at once, one host
 * wins and both get a connection to it.
 */
export async function launchHost(
  place: HostPlace,
  launch: HostLaunch,
): Promise<Result<HostConnection>> {
  const prepared = await preparePlace(place);
  if (!prepared.ok) return prepared;
  const failure = startProcess(place, launch);
  const end = performance.now() + START_MS;
  for (
    let wait = FIRST_LOOK_MS;
    performance.now() < end;
    wait = Math.min(wait * 1.5, LAST_LOOK_MS)
  ) {
    const failed = await Promise.race([failure.promise, sleep(wait, null)]);
    const connected = await connectToHost(place, 'control');
    if (connected.ok || connected.error.code !== 'no_terminal_host') return connected;
    if (failed !== null) return err(await startFault(place, failed));
  }
  return err(await startFault(place, `it did not answer within ${START_MS / 1000} s`));
}

/** Starts the process, detached, holding nothing of ours open. The promise resolves when it fails. */
function startProcess(place: HostPlace, launch: HostLaunch): { readonly promise: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = spawn(launch.execPath, [...launch.args, '--run-folder', place.runFolder], {
    cwd: place.runFolder,
    env: hostEnvironment(launch),
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.once('error', (error) => resolve(error.message));
  // Code 0: another host was there first, which is as good.
  child.once('exit', (code, signal) => {
    if (code !== 0)
      resolve(signal === null ? `it exited with ${code}` : `it was ended by ${signal}`);
  });
  child.unref();
  return { promise };
}

function hostEnvironment(launch: HostLaunch): Record<string, string> {
  const env: Record<string, string> = { ...withoutSecrets(process.env), ...launch.env };
  // Inside a terminal of Lathe's own: the new host is nobody's child.
  delete env[TERMINAL_TAG];
  delete env[HOST_TAG];
  return env;
}

async function startFault(place: HostPlace, what: string) {
  const log = (await readFile(place.log, 'utf8').catch(() => '')).trim().split('\n').at(-1);
  const detail = log ? ` Its log says: ${log}` : '';
  return fault('terminal_host', `The terminal host could not be started: ${what}.${detail}`);
}
