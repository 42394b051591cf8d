import { ok, type Result } from '../../../shared/result';
import { type KillReport, MAX_TERMINAL_NAME, type TerminalInfo } from '../../../shared/terminal';
import type { AttachRequest } from '../../../shared/terminal-wire';
import type { TerminalExit, TerminalProgress, TerminalSpec } from '../../engine/ports';
import { killTrees, type TreeRoot } from '../process/kill-tree';
import type { LedgerWriter } from '../process/ledger';
import type { ProcessIdentity, ProcessTable } from '../process/process-table';
import type { TerminalState } from '../protocol/control';
import { Announcements, plainTitle } from './announcements';
import { Batcher, RecentOutput } from './batcher';
import { checkSpec, clampSize, infoOf, taggedEnvironment } from './check-spec';
import type { FloodTurns } from './flood-turns';
import { leaveEnd, missingOutputNote, OutputFile } from './output-file';
import { PasteMode } from './paste-mode';
import { OutputCount } from './progress';
import { type openPty, PauseGuard, type Pty, type PtyExit } from './pty';
import { ReplyGate } from './reply-gate';
import { ScreenMirror } from './screen-mirror';
import type { Picture, PictureKind, Viewer } from './viewer';
import { Wheel } from './wheel';

/** A command with more output than this is stopped (docs/spec.md G5). Bytes. */
export const MAX_OUTPUT_BYTES = 1024 ** 3;
/** More output than this without a key pressed is read by nobody line by line. Bytes. */
const FLOOD_BYTES = 4 * 1024 ** 2;
/** Lines above the screen that are given as text. */
const TEXT_LINES = 1_000;
const OVERSIZE_GRACE_MS = 2_000;
/** Leaves the alternate screen, mouse and paste modes, and hidden cursor that a dead program left on. */
const RESET_MODES = Buffer.from(
  '\x1b[?47l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1l\x1b[?2004l\x1b[?2026l\x1b>\x1b[!p',
);

/** The part of the host that a terminal needs. */
export interface SessionHost {
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
  output(session: TerminalSession): void;
  exited(info: TerminalInfo, exit: TerminalExit): void;
  /** Something that must not happen did; it is logged and the host goes on. */
  failed(error: unknown): void;
}

/** One terminal: a pty that is always read, its output file, its screen, its viewers. */
export class TerminalSession {
  readonly #host: SessionHost;
  readonly #pty: Pty;
  readonly #file: OutputFile | null;
  readonly #outputPath: string | null;
  readonly #mirror: ScreenMirror;
  readonly #pause: PauseGuard;
  readonly #viewers = new Set<Viewer>();
  readonly #count = new OutputCount();
  readonly #recent = new RecentOutput();
  readonly #batcher = new Batcher((batch) => this.#onBatch(batch));
  readonly #done = Promise.withResolvers<void>();
  readonly #wheel: Wheel;
  readonly #replies: ReplyGate;
  readonly #pasteMode: PasteMode;
  readonly #announcements = new Announcements((facts) => this.#changeInfo(facts));
  #root: TreeRoot;
  #info: TerminalInfo;
  #exit: TerminalExit | null = null;
  /** Output since somebody typed. Bytes. */
  #unasked = 0;
  /** The reason we stopped it; null while we did not. */
  #stopped: string | null = null;
  /** Its output passed the limit, and the rest is not kept. */
  #oversized = false;

  /** Starts a terminal. It is in the ledger before its program runs. */
  static async open(spec: TerminalSpec, host: SessionHost): Promise<Result<TerminalSession>> {
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
    let session: TerminalSession | null = null;
    const opened = host.openPty(
      { ...size, argv: spec.argv, cwd: spec.cwd, env: taggedEnvironment(spec, host.hostId) },
      {
        output: (chunk) => session?.take(chunk),
        exited: (exit) => session?.finish(exit).catch(host.failed),
      },
    );
    if (!opened.ok) {
      host.ledger.ended(terminalId);
      await file?.finish();
      return opened;
    }
    session = new TerminalSession(spec, size, opened.value, file, host);
    await session.#register();
    return ok(session);
  }

  private constructor(
    spec: TerminalSpec,
    size: { readonly cols: number; readonly rows: number },
    pty: Pty,
    file: OutputFile | null,
    host: SessionHost,
  ) {
    this.#host = host;
    this.#pty = pty;
    this.#file = file;
    file?.onCaughtUp(() => this.#regulate());
    this.#outputPath = spec.outputFile ?? null;
    this.#mirror = new ScreenMirror(size.cols, size.rows, {
      ...{ scrollback: spec.scrollback, inTurn: host.inTurn },
      isCommand: spec.kind === 'command',
    });
    this.#pause = new PauseGuard(pty, () => this.#refreshViewers());
    this.#info = infoOf(spec, size, pty);
    const inGroup = pty.group === undefined ? {} : { group: pty.group };
    this.#root = { hostId: host.hostId, terminalId: spec.id, ...inGroup };
    const { failed } = host;
    this.#replies = new ReplyGate({ pty, now: () => performance.now(), failed });
    this.#pasteMode = new PasteMode({ pty, failed, show: (bytes) => this.#show(bytes) });
    this.#wheel = new Wheel({
      pty,
      lastLine: () => this.#count.lastLine(),
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
    return this.#viewers.size > 0;
  }

  /** Resolves when the terminal has ended and its output file is complete. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  progress(): TerminalProgress {
    return { ...this.#count.progress(this.#file), ...(this.#wheel.typed ? { typed: true } : {}) };
  }

  /** Gives the keyboard of a command to the person, or back. */
  takeWheel(taken: boolean): void {
    if (this.#info.kind === 'command' && this.#exit === null) this.#wheel.take(taken);
  }

  /** Gives it the name that the person wants; an empty one takes it away. */
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
  async picture(kind: PictureKind): Promise<Picture> {
    this.#batcher.flush();
    const offset = this.#recent.end;
    const picture = this.#mirror.snapshot(kind === 'whole' ? undefined : 0);
    return { ...(await picture), offset };
  }

  /** Returns what it shows as text, with the lines above its screen; bounded. */
  text(): Promise<string> {
    this.#batcher.flush();
    return this.#mirror.text(TEXT_LINES);
  }

  /**
   * Adds a viewer. Sends it the output since the offset it knows, when its screen has the terminal's size, or else the
   * screen. With a size, the terminal takes it.
   */
  async attach(viewer: Viewer, { cols, rows, since }: AttachRequest): Promise<void> {
    const fits = cols === this.#info.cols && rows === this.#info.rows;
    if (cols !== undefined && rows !== undefined) this.resize(cols, rows, viewer);
    this.#batcher.flush();
    const missing = since === undefined || !fits ? null : this.#recent.since(since);
    this.#viewers.add(viewer);
    this.#announcements.seen();
    this.#regulate();
    if (missing === null) await viewer.replay('whole');
    else viewer.resume(missing);
    if (this.#exit !== null) viewer.ended(this.#exit);
  }

  /** Empties screen and scrollback for good; `from` has done so by itself. */
  clear(from: Viewer): void {
    this.#batcher.flush();
    this.#mirror.clear();
    this.#recent.forget();
    this.#refreshViewers(from);
  }

  detach(viewer: Viewer): void {
    viewer.close();
    this.#viewers.delete(viewer);
    this.#regulate();
  }

  input(bytes: Uint8Array): void {
    if (this.#replies.takes(bytes)) return;
    this.#unasked = 0;
    if (this.#exit === null) this.#wheel.type(bytes);
  }

  /** Passes on a line that must never be shown; it is dropped when its program reads none. */
  async secret(bytes: Uint8Array): Promise<void> {
    if (this.#exit === null) await this.#wheel.typeSecret(bytes);
  }

  /** Counts `bytes` as parsed by a viewer. */
  async acked(viewer: Viewer, bytes: number): Promise<void> {
    const caughtUp = viewer.acked(bytes);
    this.#regulate();
    await caughtUp;
  }

  /** Gives the terminal a new size (clamped); the other viewers get the screen anew. */
  resize(cols: number, rows: number, from: Viewer | null): void {
    const size = clampSize(cols, rows);
    if (this.#exit !== null) return;
    if (size.cols === this.#info.cols && size.rows === this.#info.rows) return;
    this.#batcher.flush();
    this.#pty.resize(size.cols, size.rows);
    this.#mirror.resize(size.cols, size.rows);
    this.#recent.forget();
    this.#refreshViewers(from);
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
    this.#readAll();
    return this.root;
  }

  #readAll(): void {
    this.#pause.release();
    this.#host.floods.leave(this.#pause);
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
    this.#batcher.push(chunk);
  }

  #onBatch(batch: Buffer): void {
    // First of all: it may be the echo of a key.
    this.#show(batch);
    this.#count.add(batch);
    this.#announcements.output(batch, this.hasViewers);
    this.#unasked += batch.byteLength;
    this.#keepOutput(batch);
    this.#regulate();
    this.#host.output(this);
    this.#host.floods.output(this.#pause, batch.byteLength);
    if (this.#info.kind === 'command') this.#wheel.output();
  }

  /** Passes bytes on to whatever shows the terminal. */
  #show(bytes: Buffer): void {
    for (const viewer of this.#viewers) viewer.data(bytes);
    this.#mirror.push(bytes);
    this.#recent.push(bytes);
  }

  #keepOutput(batch: Buffer): void {
    if (this.#file === null || this.#oversized) return;
    this.#file.append(batch);
    if (this.#count.bytes <= this.#host.maxOutputBytes) return;
    const limit = Math.round(this.#host.maxOutputBytes / 1024 ** 2);
    this.#oversized = true;
    const why = `Stopped because its output passed ${limit} MiB.`;
    this.kill(OVERSIZE_GRACE_MS, why).catch(this.#host.failed);
  }

  /**
   * Pauses or resumes the pty. All wait for the disk. Only a person's own terminal waits for its pane, only for one pane,
   * and not in a flood: then the pane skips what would have scrolled away, and gets the screen anew.
   */
  #regulate(): void {
    const [only] = this.#viewers;
    const isAlone = this.#info.kind === 'shell' && this.#viewers.size === 1;
    const mayWait = isAlone && this.#unasked <= FLOOD_BYTES;
    const waitsForPane = mayWait && only?.blocked === true;
    this.#pause.update(waitsForPane || this.#file?.behind === true);
  }

  /** Sends the screen anew to all but the viewer that changed its own, unless a picture of before is on its way there. */
  #refreshViewers(except: Viewer | null = null): void {
    for (const viewer of this.#viewers)
      if (viewer !== except || viewer.replaying) viewer.outdated().catch(this.#host.failed);
    this.#regulate();
  }

  /** Writes down its end, when it has ended, for a client that comes when it is forgotten here. */
  leaveEnd(): void {
    const { endedAt } = this.#info;
    if (this.#outputPath === null || this.#exit === null || endedAt === undefined) return;
    leaveEnd(this.#outputPath, { ...this.#exit, endedAt });
  }

  /** Settles the terminal after the program's end. */
  private async finish({ unread, ...exit }: PtyExit): Promise<void> {
    this.#batcher.finish();
    this.#announcements.close();
    this.#pasteMode.close();
    this.#wheel.close();
    this.#readAll();
    this.#show(RESET_MODES);
    await this.#file?.written();
    const stopped = this.#stopped === null ? {} : { stopped: this.#stopped };
    const isTyped = this.#info.kind === 'command' && this.#wheel.typed;
    const notes = [missingOutputNote(this.#file, unread), isTyped ? TYPED_NOTE : null];
    const note = notes.filter((one) => one !== null).join(' ');
    this.#exit = {
      ...exit,
      ...stopped,
      bytes: this.#count.bytes,
      ...(note === '' ? {} : { note }),
    };
    const { wheel: _, secret: _secret, ...info } = this.#info;
    this.#info = { ...info, ...exit, endedAt: Math.max(info.startedAt, Date.now()) };
    for (const viewer of this.#viewers) viewer.ended(exit);
    if (!this.#host.isHeard(this.#info.id)) this.leaveEnd();
    this.#host.exited(this.#info, { ...this.#exit, ...this.#count.atEnd(this.#file) });
    this.#host.ledger.ended(this.#info.id);
    await this.#file?.finish();
    this.#done.resolve();
    this.#recent.forget();
    this.#mirror.end();
    await this.#host.inTurn(() => this.#mirror.settle());
  }
}

const TYPED_NOTE = 'The user typed into its terminal while it ran.';
