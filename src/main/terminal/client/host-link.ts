import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, fault, ok, type Result } from '../../../shared/result';
import { withoutSecrets } from '../child-env';
import { HOST_TAG, TERMINAL_TAG } from '../process/process-table';
import { type HostPlace, preparePlace } from '../run-folder';
import {
  beginGreeting,
  type ControlChannel,
  type Greeting,
  HOST_HUNG,
  type HostConnection,
  inTime,
  NOT_RUNNING,
} from './host-connection';

/** A host that dies again and again is started anew this often in {@link RESTARTS_MS}. */
const MAX_RESTARTS = 5;
const RESTARTS_MS = 10 * 60_000;

/** Options of a host link. */
export interface HostLinkOptions {
  readonly place: HostPlace;
  /** Null: no host is started there. */
  readonly launch: HostLaunch | null;
  /** Time for a host to greet before it counts as silent. Milliseconds. */
  readonly greetingMs: number;
  /** Called when a host does not greet in time, and again when the silent one ended without a word. */
  onSilence(isSilent: boolean): void;
  /** Turns a fresh connection into the control channel; `onClose` must be called when it ends. */
  open(connection: HostConnection, onClose: () => void): ControlChannel;
}

/**
 * Keeps one control connection to the terminal host: finds a running host, starts one, starts it again after a crash. A silent
 * one is waited for once; from then on nobody waits, and it is connected as soon as it greets.
 */
export class HostLink {
  readonly #options: HostLinkOptions;
  #channel: ControlChannel | null = null;
  #connecting: Promise<Result<ControlChannel>> | null = null;
  #silent: Greeting | null = null;
  /** The latest starts of hosts. Milliseconds of a clock that never goes back. */
  #launches: readonly number[] = [];
  #closed = false;
  #ended: PromiseWithResolvers<void> | null = null;

  constructor(options: HostLinkOptions) {
    this.#options = options;
  }

  /** True once {@link close} was called, so that the end of the connection is no accident. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Returns the connection, if there is one at this moment. */
  current(): ControlChannel | null {
    return this.#channel;
  }

  /** The process of the host that is there and has not greeted; null when there is none. */
  get silentPid(): number | null {
    return this.#silent?.hostPid ?? null;
  }

  /** Connects to the host if one runs; null otherwise. Starts nothing. */
  async running(): Promise<ControlChannel | null> {
    const found = await this.#connect(false);
    return found.ok ? found.value : null;
  }

  /** Connects to the host, which is started when none runs. */
  started(): Promise<Result<ControlChannel>> {
    return this.#connect(true);
  }

  /** Starts a host even when it died again and again. */
  startAnew(): Promise<Result<ControlChannel>> {
    this.#launches = [];
    return this.started();
  }

  /** Ends the connection and waits until it is ended. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    this.#closed = true;
    this.#silent?.cancel();
    this.#channel?.close();
    await this.ended();
  }

  /** Resolves when the last connection has ended, also one to a silent host. */
  async ended(): Promise<void> {
    await this.#silent?.greeted;
    await this.#ended?.promise;
  }

  async #connect(mayStart: boolean): Promise<Result<ControlChannel>> {
    if (this.#channel !== null) return ok(this.#channel);
    if (this.#closed) return err(fault('terminals_closed', 'The terminals were closed.'));
    if (this.#silent !== null) return err(HOST_HUNG);
    if (this.#connecting !== null) {
      const found = await this.#connecting;
      return found.ok || !mayStart ? found : this.#connect(mayStart);
    }
    this.#connecting = this.#find(mayStart);
    try {
      return await this.#connecting;
    } finally {
      this.#connecting = null;
    }
  }

  async #find(mayStart: boolean): Promise<Result<ControlChannel>> {
    const { place, launch, greetingMs } = this.#options;
    const found = await this.#greeted(greetingMs);
    if (found.ok) return ok(this.#adopt(found.value));
    if (!mayStart || launch === null || found.error.code !== 'no_terminal_host') return found;
    const now = performance.now();
    this.#launches = this.#launches.filter((at) => now - at < RESTARTS_MS);
    if (this.#launches.length > MAX_RESTARTS)
      return err(
        fault(
          'terminal_host',
          `The terminal host ended ${this.#launches.length} times within ${RESTARTS_MS / 60_000} minutes.`,
          'Restart it from the terminals, or wait. What it logged is in the run folder.',
        ),
      );
    this.#launches = [...this.#launches, now];
    const launched = await launchHost(place, launch, (limitMs) => this.#greeted(limitMs));
    return launched.ok ? ok(this.#adopt(launched.value)) : launched;
  }

  /** Greets the host that runs, if one does. When it is silent for `limitMs`, it is waited for in the background. */
  async #greeted(limitMs: number): Promise<Result<HostConnection>> {
    const greeting = await beginGreeting(this.#options.place, 'control');
    if (greeting === null) return err(NOT_RUNNING);
    const greeted = await inTime(greeting, limitMs);
    if (greeted !== null) return greeted;
    this.#silent = greeting;
    this.#options.onSilence(true);
    void this.#awaitSilent(greeting);
    return err(HOST_HUNG);
  }

  async #awaitSilent({ greeted }: Greeting): Promise<void> {
    const late = await greeted;
    this.#silent = null;
    if (late.ok) this.#adopt(late.value);
    else this.#options.onSilence(false);
  }

  #adopt(connection: HostConnection): ControlChannel {
    const ended = Promise.withResolvers<void>();
    this.#ended = ended;
    this.#channel = this.#options.open(connection, () => {
      this.#channel = null;
      ended.resolve();
    });
    return this.#channel;
  }
}

/** The command that starts a terminal host: a Node program, or Electron with `ELECTRON_RUN_AS_NODE`. */
export interface HostLaunch {
  readonly execPath: string;
  /** The built `terminal-host.js`, with whatever must come before it. */
  readonly args: readonly string[];
  /** Added to our own environment (secrets removed). */
  readonly env?: Readonly<Record<string, string>>;
  /** The version of Lathe that starts it. */
  readonly version: string;
}

/** Time from start to the first answer. It takes about 60 ms; a loaded machine needs more. */
const START_MS = 15_000;
const FIRST_LOOK_MS = 15;
const LAST_LOOK_MS = 100;

/**
 * Starts a host at a place and connects to it as soon as it answers. When two clients do this at once, one host
 * wins and both get a connection to it.
 */
async function launchHost(
  place: HostPlace,
  launch: HostLaunch,
  greeted: (limitMs: number) => Promise<Result<HostConnection>>,
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
    const connected = await greeted(START_MS);
    if (connected.ok || connected.error.code !== 'no_terminal_host') return connected;
    if (failed !== null) return err(await startFault(place, failed));
  }
  return err(await startFault(place, `it did not answer within ${START_MS / 1000} s`));
}

/**
 * V8's flag for where new objects go, in megabytes. Screens of terminals that end are dropped there by the ten thousand
 * lines; with its own choice V8 keeps 120 MB more resident after 50 tasks, and is no faster (docs/bench.md).
 */
const NEW_SPACE = '--max-semi-space-size=4';

/** Starts the process, detached, holding nothing of ours open. The promise resolves when it fails. */
function startProcess(place: HostPlace, launch: HostLaunch): { readonly promise: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = spawn(
    launch.execPath,
    [
      ...[NEW_SPACE, ...launch.args],
      ...['--run-folder', place.runFolder, '--app-version', launch.version],
    ],
    {
      cwd: place.runFolder,
      env: hostEnvironment(launch),
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    },
  );
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
