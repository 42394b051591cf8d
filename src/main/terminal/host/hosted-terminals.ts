import { availableParallelism } from 'node:os';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { KillReport, ProcessTree, TerminalInfo } from '../../../shared/terminal';
import type { TerminalSpec } from '../../engine/ports';
import { type ControlGroups, withGroups } from '../process/control-groups';
import { killProcess, killTrees, membersOf, type TreeRoot } from '../process/kill-tree';
import type { LedgerWriter } from '../process/ledger';
import { MemberWatch } from '../process/member-watch';
import type { ProcessEntry, ProcessIdentity, ProcessTable } from '../process/process-table';
import { createUsageReader } from '../process/process-usage';
import type { HostEvent, TerminalState } from '../protocol/control';
import { FloodTurns } from './flood-turns';
import { HostedTerminal, type HostParts } from './hosted-terminal';
import { openInGroup } from './pty';
import { SpareShell } from './spare-shell';

/** Ended commands kept for viewers who come late; the oldest are dismissed first. */
export const MAX_ENDED_COMMANDS = 100;
/** All terminals of one host. More is a mistake, or an attack. */
const MAX_TERMINALS = 1_000;
/** At the end, how long ended terminals may take to finish their output files. Milliseconds. */
const FINISH_MS = 2_000;

/** The parts the table of terminals works with. */
export interface TerminalsOptions {
  readonly hostId: string;
  readonly runFolder: string;
  readonly processes: ProcessTable;
  readonly ledger: LedgerWriter;
  readonly spared: ReadonlySet<number>;
  /** Groups for the processes of terminals; null: tags and trees have to do. */
  readonly groups: ControlGroups | null;
  readonly maxOutputBytes: number;
  /** Tells every connected client. */
  announce(event: HostEvent): void;
  /** Returns whether a client is there to hear how its terminals end. */
  isHeard(owner: Owner | undefined): boolean;
  /** Output came in a terminal: progress may be due. */
  progressed(terminalId: string): void;
  failed(error: unknown): void;
}

const UNKNOWN_USAGE = { command: '', startedAt: null, cpu: null, memory: null, ports: [] };

/** The client that started a terminal. Compared by identity only. */
export type Owner = object;

/** All terminals of a host, by id. */
export class HostedTerminals {
  readonly #options: TerminalsOptions;
  readonly #host: HostParts;
  readonly #spare: SpareShell;
  readonly #members: MemberWatch;
  readonly #terminals = new Map<string, HostedTerminal>();
  readonly #owners = new Map<string, Owner>();
  readonly #usage = createUsageReader();
  readonly #starting = new Set<string>();
  #turns: Promise<void> = Promise.resolve();

  constructor(given: TerminalsOptions) {
    const { groups } = given;
    const options =
      groups === null
        ? given
        : { ...given, processes: withGroups(given.processes, () => [groups.path]) };
    this.#options = options;
    this.#spare = new SpareShell(options.runFolder, groups);
    this.#members = new MemberWatch({
      ...options,
      roots: () => this.#running().map(({ root }) => root),
      changed: (terminalId, untagged) => options.ledger.members(terminalId, untagged),
    });
    this.#host = {
      ...options,
      seen: (terminalId) => this.#members.seen(terminalId),
      isHeard: (terminalId) => this.#isHeard(terminalId),
      // A processor stays for windows, and for this process.
      floods: new FloodTurns({
        together: Math.max(1, availableParallelism() - 1),
        now: () => performance.now(),
      }),
      openPty: (spec, listener) => {
        const taken = this.#spare.take(spec, listener);
        return taken === null ? openInGroup(groups, spec, listener) : ok(taken);
      },
      inTurn: (act) => {
        this.#turns = this.#turns.then(act).catch(options.failed);
        return this.#turns;
      },
      changed: (info) => options.announce({ event: 'changed', info }),
      output: (terminal) => options.progressed(terminal.state.info.id),
      exited: (info, exit) => options.announce({ event: 'exited', info, exit }),
    };
  }

  /** True when nothing runs here and nothing is starting. Ended terminals do not count. */
  get isIdle(): boolean {
    return this.#starting.size === 0 && this.#running().length === 0;
  }

  find(id: string): HostedTerminal | null {
    return this.#terminals.get(id) ?? null;
  }

  list(): readonly TerminalState[] {
    return [...this.#terminals.values()].map((terminal) => terminal.state);
  }

  /** Starts a terminal for an owner. */
  async spawn(spec: TerminalSpec, owner: Owner): Promise<Result<TerminalInfo>> {
    const { id } = spec;
    if (this.#terminals.has(id) || this.#starting.has(id))
      return err(fault('terminal_exists', `There is a terminal ${id} already.`));
    this.#makeRoom();
    if (this.#terminals.size + this.#starting.size >= MAX_TERMINALS)
      return err(fault('too_many', `There are ${MAX_TERMINALS} terminals already.`));
    this.#starting.add(id);
    this.#owners.set(id, owner);
    try {
      const opened = await HostedTerminal.open(spec, this.#host);
      if (!opened.ok) return opened;
      this.#terminals.set(id, opened.value);
      this.#options.announce({ event: 'changed', info: opened.value.state.info });
      this.#members.started();
      // After whoever waits for this terminal has gone on.
      setImmediate(() => this.#spare.prepare());
      return ok(opened.value.state.info);
    } finally {
      this.#starting.delete(id);
      if (!this.#terminals.has(id)) this.#owners.delete(id);
    }
  }

  /** Ends a terminal's tree: a living one, or an ended one's background processes. */
  async kill(id: string, graceMs: number): Promise<KillReport> {
    const terminal = this.find(id);
    if (terminal === null) return this.#kill([this.#rootOfForgotten(id)], graceMs);
    const report = await terminal.kill(graceMs);
    // What it printed last may still be on its way. Until that is read it has not ended, and cannot be dismissed.
    if (report.survivors.length === 0) await this.#finished([terminal]);
    return report;
  }

  #rootOfForgotten(terminalId: string): TreeRoot {
    return { hostId: this.#options.hostId, terminalId, seen: this.#members.seen(terminalId) };
  }

  /** Returns what lives of each terminal that has processes, with what they use. */
  async processes(): Promise<readonly ProcessTree[]> {
    const entries = await this.#options.processes.list();
    const trees = [...this.#terminals].map(([terminalId, { root }]) => ({
      terminalId,
      members: this.#membersOf(root, entries),
    }));
    const usage = await this.#usage.read(trees.flatMap(({ members }) => members));
    return trees
      .map(({ terminalId, members }) => ({
        terminalId,
        processes: members.map(({ pid, ppid, startTime, name = '' }) => ({
          ...{ pid, ppid, startTime, name },
          ...(usage.get(pid) ?? UNKNOWN_USAGE),
        })),
      }))
      .filter(({ processes }) => processes.length > 0);
  }

  /** Ends one process of a terminal's tree, and nothing when it is none. */
  async killProcess(id: string, target: ProcessIdentity, graceMs: number): Promise<KillReport> {
    const { processes } = this.#options;
    const root = this.find(id)?.root;
    const members = root === undefined ? [] : this.#membersOf(root, await processes.list());
    const isMember = members.some(
      ({ pid, startTime }) => pid === target.pid && startTime === target.startTime,
    );
    return isMember ? killProcess(target, processes, graceMs) : { killed: [], survivors: [] };
  }

  #membersOf(root: TreeRoot, entries: readonly ProcessEntry[]): readonly ProcessEntry[] {
    return membersOf([root], entries, this.#options.spared);
  }

  /** Forgets a terminal that has ended. Its end stays beside its output unless who started it is there and has heard it. */
  dismiss(id: string): void {
    const terminal = this.find(id);
    if (terminal?.state.exit === undefined) return;
    if (!this.#isHeard(id)) terminal.leaveEnd();
    this.#terminals.delete(id);
    this.#owners.delete(id);
    this.#options.announce({ event: 'removed', terminalId: id });
  }

  /** Ends the terminals that are not pinned and whose owner is not `kept`, and waits until their output is saved. */
  async endThose(
    kept: (owner: Owner | undefined) => boolean,
    graceMs: number,
  ): Promise<KillReport> {
    const ending = [...this.#terminals].filter(
      ([id, { state }]) => state.info.pinned !== true && !kept(this.#owners.get(id)),
    );
    const report = await this.#kill(
      ending.map(([, terminal]) => terminal.prepareToEnd()),
      graceMs,
    );
    await this.#finished(ending.map(([, terminal]) => terminal));
    return report;
  }

  /** Ends terminals with all they left in the background, and forgets them. */
  async endThese(ids: readonly string[], graceMs: number): Promise<KillReport> {
    const terminals = ids.flatMap((id) => this.find(id) ?? []);
    const roots = ids.map((id) => this.find(id)?.prepareToEnd() ?? this.#rootOfForgotten(id));
    const report = await this.#kill(roots, graceMs);
    await this.#finished(terminals);
    for (const id of ids) this.dismiss(id);
    return report;
  }

  /** Ends everything this host ever started, background processes of forgotten terminals included. */
  async endAll(graceMs: number): Promise<KillReport> {
    await this.endSpare();
    const terminals = [...this.#terminals.values()];
    const roots = terminals.map((terminal) => terminal.prepareToEnd());
    const { hostId, groups } = this.#options;
    const inGroups = groups === null ? {} : { group: groups.path };
    const all: TreeRoot = { hostId, ...inGroups, seen: this.#members.all() };
    this.#members.close();
    const report = await this.#kill([all, ...roots], graceMs);
    await this.#finished(terminals);
    await groups?.close();
    return report;
  }

  /** Ends the shell that waits for the next command; there is another one after that. */
  endSpare(): Promise<void> {
    return this.#spare.close();
  }

  /** Tells whether processes of ended terminals still live; true when that cannot be found out. */
  async hasLeftovers(): Promise<boolean> {
    const { hostId, groups, failed } = this.#options;
    try {
      await this.#members.look();
      if (this.#members.all().length > 0) return true;
      const all = await this.#options.processes.list();
      const isLeft = all.some(
        ({ host, terminal, group, zombie }) =>
          ((host === hostId && terminal !== undefined) || group !== undefined) && !zombie,
      );
      if (!isLeft) await groups?.close();
      return isLeft;
    } catch (error) {
      failed(error);
      return true;
    }
  }

  /**
   * Writes down the ends of what ended here, of one owner or of all: this host or that client goes, and one that hung has not
   * read what it was told.
   */
  leaveEnds(owner?: Owner): void {
    for (const [id, terminal] of this.#terminals)
      if (owner === undefined || this.#owners.get(id) === owner) terminal.leaveEnd();
  }

  #isHeard(id: string): boolean {
    return this.#options.isHeard(this.#owners.get(id));
  }

  #running(): readonly HostedTerminal[] {
    return [...this.#terminals.values()].filter((terminal) => terminal.state.exit === undefined);
  }

  #makeRoom(): void {
    const ended = [...this.#terminals].filter(
      ([, { state, hasViewers }]) =>
        state.exit !== undefined && state.info.kind === 'command' && !hasViewers,
    );
    for (const [id, terminal] of ended.slice(
      0,
      Math.max(0, ended.length - MAX_ENDED_COMMANDS + 1),
    )) {
      // Who started it may hang, and be killed before it reads what it was told.
      terminal.leaveEnd();
      this.dismiss(id);
    }
  }

  async #finished(terminals: readonly HostedTerminal[]): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, FINISH_MS);
    await Promise.race([Promise.all(terminals.map((terminal) => terminal.done)), limit.promise]);
    clearTimeout(timer);
  }

  /** Ends trees. Shells among them need the hang-up; it does no harm to others, who are told to end anyway. */
  #kill(roots: readonly TreeRoot[], graceMs: number): Promise<KillReport> {
    const { processes, spared } = this.#options;
    return killTrees(roots, processes, { graceMs, spared, hangUp: true });
  }
}
