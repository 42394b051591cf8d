import { randomBytes } from 'node:crypto';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Terminals } from '../../engine/ports';
import { TerminalStore } from '../client/terminal-store';
import type { HostedTerminals } from '../host/hosted-terminals';
import { ProgressReporter } from '../host/progress';
import { Ledger } from '../process/ledger';
import { systemProcesses } from '../process/system-processes';
import { makePrivateFolder, messageOf } from '../run-folder';
import { type GuardLaunch, startGuard } from './guard';

/** Options of terminals inside this process. */
export interface OwnTerminalsOptions {
  /** `$LATHE_HOME/run`. */
  readonly runFolder: string;
  readonly guard: GuardLaunch;
  /** Commands with more output are stopped. Bytes. */
  readonly maxOutputBytes?: number;
  /** Hears of what must not happen; terminals go on. */
  failed(error: unknown): void;
}

/** Terminals that end with this process. */
export interface OwnTerminals extends Terminals {
  /** Ends everything that was started here. */
  close(): Promise<void>;
}

/** Between TERM and KILL at the end (docs/spec.md G4). Milliseconds. */
const END_GRACE_MS = 500;

/** The parts that run once the first terminal was asked for. */
interface Running {
  readonly terminals: HostedTerminals;
  /** Ends everything and takes the traces away. */
  end(): Promise<void>;
}

/**
 * Creates terminals inside this very process, for a run without windows: nobody looks at them and they end with it, so a process of
 * their own would only cost memory and time. Should this process be killed, a guard ends what it leaves behind.
 * Nothing is started before the first use.
 */
export function createOwnTerminals(options: OwnTerminalsOptions): OwnTerminals {
  const store = new TerminalStore();
  let starting: Promise<Result<Running>> | null = null;
  let running: Running | null = null;
  let closed = false;
  const progress = new ProgressReporter((terminalId) => {
    const report = running?.terminals.find(terminalId)?.progress();
    if (report !== undefined) store.apply({ event: 'progress', terminalId, progress: report });
  });

  const start = async (): Promise<Result<Running>> => {
    const prepared = await makePrivateFolder(options.runFolder);
    if (!prepared.ok) return prepared;
    try {
      running = await hold(options, store, progress);
      return ok(running);
    } catch (error) {
      return err(fault('terminal_host', `No terminal can be started: ${messageOf(error)}`));
    }
  };

  return {
    spawn: async (spec) => {
      if (closed) return err(fault('terminals_closed', 'The terminals were closed.'));
      starting ??= start();
      const host = await starting;
      if (host.ok) return host.value.terminals.spawn(spec, options);
      starting = null;
      return host;
    },
    onProgress: (id, listener) => {
      const end = store.onProgress(id, listener);
      if (running?.terminals.find(id)) progress.watch(id);
      return () => {
        if (end()) progress.unwatch(id);
      };
    },
    exited: (id) => store.exited(id),
    kill: async (id, graceMs) =>
      (await running?.terminals.kill(id, graceMs)) ?? { killed: [], survivors: [] },
    list: async () => store.list(),
    mayRun: async () => false,
    text: async (id) => {
      const session = running?.terminals.find(id);
      return session ? ok(await session.text()) : err(NO_TERMINAL);
    },
    dismiss: async (id) => running?.terminals.dismiss(id),
    close: async () => {
      closed = true;
      await starting;
      await running?.end();
      progress.close();
      store.stopWaiting('Lathe has ended.');
    },
  };
}

const NO_TERMINAL = fault('gone', 'There is no such terminal any more.');

async function hold(
  options: OwnTerminalsOptions,
  store: TerminalStore,
  progress: ProgressReporter,
): Promise<Running> {
  const { runFolder, failed } = options;
  const hostId = randomBytes(9).toString('base64url');
  const processes = systemProcesses();
  const [startTime, { HostedTerminals }, { MAX_OUTPUT_BYTES }] = await Promise.all([
    processes.startTime(process.pid),
    import('../host/hosted-terminals'),
    import('../host/hosted-terminal'),
  ]);
  const owner = { hostId, pid: process.pid, startTime: startTime ?? '' };
  const ledger = new Ledger(runFolder, owner);
  const guard = startGuard(options.guard, runFolder, hostId, failed);
  const terminals = new HostedTerminals({
    hostId,
    runFolder,
    processes,
    ledger,
    spared: new Set([process.pid]),
    // Joining one takes the kernel longer than most commands run, and the run is over soon.
    groups: null,
    maxOutputBytes: options.maxOutputBytes ?? MAX_OUTPUT_BYTES,
    announce: (event) => {
      if (event.event === 'exited') progress.finish(event.info.id);
      store.apply(event);
    },
    isHeard: () => true,
    progressed: (id) => progress.progressed(id),
    failed,
  });
  return {
    terminals,
    end: async () => {
      const { survivors } = await terminals.endAll(END_GRACE_MS);
      // With survivors the ledger stays: the next Lathe finds them by it.
      if (survivors.length === 0) ledger.remove();
      await guard.dismiss();
    },
  };
}
