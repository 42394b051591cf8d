import type { ReadStream } from 'node:tty';
import { type IPty, spawn } from 'node-pty';
import { err, fault, ok, type Result } from '../../../shared/result';
import { messageOf } from '../run-folder';

/** The program to start; its folder exists and it can be executed. */
export interface PtySpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
}

/** The end of a pty's program: a code, or the signal that killed it. */
export interface PtyExit {
  readonly exitCode: number | null;
  readonly signal?: number;
}

/** A pseudo terminal that deals in bytes. */
export interface Pty {
  readonly pid: number;
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
}

/** The receiver of a pty's output. `exited` is called once, after the last `output`. */
export interface PtyListener {
  output(chunk: Buffer): void;
  exited(exit: PtyExit): void;
}

/** Starts a program in a new pty. */
export function openPty(spec: PtySpec, listener: PtyListener): Result<Pty> {
  const [program = '', ...args] = spec.argv;
  try {
    const pty = spawn(program, args, {
      name: spec.env['TERM'] ?? 'xterm-256color',
      cols: spec.cols,
      rows: spec.rows,
      cwd: spec.cwd,
      env: { ...spec.env },
      // Asks the kernel for IUTF8 (erasing a character erases all its bytes); see readRawBytes.
      encoding: 'utf8',
    });
    readRawBytes(pty);
    pty.onData((chunk: string | Buffer) =>
      listener.output(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    );
    pty.onExit(({ exitCode, signal }) =>
      listener.exited(signal ? { exitCode: null, signal } : { exitCode }),
    );
    return ok(wrap(pty));
  } catch (error) {
    return err(fault('spawn_failed', `The terminal could not be started: ${messageOf(error)}`));
  }
}

/**
 * node-pty ties IUTF8 to decoding the output to strings, which would destroy bytes that are no UTF-8. So its decoder
 * is taken out again. It also throws socket errors that nobody listens to; they always come with the exit.
 */
function readRawBytes(pty: IPty): void {
  const socket = (pty as IPty & { readonly _socket?: PtySocket })._socket;
  const state = socket?._readableState;
  if (socket === undefined || state === undefined) return;
  state.decoder = null;
  state.encoding = null;
  socket.on('error', () => undefined);
}

type PtySocket = ReadStream & {
  readonly _readableState?: { decoder: unknown; encoding: string | null };
};

/** Wraps a pty. One that has just exited refuses everything; the exit itself is on its way. */
const wrap = (pty: IPty): Pty => ({
  pid: pty.pid,
  write: (bytes) => attempt(() => pty.write(Buffer.from(bytes))),
  resize: (cols, rows) => attempt(() => pty.resize(cols, rows)),
  pause: () => attempt(() => pty.pause()),
  resume: () => attempt(() => pty.resume()),
});

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // Gone: see wrap.
  }
}

/**
 * A program that exits while its pty is paused loses what it wrote last (node-pty closes the pty 200 ms later), so a
 * paused pty's program is watched this closely. Milliseconds.
 */
const WATCH_MS = 50;
/** A pane that does not move for this long (a hidden window) no longer holds its program up. Milliseconds. */
const PATIENCE_MS = 2_000;

/** Lets a person's interactive terminal wait for its pane, within safe limits. */
export class PauseGuard {
  readonly #pty: Pick<Pty, 'pid' | 'pause' | 'resume'>;
  readonly #giveUp: () => void;
  #watch: NodeJS.Timeout | null = null;
  #released = false;

  /** `giveUp` is called when patience ends: the pane must be brought up to date another way. */
  constructor(pty: Pick<Pty, 'pid' | 'pause' | 'resume'>, giveUp: () => void) {
    this.#pty = pty;
    this.#giveUp = giveUp;
  }

  /** Pauses or resumes. */
  update(wanted: boolean): void {
    if (wanted && !this.#released) this.#pause();
    else this.#resume();
  }

  /** Resumes for good, because the rest of the output must be read. */
  release(): void {
    this.#released = true;
    this.#resume();
  }

  #pause(): void {
    if (this.#watch !== null) return;
    this.#pty.pause();
    const since = performance.now();
    this.#watch = setInterval(() => {
      if (!isRunning(this.#pty.pid)) this.release();
      else if (performance.now() - since > PATIENCE_MS) this.#stopWaiting();
    }, WATCH_MS);
  }

  #resume(): void {
    if (this.#watch === null) return;
    clearInterval(this.#watch);
    this.#watch = null;
    this.#pty.resume();
  }

  #stopWaiting(): void {
    this.#resume();
    this.#giveUp();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
