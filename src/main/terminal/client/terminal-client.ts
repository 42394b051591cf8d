import { ok, type Result } from '../../../shared/result';
import {
  type KillReport,
  type Leftover,
  type ProcessTree,
  SCROLLBACK_LINES,
  type TerminalHostState,
  type TerminalInfo,
} from '../../../shared/terminal';
import type { TerminalExit, TerminalSpec } from '../../engine/ports';
import { createLeftovers } from '../process/leftovers';
import { systemProcesses } from '../process/system-processes';
import { type HostPlace, hostPlace, placesOfOthers } from '../run-folder';
import { createHostClient, type HostClient, type ViewerChannel } from './host-client';
import type { HostLaunch } from './host-link';
import { openViewerChannels } from './viewer-channels';

/** Options of a terminal client. */
export interface TerminalClientOptions {
  /** `$LATHE_HOME/run`. */
  readonly runFolder: string;
  readonly launch: HostLaunch;
  /** Time for a host to greet; left out: 5 s, and {@link OTHER_GREETING_MS} for those of other versions. Milliseconds. */
  readonly greetingMs?: number;
  /** Time for a host to answer a call; left out: 15 s. Milliseconds. */
  readonly answerMs?: number;
  /** Time for it to answer whether it is there; left out: 6 s. Milliseconds. */
  readonly pingAnswerMs?: number;
}

/** The acts on one terminal, which are the same wherever it is. */
type TerminalActs = Pick<
  HostClient,
  'takeWheel' | 'rename' | 'pin' | 'killProcess' | 'kill' | 'exited' | 'text' | 'dismiss'
>;

/**
 * The terminals of a main process: those of its own host, where new ones start, and those that hosts of other versions of
 * Lathe still hold. Such a host is left, and so ends, when the last of its terminals is closed.
 */
export interface TerminalClient
  extends TerminalActs,
    Pick<HostClient, 'onProgress' | 'list' | 'mayRun'> {
  spawn(spec: TerminalSpec): Promise<Result<TerminalInfo>>;
  /** A channel for one window. `onFrame` gets whole frames; `onClose` fires once, also when a host dies. */
  openViewerChannel(
    onFrame: (frame: Uint8Array) => void,
    onClose: () => void,
  ): Promise<Result<ViewerChannel>>;
  /** Calls back with all terminals whenever the list changes; gives a function that ends it. */
  onChanged(listener: (terminals: readonly TerminalInfo[]) => void): () => void;
  /** Sets how many lines the terminals that start from now on keep above their screens. */
  keepLines(lines: number): void;
  /** Returns what lives of each terminal, with what it uses; nothing of other versions' hosts that do not answer. Starts no host. */
  processes(): Promise<Result<readonly ProcessTree[]>>;
  /** Lists what dead hosts left running, and hosts that cannot be reached hold. Starts no host. */
  leftovers(): Promise<readonly Leftover[]>;
  /** Ends leftovers by their ids. */
  endLeftovers(ids: readonly string[]): Promise<KillReport>;
  /** Lets all leftovers run on and lists them no more. */
  forgetLeftovers(): Promise<void>;
  /** Calls back when the state of a host changes; `lost` may mean leftovers. Gives a function that ends it. */
  onHostState(listener: (state: TerminalHostState) => void): () => void;
  /** Ends hosts that hang, with all that runs in them, and starts another one. */
  restartHost(): Promise<Result<null>>;
  /**
   * Leaves the hosts. Without `keepTerminals` everything is ended first, leftovers included, except what is pinned and
   * what other clients started.
   */
  close(options: { readonly keepTerminals: boolean }): Promise<void>;
  /** Ends these terminals with all they left in the background, and leaves the hosts to whom they serve else. */
  leave(terminalIds: readonly string[]): Promise<void>;
}

/** Between TERM and KILL (docs/spec.md G4). Milliseconds. */
const KILL_GRACE_MS = 2_000;
/** The same at the end of the app. Milliseconds. */
const END_GRACE_MS = 500;
/** The first list waits this long for the hosts of other versions. One that greets later is listed then. Milliseconds. */
const OTHER_GREETING_MS = 2_000;

/** Creates the client. Connects and starts nothing before the first use. */
export function createTerminalClient(options: TerminalClientOptions): TerminalClient {
  const { runFolder, launch } = options;
  const hosts: HostClient[] = [];
  const leftovers = createLeftovers(
    runFolder,
    systemProcesses(),
    new Set([process.pid]),
    (hostPid) => hosts.some(({ pid }) => pid === hostPid),
  );
  const changeListeners = new Set<(terminals: readonly TerminalInfo[]) => void>();
  const stateListeners = new Set<(state: TerminalHostState) => void>();
  let scrollback = SCROLLBACK_LINES;
  let told: TerminalHostState = 'idle';

  /** A host of another version died, and nothing was started since. None is started there, which would end its being lost. */
  let otherLost = false;
  const publish = (state: TerminalHostState) => {
    told = state;
    for (const listener of stateListeners) listener(state);
  };
  /** Tells the state of all hosts where it changed, and each loss: every one may mean leftovers. */
  const tell = (isLoss = false) => {
    if (isLoss) publish('lost');
    const isOther = hosts.some((host) => host !== own && host.state === 'hung');
    const isOwn = own.state === 'hung' || own.state === 'lost';
    const state = isOwn ? own.state : isOther ? 'other_hung' : otherLost ? 'lost' : own.state;
    if (state !== told) publish(state);
  };
  /** Forgets the loss of a host of another version: all goes on in our own. */
  const goOn = () => {
    otherLost = false;
    tell();
  };
  const listed = () =>
    hosts.flatMap((host) => host.listed()).sort((a, b) => a.startedAt - b.startedAt);
  const create = (
    place: HostPlace,
    start: HostLaunch | null,
    greetingMs = options.greetingMs,
  ): HostClient => {
    const { version } = launch;
    const host = createHostClient({
      ...{ ...options, place, launch: start, version, leftovers },
      ...(greetingMs === undefined ? {} : { greetingMs }),
    });
    hosts.push(host);
    host.onChanged(() => {
      const terminals = listed();
      for (const listener of changeListeners) listener(terminals);
      leaveEmpty(host);
    });
    host.onState(() => {
      const isLoss = host.state === 'lost';
      if (isLoss && host !== own) otherLost = true;
      tell(isLoss);
    });
    return host;
  };
  const own: HostClient = create(hostPlace(runFolder), launch);
  const leaveEmpty = (host: HostClient) => {
    if (host !== own && host.pid !== null && host.listed().length === 0) void host.leave([]);
  };
  let looking: Promise<unknown> | null = null;
  /** Connects to the hosts of other versions, once. */
  const look = () => {
    // Meanwhile: when ours is silent, too, who asks it next has waited for both at once.
    if (looking === null) void own.connect();
    looking ??= placesOfOthers(runFolder).then((places) =>
      Promise.all(
        places.map(async (place) => {
          const host = create(place, null, options.greetingMs ?? OTHER_GREETING_MS);
          await host.connect();
          leaveEmpty(host);
        }),
      ),
    );
    return looking;
  };
  /** Returns the host that has a terminal in its list, or else all that may hold it: several that are silent. */
  const holders = (id: string): readonly HostClient[] => {
    const listing = hosts.find((host) => host.listed().some((info) => info.id === id));
    return listing === undefined ? hosts.filter((host) => host.knows(id)) : [listing];
  };
  const holder = (id: string): HostClient => holders(id)[0] ?? own;
  const holderOf = async (id: string): Promise<HostClient> => {
    await look();
    return holder(id);
  };

  return {
    async spawn(spec) {
      const spawned = await own.spawn({ scrollback, ...spec });
      if (spawned.ok) goOn();
      return spawned;
    },
    onProgress(id, listener) {
      const [first = own, ...others] = holders(id);
      const ends = [first, ...others].map((host) => host.onProgress(id, listener));
      return () => {
        for (const end of ends) end();
      };
    },
    async exited(id) {
      await look();
      const [first = own, ...others] = holders(id);
      return endOfOne(
        first.exited(id),
        others.map((host) => host.exited(id)),
      );
    },
    kill: async (id, graceMs) => (await holderOf(id)).kill(id, graceMs),
    text: async (id) => (await holderOf(id)).text(id),
    dismiss: async (id) => (await holderOf(id)).dismiss(id),
    takeWheel: async (id, taken) => (await holderOf(id)).takeWheel(id, taken),
    rename: async (id, name) => (await holderOf(id)).rename(id, name),
    pin: async (id, pinned) => (await holderOf(id)).pin(id, pinned),
    killProcess: async (id, pid, startTime) => (await holderOf(id)).killProcess(id, pid, startTime),
    async list() {
      await look();
      // The others tell of each change by themselves, and may hang.
      await own.list();
      return listed();
    },
    async mayRun(id) {
      await look();
      return (await Promise.all(hosts.map((host) => host.mayRun(id)))).includes(true);
    },
    async openViewerChannel(onFrame, onClose) {
      await look();
      return openViewerChannels({ own, holder, onFrame, onClose });
    },
    onChanged: (listener) => {
      changeListeners.add(listener);
      return () => void changeListeners.delete(listener);
    },
    keepLines: (lines) => {
      scrollback = lines;
    },
    async processes() {
      await look();
      const [ours, ...others] = await Promise.all([
        own.processes(),
        ...hosts.filter((host) => host !== own).map((host) => host.processes()),
      ]);
      if (!ours.ok) return ours;
      return ok([...ours.value, ...others.flatMap((found) => (found.ok ? found.value : []))]);
    },
    async leftovers() {
      await look();
      await Promise.all(hosts.map((host) => host.gone()));
      const found = await leftovers.list();
      return found.map(({ hostId: _, terminalId: _id, root: _root, ...leftover }) => leftover);
    },
    endLeftovers: (ids) => leftovers.end(({ id }) => ids.includes(id), KILL_GRACE_MS),
    forgetLeftovers: leftovers.forget,
    onHostState: (listener) => {
      stateListeners.add(listener);
      listener(told);
      return () => void stateListeners.delete(listener);
    },
    async restartHost() {
      const [restarted = ok(null)] = await Promise.all(hosts.map((host) => host.restartHost()));
      if (restarted.ok) goOn();
      return restarted;
    },
    async close({ keepTerminals }) {
      await looking;
      await Promise.all(hosts.map((host) => host.close({ keepTerminals })));
      // An app of another version may run, too.
      if (!keepTerminals)
        await leftovers.end(({ otherVersion }) => otherVersion !== true, END_GRACE_MS);
    },
    async leave(terminalIds) {
      await looking;
      const holds = (host: HostClient, id: string) => {
        const found = holders(id);
        return found.length === 0 ? host === own : found.includes(host);
      };
      const those = (host: HostClient) => terminalIds.filter((id) => holds(host, id));
      await Promise.all(hosts.map((host) => host.leave(those(host))));
    },
  };
}

/** Returns the end that one host tells of a terminal which each of them might have held; lost when none does. */
function endOfOne(
  first: Promise<TerminalExit>,
  others: readonly Promise<TerminalExit>[],
): Promise<TerminalExit> {
  const { promise, resolve } = Promise.withResolvers<TerminalExit>();
  for (const end of [first, ...others])
    void end.then((exit) => {
      if (exit.lost === undefined) resolve(exit);
    });
  void Promise.all([first, ...others]).then(([exit]) => resolve(exit));
  return promise;
}
