import { setTimeout as sleep } from 'node:timers/promises';
import { err, fault, ok, type Result } from '../../../shared/result';
import type {
  KillReport,
  ProcessTree,
  TerminalHostState,
  TerminalInfo,
} from '../../../shared/terminal';
import type { TerminalSpec, Terminals } from '../../engine/ports';
import type { Leftovers } from '../process/leftovers';
import { isRunning } from '../process/process-table';
import type { HostPlace } from '../run-folder';
import {
  type ControlChannel,
  connectToHost,
  HOST_HUNG,
  openControlChannel,
} from './host-connection';
import { type HostLaunch, HostLink } from './host-link';
import { TerminalStore } from './terminal-store';

/** Options of the client of one host. */
export interface HostClientOptions {
  readonly place: HostPlace;
  /** Null for a host of another version of Lathe: none is started there. */
  readonly launch: HostLaunch | null;
  /** Our own version. */
  readonly version: string;
  readonly leftovers: Leftovers;
  /** Time for a host that runs to greet; left out: {@link GREETING_MS}. Milliseconds. */
  readonly greetingMs?: number;
  /** Time for the host to answer a call; left out: {@link ANSWER_MS}. Milliseconds. */
  readonly answerMs?: number;
  /** Time for it to answer whether it is there; left out: {@link PING_ANSWER_MS}. Milliseconds. */
  readonly pingAnswerMs?: number;
}

/** A channel for one window's frames, which are relayed and never read. */
export interface ViewerChannel {
  send(frame: Uint8Array): void;
  close(): void;
}

/** One terminal host, seen from a main process. */
export interface HostClient extends Terminals {
  /** The process of the host that is connected; null when none is. */
  readonly pid: number | null;
  readonly state: TerminalHostState;
  /** Connects to the host if one runs, and tells whether one does. Starts none. */
  connect(): Promise<boolean>;
  /** Tells whether a terminal is or was in this host. */
  knows(terminalId: string): boolean;
  /** Returns the terminals as they were told last, oldest first. */
  listed(): readonly TerminalInfo[];
  /** A viewer connection. `onFrame` gets whole frames; `onClose` fires once, also when the host dies. */
  openViewerChannel(
    onFrame: (frame: Uint8Array) => void,
    onClose: () => void,
  ): Promise<Result<ViewerChannel>>;
  /** Calls back whenever the list changes. */
  onChanged(listener: () => void): void;
  /** Gives the keyboard of a command to the user, or back. */
  takeWheel(terminalId: string, taken: boolean): Promise<Result<null>>;
  /** Gives a terminal the name that the user wants; an empty one takes it away. */
  rename(terminalId: string, name: string): Promise<Result<null>>;
  /** Lets a terminal go on when Lathe quits, or not. */
  pin(terminalId: string, pinned: boolean): Promise<Result<null>>;
  /** Returns what lives of each terminal, with what it uses. Starts no host. */
  processes(): Promise<Result<readonly ProcessTree[]>>;
  /** Ends one process of a terminal's tree and no other. */
  killProcess(terminalId: string, pid: number, startTime: string): Promise<Result<KillReport>>;
  /** Calls back when the state of the host changes. */
  onState(listener: () => void): void;
  /** Resolves when a host that was lost is gone: its connection ends a little earlier than its process. */
  gone(): Promise<void>;
  /** Ends a host that hangs, with all that runs in it, and starts another one where one may be started. */
  restartHost(): Promise<Result<null>>;
  /** Leaves the host. Without `keepTerminals` all is ended except what is pinned and what other clients started. */
  close(options: { readonly keepTerminals: boolean }): Promise<void>;
  /** Ends these terminals with all they left in the background, and leaves the host to whom it serves else. */
  leave(terminalIds: readonly string[]): Promise<void>;
}

const NOTHING_KILLED: KillReport = { killed: [], survivors: [] };

/** Between TERM and KILL (docs/spec.md G4). Milliseconds. */
const KILL_GRACE_MS = 2_000;
/** The same at the end of the app. Milliseconds. */
const END_GRACE_MS = 500;
/** A host answers in milliseconds; a busy machine takes its time. Milliseconds. */
const ANSWER_MS = 15_000;
/** The same for the greeting. From then on nobody waits for it. Milliseconds. */
const GREETING_MS = 5_000;
/** A host that does not say in this time that it is there is said to hang, until it answers. Milliseconds. */
const PING_ANSWER_MS = 6_000;
/** Between an answer and the next question, while something runs. Milliseconds. */
const PING_EVERY_MS = 3_000;
/** Time for the process of a host that died to go. Milliseconds. */
const HOST_DEATH_MS = 2_000;
/** A connection that was lost sooner than this is looked for again this much later. Milliseconds. */
const FIND_AGAIN_MS = 500;
/** Time for a host's process to go; it stays when it has other clients. Milliseconds. */
const HOST_END_MS = 300;

/** Creates the client. Connects and starts nothing before the first use. */
export function createHostClient(options: HostClientOptions): HostClient {
  const store = new TerminalStore();
  const { leftovers } = options;
  const stateListeners = new Set<() => void>();
  /** The ends of all open viewer connections. */
  const viewers = new Set<() => void>();
  /** The version of Lathe that started the host. */
  let version: string | undefined = options.version;
  let hostState: TerminalHostState = 'idle';
  let hostPid: number | null = null;
  let hostGone = Promise.resolve();
  const setState = (state: TerminalHostState) => {
    if (state === hostState) return;
    hostState = state;
    for (const listener of stateListeners) listener();
  };
  /** Terminals that did not start in time: whoever wanted them was told that they did not start. */
  const givenUp = new Set<string>();
  /** The host whose connection ended, until it is known whether it lives. */
  let missed: number | null = null;
  /** Gives up the missed host, with what ran in it. */
  const lose = () => {
    if (missed === null) return;
    missed = null;
    const wasBusy = store.isBusy();
    if (link.isClosed) store.stopWaiting('Lathe has left the terminal host.');
    else store.hostLost();
    setState(wasBusy && !link.isClosed ? 'lost' : 'idle');
  };
  /** Looks for the missed host: when it lives, all goes on. */
  const findAgain = async (connectedMs: number) => {
    if (connectedMs < FIND_AGAIN_MS) await sleep(FIND_AGAIN_MS, null, { ref: false });
    await link.running();
    if (link.silentPid === null) lose();
  };
  const greetingMs = options.greetingMs ?? GREETING_MS;
  const link = new HostLink({
    place: options.place,
    launch: options.launch,
    greetingMs,
    onSilence: (isSilent) => {
      if (isSilent) return setState('hung');
      if (missed !== null) return lose();
      store.stopWaiting('The terminal host ended.');
      setState(link.isClosed ? 'idle' : 'lost');
    },
    open: (connection, onClose) => {
      const connectedAt = performance.now();
      const { greeting } = connection;
      if (missed !== greeting.hostPid) lose();
      missed = null;
      // Before the events that came right behind the greeting.
      hostPid = greeting.hostPid;
      version = greeting.version;
      store.reset(greeting.terminals);
      const ended = new AbortController();
      const channel = openControlChannel(connection, answerMs, {
        onEvent: (event) => {
          store.apply(event);
          if (event.event === 'changed' && givenUp.delete(event.info.id))
            void channel.call({ method: 'kill', terminalId: event.info.id, graceMs: 0 });
        },
        onAnswering: (answers) => setState(answers ? 'ready' : 'hung'),
        onClose: () => {
          ended.abort('over');
          givenUp.clear();
          onClose();
          hostGone = processGone(hostPid, HOST_DEATH_MS);
          missed = hostPid;
          if (link.isClosed) lose();
          else void findAgain(performance.now() - connectedAt);
        },
      });
      setState('ready');
      void askWhetherThere(channel, ended.signal);
      for (const terminalId of store.progressWatched()) watch(channel, terminalId, true);
      return channel;
    },
  });

  const pingMs = options.pingAnswerMs ?? PING_ANSWER_MS;
  /** Of a host that hangs no more is expected than that it is there. */
  const answerMs = () => (hostState === 'hung' ? pingMs : (options.answerMs ?? ANSWER_MS));

  /** Asks the host again and again whether it is there, while something runs in it. Ends with the connection. */
  const askWhetherThere = async (channel: ControlChannel, ended: AbortSignal) => {
    while (!ended.aborted) {
      await sleep(Math.min(PING_EVERY_MS, pingMs), null, { signal: ended, ref: false }).catch(
        () => null,
      );
      if (!ended.aborted && (store.isBusy() || hostState === 'hung'))
        await channel.call({ method: 'ping' }, pingMs);
    }
  };

  const kill: HostClient['kill'] = async (id, graceMs) => {
    const info = store.find(id);
    const byLedger = async (ending: Promise<KillReport>) =>
      info?.loose === true ? { ...(await ending), loose: true } : ending;
    // A host that is stopped or hangs ends nothing; its ledger tells us what to end.
    if (hostState === 'hung') return byLedger(leftovers.endUnder(id, graceMs));
    const host = await link.running();
    const answer = await host?.call({ method: 'kill', terminalId: id, graceMs });
    // Another case of the same: it began to hang just now.
    if (answer?.ok === false && answer.error.code === 'host_hung')
      return byLedger(leftovers.endUnder(id, graceMs));
    const report = answer?.ok ? (answer.value as KillReport) : NOTHING_KILLED;
    if (report.killed.length + report.survivors.length > 0) return report;
    // It may have outlived its host.
    await hostGone;
    const left = await byLedger(leftovers.end(({ terminalId }) => terminalId === id, graceMs));
    const isUnknown = answer?.ok === false && info !== null && info.endedAt === undefined;
    return isUnknown && left.killed.length === 0 ? { ...left, survivors: [info.pid] } : left;
  };

  /** Tells the host something; without a host there is nobody to tell. */
  const tell = async (call: Parameters<ControlChannel['call']>[0]): Promise<Result<null>> => {
    const host = await link.running();
    const done = (await host?.call(call)) ?? ok(null);
    return done.ok ? ok(null) : done;
  };

  const listed = () =>
    version === options.version
      ? store.list()
      : store.list().map((info) => ({ ...info, hostVersion: version ?? '' }));

  return {
    get pid() {
      return link.current() === null ? null : hostPid;
    },
    get state() {
      return hostState;
    },
    connect: async () => (await link.running()) !== null,
    knows: (id) => store.knows(id),
    listed,
    kill,
    async dismiss(id) {
      const host = await link.running();
      if (host === null || store.isLost(id)) store.forget(id);
      else await host.call({ method: 'dismiss', terminalId: id });
    },
    async spawn(spec: TerminalSpec) {
      const host = await link.started();
      if (!host.ok && host.error.code === 'terminal_host') setState('lost');
      if (!host.ok) return host;
      const limitMs = answerMs();
      const info = await host.value.call(
        { method: 'spawn', spec, until: Date.now() + limitMs },
        limitMs,
      );
      if (!info.ok && info.error.code === 'host_hung') givenUp.add(spec.id);
      if (!info.ok) return info;
      return ok(info.value as TerminalInfo);
    },
    onProgress(id, listener) {
      const end = store.onProgress(id, listener);
      const running = link.current();
      if (running !== null) watch(running, id, true);
      return () => {
        if (!end()) return;
        const current = link.current();
        if (current !== null) watch(current, id, false);
      };
    },
    async exited(id) {
      await link.running();
      return store.exited(id);
    },
    async list() {
      const host = await link.running();
      // The answer comes behind every event before it, so the store is up to date then.
      if (hostState !== 'hung') await host?.call({ method: 'list' }, pingMs);
      return listed();
    },
    async mayRun(id) {
      await link.running();
      if (link.silentPid !== null) store.expect(id);
      return link.silentPid !== null;
    },
    async text(terminalId) {
      const host = await link.running();
      const text = await host?.call({ method: 'text', terminalId });
      if (text === undefined) return err(fault('gone', 'The terminal host is gone.'));
      return text.ok ? ok(String(text.value)) : text;
    },
    async openViewerChannel(onFrame, onClose) {
      // What was looked at died just now: that is told before another host is started for anything.
      if (missed !== null && (await link.running()) === null) {
        lose();
        return err(fault('gone', 'The terminal host is gone.'));
      }
      const host = await link.started();
      if (!host.ok) return host;
      const connection = await connectToHost(options.place, 'viewer', greetingMs);
      if (!connection.ok) return connection;
      const { listen, send, close } = connection.value;
      viewers.add(close);
      listen(onFrame, () => {
        viewers.delete(close);
        onClose();
      });
      return ok({ send, close });
    },
    takeWheel: (terminalId, taken) => tell({ method: 'takeWheel', terminalId, taken }),
    rename: (terminalId, name) => tell({ method: 'rename', terminalId, name }),
    pin: (terminalId, pinned) => tell({ method: 'pin', terminalId, pinned }),
    async processes() {
      const host = await link.running();
      if (hostState === 'hung') return err(HOST_HUNG);
      const trees = (await host?.call({ method: 'processes' }, pingMs)) ?? ok([]);
      return trees.ok ? ok(trees.value as readonly ProcessTree[]) : trees;
    },
    async killProcess(terminalId, pid, startTime) {
      const host = await link.running();
      const target = { pid, startTime };
      const call = { method: 'killProcess', terminalId, target, graceMs: KILL_GRACE_MS } as const;
      const report = (await host?.call(call)) ?? ok(NOTHING_KILLED);
      return report.ok ? ok(report.value as KillReport) : report;
    },
    onChanged: (listener) => void store.onChanged(listener),
    onState: (listener) => void stateListeners.add(listener),
    gone: () => hostGone,
    async restartHost() {
      // One that answers is left alone: the user may have waited for it after all.
      const { silentPid } = link;
      const hungPid = silentPid ?? (hostState === 'hung' ? hostPid : null);
      // Whoever never greeted is known by a number alone, until its ledger says that it is a host.
      if (hungPid !== null && (silentPid === null || (await leftovers.isHost(hungPid)))) {
        endByForce(hungPid);
        await processGone(hungPid, HOST_DEATH_MS);
        await link.ended();
      }
      if (options.launch === null) {
        lose();
        setState('idle');
        return ok(null);
      }
      const host = await link.startAnew();
      return host.ok ? ok(null) : host;
    },
    async close({ keepTerminals }) {
      const host = link.current();
      if (host !== null && !keepTerminals)
        await host.call({ method: 'shutdown', graceMs: END_GRACE_MS });
      await link.close();
      // Who ends us counts processes: the host is to be gone, not only hung up.
      if (!keepTerminals) await processGone(hostPid, HOST_END_MS);
    },
    async leave(terminalIds) {
      const host = link.current();
      const ended = await host?.call({ method: 'leave', terminalIds, graceMs: END_GRACE_MS });
      // Without a host that answers its ledger tells what to end.
      if (ended?.ok !== true) await Promise.all(terminalIds.map((id) => kill(id, END_GRACE_MS)));
      await link.close();
      for (const end of viewers) end();
      await processGone(hostPid, HOST_END_MS);
    },
  };
}

/** Asks for progress or ends it. A failure means that the host is gone, and then there is none. */
function watch(channel: ControlChannel, terminalId: string, on: boolean): void {
  channel.call({ method: 'watchProgress', terminalId, on }).catch(() => undefined);
}

/** Between two looks at a process that ends. Milliseconds. */
const LOOK_MS = 5;

/** Resolves when a process is gone, or after `limitMs`. Null: there was none. */
async function processGone(pid: number | null, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (pid !== null && isRunning(pid) && performance.now() < end) await sleep(LOOK_MS);
}

/** Ends a process at once. It may be gone already. */
function endByForce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone.
  }
}
