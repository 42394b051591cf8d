import { ok, type Result } from '../../../shared/result';
import { type KillReport, MAX_TERMINAL_NAME, type TerminalInfo } from '../../../shared/terminal';
import type { AttachRequest } from '../../../shared/terminal-wire';
import type { TerminalExit, TerminalProgress, TerminalSpec } from '../../engine/ports';
import { killTrees, type TreeRoot } from '../process/kill-tree';
import type { LedgerWriter } from '../process/ledger';
import type { ProcessIdentity, ProcessTable } from '../process/process-table';
import type { TerminalState } from '../protocol/control';
import { Announcements, plainTitle } from './announcements';
import { checkSpec, clampSize, infoOf, taggedEnvironment } from './check-spec';
import type { FloodTurns } from './flood-turns';
import { leaveEnd, OutputFile } from './output-file';
import { PasteMode } from './paste-mode';
import type { openPty, Pty, PtyExit } from './pty';
import { ReplyGate } from './reply-gate';
import { TerminalOutput } from './terminal-output';
import type { Picture, PictureKind, Viewer } from './viewer';
import { Wheel } from './wheel';

/** A command with more output than this is stopped (docs/spec.md G5). Bytes. */
export const MAX_OUTPUT_BYTES = 1024 ** 3;
const OVERSIZE_GRACE_MS = 2_000;
/** The part of the host that a terminal needs. */
export interface HostParts {
  readonly hostId: string;
  readonly processes: ProcessTable;
  readonly ledger: LedgerWriter;
  /** Our own pids, never killed. */
  readonly spared: ReadonlySet<number>;
  /** Larger output stops a command; {@link MAX_OUTPUT_BYTES}. */
  readonly maxOutputBytes: number;
  readonly openPty: typeof openPty;
  /** Returns the processes that were seen in a terminal's tree. */
  seen(terminalId: string): readonly ProcessIdentity[];
  /** Holds up what prints without end while others do, too. */
  readonly floods: FloodTurns;
  /** Returns whether the client that started a terminal is there to hear how it ends. */
  isHeard(terminalId: string): boolean;
  /** Carries acts out one after the other: each of them needs much memory for a while. */
  inTurn(act: () => Promise<void>): Promise<void>;
  changed(info: TerminalInfo): void;
  output(terminal: HostedTerminal): void;
  exited(info: TerminalInfo, exit: TerminalExit): void;
  /** Something that must not happen did; it is logged and the host goes on. */
  failed(error: unknown): void;
}

/** One terminal of the host, from its start to its end: what it is called, who types into it, and how it ends. */
export class HostedTerminal {
  readonly #host: HostParts;
  readonly #output: TerminalOutput;
  readonly #outputPath: string | null;
  readonly #done = Promise.withResolvers<void>();
  readonly #wheel: Wheel;
  readonly #replies: ReplyGate;
  readonly #pasteMode: PasteMode;
  readonly #announcements = new Announcements((facts) => this.#changeInfo(facts));
  #root: TreeRoot;
  #info: TerminalInfo;
  #exit: TerminalExit | null = null;
  /** The reason we stopped it; null while we did not. */
  #stopped: string | null = null;

  /** Starts a terminal. It is in the ledger before its program runs. */
  static async open(spec: TerminalSpec, host: HostParts): Promise<Result<HostedTerminal>> {
    const checked = checkSpec(spec);
    if (!checked.ok) return checked;
    const file = spec.outputFile === undefined ? null : await OutputFile.open(spec.outputFile);
    const size = clampSize(spec.cols, spec.rows);
    const { id: terminalId, sessionId, callId, command, outputFile } = spec;
    host.ledger.starting({
      ...{ terminalId, sessionId },
      ...(callId === undefined ? {} : { callId }),
      ...(command === undefined ? {} : { command }),
      ...(outputFile === undefined ? {} : { outputFile }),
    });
    let terminal: HostedTerminal | null = null;
    const opened = host.openPty(
      { ...size, argv: spec.argv, cwd: spec.cwd, env: taggedEnvironment(spec, host.hostId) },
      {
        output: (chunk) => terminal?.take(chunk),
        exited: (exit) => terminal?.finish(exit).catch(host.failed),
      },
    );
    if (!opened.ok) {
      host.ledger.ended(terminalId);
      await file?.finish();
      return opened;
    }
    terminal = new HostedTerminal(spec, size, opened.value, file, host);
    await terminal.#register();
    return ok(terminal);
  }

  private constructor(
    spec: TerminalSpec,
    size: { readonly cols: number; readonly rows: number },
    pty: Pty,
    file: OutputFile | null,
    host: HostParts,
  ) {
    this.#host = host;
    this.#outputPath = spec.outputFile ?? null;
    this.#output = new TerminalOutput(size, {
      ...{ pty, file, kind: spec.kind, scrollback: spec.scrollback },
      ...{ floods: host.floods, inTurn: host.inTurn, failed: host.failed },
      maxOutputBytes: host.maxOutputBytes,
      came: (batch) => this.#onOutput(batch),
      oversized: (why) => {
        this.kill(OVERSIZE_GRACE_MS, why).catch(host.failed);
      },
    });
    this.#info = infoOf(spec, size, pty);
    const inGroup = pty.group === undefined ? {} : { group: pty.group };
    this.#root = { hostId: host.hostId, terminalId: spec.id, ...inGroup };
    const { failed } = host;
    this.#replies = new ReplyGate({ pty, now: () => performance.now(), failed });
    this.#pasteMode = new PasteMode({ pty, failed, show: (bytes) => this.#output.show(bytes) });
    this.#wheel = new Wheel({
      pty,
      lastLine: () => this.#output.lastLine(),
      changed: (state) => this.#changeInfo(state),
      failed,
    });
  }

  /** Writes the identity of the first process into the ledger, before anybody hears of the terminal. */
  async #register(): Promise<void> {
    const { id, pid } = this.#info;
    const startTime = await this.#host.processes.startTime(pid);
    if (startTime === null || this.#exit !== null) return;
    this.#root = { ...this.#root, pid, startTime };
    this.#host.ledger.started(id, { pid, startTime }, this.#root.group);
  }

  get state(): TerminalState {
    return { info: this.#info, ...(this.#exit === null ? {} : { exit: this.#exit }) };
  }

  get hasViewers(): boolean {
    return this.#output.hasViewers;
  }

  /** Resolves when the terminal has ended and its output file is complete. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  progress(): TerminalProgress {
    return { ...this.#output.progress(), ...(this.#wheel.typed ? { typed: true } : {}) };
  }

  /** Gives the keyboard of a command to the user, or back. */
  takeWheel(taken: boolean): void {
    if (this.#info.kind === 'command' && this.#exit === null) this.#wheel.take(taken);
  }

  /** Gives it the name that the user wants; an empty one takes it away. */
  rename(name: string): void {
    const { name: _, ...unnamed } = this.#info;
    const plain = plainTitle(name).slice(0, MAX_TERMINAL_NAME);
    this.#info = unnamed;
    this.#changeInfo(plain === '' ? {} : { name: plain });
  }

  /** Lets it go on when Lathe quits, or not. */
  pin(pinned: boolean): void {
    this.#changeInfo({ pinned });
  }

  /** Takes the screen as of all output so far; output after this call reaches the viewers as data. */
  picture(kind: PictureKind): Promise<Picture> {
    return this.#output.picture(kind);
  }

  /** Returns what it shows as text, with the lines above its screen; bounded. */
  text(): Promise<string> {
    return this.#output.text();
  }

  /**
   * Adds a viewer. Sends it the output since the offset it knows, when its screen has the terminal's size, or else the
   * screen. With a size, the terminal takes it.
   */
  async attach(viewer: Viewer, { cols, rows, since }: AttachRequest): Promise<void> {
    const fits = cols === this.#info.cols && rows === this.#info.rows;
    if (cols !== undefined && rows !== undefined) this.resize(cols, rows, viewer);
    const missing = this.#output.add(viewer, fits ? since : undefined);
    this.#announcements.seen();
    this.#output.regulate();
    if (missing === null) await viewer.replay('whole');
    else viewer.resume(missing);
    if (this.#exit !== null) viewer.ended(this.#exit);
  }

  /** Empties screen and scrollback for good; `from` has done so by itself. */
  clear(from: Viewer): void {
    this.#output.clear(from);
  }

  detach(viewer: Viewer): void {
    this.#output.remove(viewer);
  }

  input(bytes: Uint8Array): void {
    if (this.#replies.takes(bytes)) return;
    this.#output.asked();
    if (this.#exit === null) this.#wheel.type(bytes);
  }

  /** Passes on a line that must never be shown; it is dropped when its program reads none. */
  async secret(bytes: Uint8Array): Promise<void> {
    if (this.#exit === null) await this.#wheel.typeSecret(bytes);
  }

  /** Counts `bytes` as parsed by a viewer. */
  async acked(viewer: Viewer, bytes: number): Promise<void> {
    const caughtUp = viewer.acked(bytes);
    this.#output.regulate();
    await caughtUp;
  }

  /** Gives the terminal a new size (clamped); the other viewers get the screen anew. */
  resize(cols: number, rows: number, from: Viewer | null): void {
    const size = clampSize(cols, rows);
    if (this.#exit !== null) return;
    if (size.cols === this.#info.cols && size.rows === this.#info.rows) return;
    this.#output.resize(size, from);
    this.#changeInfo(size);
  }

  #changeInfo(change: Partial<TerminalInfo>): void {
    this.#info = { ...this.#info, ...change };
    this.#host.changed(this.#info);
  }

  /** Returns the root of its process tree. */
  get root(): TreeRoot {
    return { ...this.#root, seen: this.#host.seen(this.#info.id) };
  }

  /** Returns the root of its process tree, about to be killed. From now on all its output is read at once. */
  prepareToEnd(): TreeRoot {
    this.#output.readAll();
    return this.root;
  }

  /**
   * Ends the whole process tree, also what the program left in the background when it ended. `why` is told where no task
   * knows better.
   */
  async kill(graceMs: number, why = 'The user stopped it in its terminal.'): Promise<KillReport> {
    this.#stopped ??= why;
    const report = await killTrees([this.prepareToEnd()], this.#host.processes, {
      graceMs,
      hangUp: this.#info.kind === 'shell',
      spared: this.#host.spared,
    });
    return this.#info.loose === true ? { ...report, loose: true } : report;
  }

  /** Takes output of the pty. */
  private take(chunk: Buffer): void {
    this.#pasteMode.note(this.#replies.output(chunk));
    this.#output.take(chunk);
  }

  #onOutput(batch: Buffer): void {
    this.#announcements.output(batch, this.hasViewers);
    this.#host.output(this);
    if (this.#info.kind === 'command') this.#wheel.output();
  }

  /** Writes down its end, when it has ended, for a client that comes when it is forgotten here. */
  leaveEnd(): void {
    const { endedAt } = this.#info;
    if (this.#outputPath === null || this.#exit === null || endedAt === undefined) return;
    leaveEnd(this.#outputPath, { ...this.#exit, endedAt });
  }

  /** Settles the terminal after the program's end. */
  private async finish({ unread, ...exit }: PtyExit): Promise<void> {
    this.#output.finish();
    this.#announcements.close();
    this.#pasteMode.close();
    this.#replies.close();
    this.#wheel.close();
    await this.#output.reset();
    const stopped = this.#stopped === null ? {} : { stopped: this.#stopped };
    const isTyped = this.#info.kind === 'command' && this.#wheel.typed;
    const notes = [this.#output.missingNote(unread), isTyped ? TYPED_NOTE : null];
    const note = notes.filter((one) => one !== null).join(' ');
    this.#exit = {
      ...exit,
      ...stopped,
      bytes: this.#output.bytes,
      ...(note === '' ? {} : { note }),
    };
    const { wheel: _, secret: _secret, ...info } = this.#info;
    this.#info = { ...info, ...exit, endedAt: Math.max(info.startedAt, Date.now()) };
    this.#output.tellEnd(exit);
    if (!this.#host.isHeard(this.#info.id)) this.leaveEnd();
    this.#host.exited(this.#info, { ...this.#exit, ...this.#output.atEnd() });
    this.#host.ledger.ended(this.#info.id);
    await this.#output.complete();
    this.#done.resolve();
    await this.#output.settle();
  }
}

const TYPED_NOTE = 'The user typed into its terminal while it ran.';
