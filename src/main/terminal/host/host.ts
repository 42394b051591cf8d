import { randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { Locks } from '../../engine/ports';
import { ControlGroups } from '../process/control-groups';
import { Ledger } from '../process/ledger';
import type { ProcessTable } from '../process/process-table';
import { systemProcesses } from '../process/system-processes';
import {
  type Hello,
  type HelloReply,
  type HostEvent,
  parseHello,
  parseJsonRecord,
} from '../protocol/control';
import {
  type HostPlace,
  messageOf,
  preparePlace,
  readHostRecord,
  removeHostRecord,
  writeHostRecord,
} from '../run-folder';
import { Connection, ControlConnection, ViewerConnection } from './connection';
import { HostedTerminals } from './hosted-terminals';
import { listenAt, sweepDeadHosts } from './listen';

/** A host exits when it holds nothing and nobody is connected for this long. Milliseconds. */
export const IDLE_EXIT_MS = 60_000;
/** A connection must greet within this time. Milliseconds. */
const GREETING_MS = 5_000;
/** Between two looks whether its socket is there. Milliseconds. */
const FINDABLE_MS = 2_000;
/** Between TERM and KILL when its last client wants the end (docs/spec.md G4). Milliseconds. */
const END_GRACE_MS = 500;
/** Time for another host to start, which is a matter of milliseconds. */
const START_LOCK_MS = 5_000;
const MAX_LOG_LINES = 1_000;

/** Options of a host. */
export interface HostOptions {
  readonly place: HostPlace;
  /** The version of Lathe that started it. */
  readonly version: string;
  readonly locks: Locks;
  readonly idleExitMs: number;
  readonly maxOutputBytes: number;
  /** Ends the process. */
  exit(code: number): void;
}

/** The terminal host: the process that holds every pty, so that windows and main processes can come and go. */
export class TerminalHost {
  readonly #options: HostOptions;
  readonly #hostId = randomBytes(9).toString('base64url');
  readonly #token = randomBytes(32).toString('base64url');
  readonly #processes: ProcessTable = systemProcesses();
  readonly #terminals: HostedTerminals;
  readonly #ledger: Ledger;
  readonly #groups: ControlGroups | null;
  readonly #idle: IdleExit;
  readonly #controls = new Set<ControlConnection>();
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #logLines = 0;
  #ending = false;
  /** A client has left for good: nobody is waited for when nothing runs. */
  #mayExit = false;

  /**
   * Starts a host at its place; false when another one runs there already.
   */
  static async start(options: HostOptions): Promise<Result<TerminalHost | false>> {
    const prepared = await preparePlace(options.place);
    if (!prepared.ok) return prepared;
    try {
      const startTime = await systemProcesses().startTime(process.pid);
      const host = new TerminalHost(options, startTime ?? '');
      // Between "nobody answers" and "I listen" no other host may come.
      const lock = await options.locks.acquire(
        `${options.place.record}.lock`,
        AbortSignal.timeout(START_LOCK_MS),
      );
      if (!lock.ok) return err(fault('terminal_host', 'Another terminal host hangs in its start.'));
      try {
        await sweepDeadHosts(options.place.runFolder);
        return ok((await host.#listen()) ? host : false);
      } finally {
        await lock.value();
      }
    } catch (error) {
      return err(fault('terminal_host', `The terminal host cannot start: ${messageOf(error)}`));
    }
  }

  private constructor(options: HostOptions, startTime: string) {
    this.#options = options;
    const { runFolder } = options.place;
    const groups = ControlGroups.open(this.#hostId);
    this.#groups = groups;
    const inGroups = groups === null ? {} : { groups: groups.path };
    const owner = { hostId: this.#hostId, pid: process.pid, startTime, ...inGroups };
    this.#ledger = new Ledger(runFolder, owner);
    this.#terminals = new HostedTerminals({
      hostId: this.#hostId,
      runFolder,
      processes: this.#processes,
      ledger: this.#ledger,
      spared: new Set([process.pid]),
      groups,
      maxOutputBytes: options.maxOutputBytes,
      announce: (event) => this.#announce(event),
      isHeard: (owner) => [...this.#controls].some((control) => control === owner),
      progressed: (id) => {
        for (const control of this.#controls) control.progressed(id);
      },
      failed: this.failed,
    });
    this.#idle = new IdleExit({
      delayMs: options.idleExitMs,
      isIdle: () => this.#isIdle,
      exit: () => this.#exitIdle().catch(this.failed),
    });
  }

  /** Tells whether nothing runs here and nobody is connected. */
  get #isIdle(): boolean {
    return this.#terminals.isIdle && this.#sockets.size === 0;
  }

  /** Logs what must not happen; one failure must not end everybody's terminals. */
  readonly failed = (error: unknown): void => {
    const { log } = this.#options.place;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    try {
      if (this.#logLines === 0) writeFileSync(log, '', { mode: 0o600 });
      this.#logLines += 1;
      if (this.#logLines <= MAX_LOG_LINES)
        appendFileSync(log, `${new Date().toISOString()} ${text}\n`);
    } catch {
      // Nowhere to write to.
    }
  };

  /** Ends everything this host started, then exits. */
  async end(graceMs: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await this.#terminals.endAll(graceMs).catch(this.failed);
    await this.#exit(await this.#terminals.hasLeftovers());
  }

  async #listen(): Promise<boolean> {
    const { place } = this.#options;
    this.#server = await listenAt(place, (socket) => this.#accept(socket));
    if (this.#server === null) {
      this.#ledger.remove();
      await this.#groups?.close();
      return false;
    }
    writeHostRecord(place, {
      pid: process.pid,
      socket: place.socket,
      token: this.#token,
    });
    setInterval(() => void this.#keepFindable().catch(this.failed), FINDABLE_MS).unref();
    this.#idle.check();
    return true;
  }

  /** Listens once more when its socket was removed: who comes later would start another host, and see nothing of ours. */
  async #keepFindable(): Promise<void> {
    const { place } = this.#options;
    const isPipe = place.socket.startsWith('\\\\');
    if (this.#ending || isPipe || existsSync(place.socket)) return;
    // By now another one may have taken the place.
    if ((await readHostRecord(place))?.pid !== process.pid) return;
    // The server before would take the new socket with it when it closes, so it stays.
    await listenAt(place, (socket) => this.#accept(socket));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#idle.check();
    const impatience = setTimeout(() => socket.destroy(), GREETING_MS);
    const connection = new Connection(socket, {
      record: (record) => {
        clearTimeout(impatience);
        this.#greet(connection, parseHello(parseJsonRecord(record)));
      },
      closed: () => undefined,
    });
    socket.on('close', () => {
      clearTimeout(impatience);
      this.#sockets.delete(socket);
      this.#idle.check();
      if (this.#mayExit && this.#isIdle) this.#exitIdle().catch(this.failed);
    });
  }

  #greet(connection: Connection, hello: Result<Hello>): void {
    const checked: Result<Hello> =
      hello.ok && !isSame(hello.value.token, this.#token)
        ? err(fault('bad_token', 'The token is not the one of this terminal host.'))
        : hello;
    if (!checked.ok) {
      connection.sendJson({ ok: false, error: checked.error } satisfies HelloReply);
      connection.end();
      return;
    }
    const terminals = checked.value.role === 'control' ? this.#terminals.list() : [];
    const { version } = this.#options;
    connection.sendJson({
      ...{ ok: true, hostPid: process.pid, version, terminals },
    } satisfies HelloReply);
    if (checked.value.role === 'control') this.#addControl(connection);
    else
      connection.handle(
        new ViewerConnection(connection, {
          find: (id) => this.#terminals.find(id),
          failed: this.failed,
        }),
      );
  }

  #addControl(connection: Connection): void {
    const control = new ControlConnection(connection, {
      terminals: this.#terminals,
      isOther: (owner, me) =>
        owner instanceof ControlConnection && owner !== me && this.#controls.has(owner),
      wantsEnd: (me) => this.#endUnlessNeeded(me),
      leaves: () => {
        this.#mayExit = true;
      },
      left: (me) => this.#left(me),
      failed: this.failed,
    });
    this.#controls.add(control);
    connection.handle(control);
  }

  #announce(event: HostEvent): void {
    for (const control of this.#controls) control.tell(event);
    this.#idle.check();
  }

  #endUnlessNeeded(me: ControlConnection): void {
    if ([...this.#controls].some((control) => control !== me)) return;
    if (this.#terminals.isIdle) this.end(END_GRACE_MS).catch(this.failed);
  }

  #left(control: ControlConnection): void {
    this.#controls.delete(control);
    this.#terminals.leaveEnds(control);
  }

  async #exitIdle(): Promise<void> {
    await this.#terminals.endSpare();
    const hasLeftovers = await this.#terminals.hasLeftovers();
    if (this.#isIdle) await this.#exit(hasLeftovers);
    else this.#idle.check();
  }

  /** Exits. With processes left the ledger stays: the next Lathe finds them by it. */
  async #exit(hasLeftovers: boolean): Promise<void> {
    this.#ending = true;
    this.#terminals.leaveEnds();
    await removeHostRecord(this.#options.place, process.pid);
    if (this.#terminals.isIdle && !hasLeftovers) this.#ledger.remove();
    this.#server?.close();
    for (const socket of this.#sockets) socket.end();
    this.#options.exit(0);
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/** Ends a host that nobody needs: after `delayMs` in which {@link IdleExit.check} never found it in use. */
export class IdleExit {
  readonly #options: IdleExitOptions;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: IdleExitOptions) {
    this.#options = options;
  }

  /** Starts or stops the countdown; to be called whenever connections or terminals changed. */
  check(): void {
    const { isIdle, delayMs, exit } = this.#options;
    if (!isIdle()) {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (isIdle()) exit();
    }, delayMs);
  }
}

interface IdleExitOptions {
  readonly delayMs: number;
  isIdle(): boolean;
  exit(): void;
}
