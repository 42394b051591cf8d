import { execFile } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { type IPty, spawn } from 'node-pty';
import { err, fault, ok, type Result } from '../../../shared/result';
import { type ControlGroups, joining } from '../process/control-groups';
import { messageOf } from '../run-folder';
import { foregroundOf, programOf, writtenBy } from './front';

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
  /** The reason why the last output could not be read; absent when all of it was. */
  readonly unread?: string;
}

/** A pseudo terminal that deals in bytes. */
export interface Pty {
  readonly pid: number;
  /** The control group that it runs in. */
  readonly group?: string;
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  /** Tells whether the program reads a line that the terminal does not show; false where that cannot be told. */
  readsSecret(): Promise<boolean>;
  /** Tells whether the program reads each key as it comes, not whole lines; true where that cannot be told. */
  readsKeys(): Promise<boolean>;
  /** Returns the process group that has the terminal now; null where that cannot be told. */
  foreground(): number | null;
  /** Returns the name of the program that is alone in a process group; null where that cannot be told. */
  programOf(group: number): string | null;
  /** Returns how many bytes a process has written so far; null where that cannot be told. */
  writtenBy(pid: number): string | null;
  /** Tells whether output is left where it is for now. */
  isPaused(): boolean;
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
    const output = (chunk: string | Buffer) =>
      listener.output(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    pty.onData(output);
    const unread = readToTheEnd(pty, output);
    pty.onExit(({ exitCode, signal }) =>
      listener.exited({
        ...(signal ? { exitCode: null, signal } : { exitCode }),
        ...unread(),
      }),
    );
    return ok(wrap(pty));
  } catch (error) {
    return err(fault('spawn_failed', `The terminal could not be started: ${messageOf(error)}`));
  }
}

/** Starts a program in a new pty and in a control group of its own, where there are groups. */
export function openInGroup(
  groups: ControlGroups | null,
  spec: PtySpec,
  listener: PtyListener,
): Result<Pty> {
  const group = groups?.next() ?? null;
  if (groups === null || group === null) return openPty(spec, listener);
  const opened = openPty(
    { ...spec, argv: joining(group, spec.argv) },
    {
      output: (chunk) => listener.output(chunk),
      exited: (exit) => {
        listener.exited(exit);
        groups.ended(group);
      },
    },
  );
  if (opened.ok) return ok({ ...opened.value, group });
  groups.ended(group);
  return opened;
}

/**
 * node-pty ties IUTF8 to decoding the output to strings, which would destroy bytes that are no UTF-8. So its decoder
 * is taken out again. It also throws socket errors that nobody listens to; they always come with the exit.
 */
function readRawBytes(pty: IPty): void {
  const socket = internalsOf(pty)._socket;
  const state = socket?._readableState;
  if (socket === undefined || state === undefined) return;
  state.decoder = null;
  state.encoding = null;
  socket.on('error', () => undefined);
}

/**
 * Makes a pty read what is left in the kernel before it is closed, and returns the reason why that failed.
 *
 * node-pty destroys its socket 200 ms after the exit, whatever has been read by then: a busy host, or one that
 * waited for a pane, would lose the last output. A read of the master only says "nothing there" when all that the
 * slave's programs wrote has arrived, so one that comes after the exit sees everything.
 */
function readToTheEnd(pty: IPty, output: (chunk: Buffer) => void): () => Pick<PtyExit, 'unread'> {
  const { _socket: socket, _fd: descriptor } = internalsOf(pty);
  // Windows: the output comes from a pipe that ends by itself.
  if (socket === undefined || descriptor === undefined || process.platform === 'win32')
    return () => ({});
  let unread: Pick<PtyExit, 'unread'> = {};
  const destroy = socket.destroy;
  socket.destroy = (...reason) => {
    socket.destroy = destroy;
    // What the stream holds because it was paused; each read is told as data.
    while (socket.read() !== null);
    unread = readRest(descriptor, output);
    return socket.destroy(...reason);
  };
  return () => unread;
}

/**
 * The most that is read after the end. A pty holds some 20 kB; more comes only from programs that were left in the
 * background, and they lose their terminal now. Bytes.
 */
const MAX_REST_BYTES = 256 * 1024;
const READ_BYTES = 16 * 1024;

/** Reads what a pty's master still holds; returns the reason when that fails. Never waits. */
export function readRest(
  descriptor: number,
  output: (chunk: Buffer) => void,
): Pick<PtyExit, 'unread'> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  try {
    for (let total = 0; total < MAX_REST_BYTES; ) {
      const read = readSync(descriptor, buffer);
      if (read === 0) break;
      total += read;
      output(Buffer.from(buffer.subarray(0, read)));
    }
    return {};
  } catch (error) {
    // EAGAIN: nothing is left. EIO: nothing is left, and no program has the terminal open.
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' || code === 'EIO' ? {} : { unread: messageOf(error) };
  }
}

const internalsOf = (pty: IPty): PtyInternals => pty as object as PtyInternals;

interface PtyInternals {
  readonly _fd?: number;
  /** The path of the terminal's other side. */
  readonly _pty?: string;
  /** The writes that wait, also the one that another thread carries out. */
  readonly _writeStream?: { readonly _writeQueue: readonly unknown[] };
  readonly _socket?: ReadStream & {
    readonly _readableState?: { decoder: unknown; encoding: string | null };
  };
}

/** Wraps a pty. One that has just exited refuses everything; the exit itself is on its way. */
const wrap = (pty: IPty): Pty => ({
  pid: pty.pid,
  write: (bytes) =>
    attempt(() => {
      // Once it is closed, its number may be another file's.
      if (internalsOf(pty)._socket?.destroyed === true) return;
      const rest = writeNow(pty, bytes);
      if (rest.byteLength > 0) pty.write(Buffer.from(rest));
    }),
  resize: (cols, rows) => attempt(() => pty.resize(cols, rows)),
  pause: () => attempt(() => pty.pause()),
  resume: () => attempt(() => pty.resume()),
  readsSecret: async () => isSecretMode((await modesOf(pty)) ?? ''),
  readsKeys: async () => isKeyMode((await modesOf(pty)) ?? '-icanon'),
  foreground: () => foregroundOf(pty.pid),
  programOf,
  writtenBy,
  isPaused: () => internalsOf(pty)._socket?.isPaused() === true,
});

/**
 * Writes what the terminal takes at this moment, and returns the rest. node-pty gives each write to another thread, and a key
 * would wait for it. Nothing overtakes what waits there already.
 */
function writeNow(pty: IPty, bytes: Uint8Array): Uint8Array {
  const { _fd: descriptor, _writeStream: waiting } = internalsOf(pty);
  if (descriptor === undefined || waiting?._writeQueue.length !== 0) return bytes;
  if (process.platform === 'win32') return bytes;
  try {
    return bytes.subarray(writeSync(descriptor, bytes));
  } catch (error) {
    // EAGAIN: it is full. Anything else: nobody reads any more.
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? bytes : new Uint8Array();
  }
}

const run = promisify(execFile);
const STTY_LIMITS = { timeout: 2_000, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } };

/** Returns what `stty -a` says of a terminal; null where nobody can say. */
async function modesOf(pty: IPty): Promise<string | null> {
  const slave = internalsOf(pty)._pty;
  if (slave === undefined || process.platform === 'win32') return null;
  const option = process.platform === 'linux' ? '-F' : '-f';
  const modes = await run('stty', [option, slave, '-a'], STTY_LIMITS).catch(() => null);
  return modes?.stdout ?? null;
}

/** Tells from the output of `stty -a` whether keys are read one by one. */
const isKeyMode = (modes: string): boolean => modes.split(/[\s;]+/).includes('-icanon');

/**
 * Tells from the output of `stty -a` whether whole lines are read without being shown. A program that draws its own
 * screen turns lines off, too.
 */
export function isSecretMode(modes: string): boolean {
  const words = new Set(modes.split(/[\s;]+/));
  return words.has('-echo') && words.has('icanon');
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // Gone: see wrap.
  }
}

/** A pane that does not move for this long (a hidden window) no longer holds its program up. Milliseconds. */
const PATIENCE_MS = 2_000;

/** Lets a program wait for its pane or disk, within safe limits, and for its turn. */
export class PauseGuard {
  readonly #pty: Pick<Pty, 'pause' | 'resume'>;
  readonly #giveUp: () => void;
  #patience: NodeJS.Timeout | null = null;
  #heldUp = false;
  #released = false;

  /** `giveUp` is called when patience ends: the pane must be brought up to date another way. */
  constructor(pty: Pick<Pty, 'pause' | 'resume'>, giveUp: () => void) {
    this.#pty = pty;
    this.#giveUp = giveUp;
  }

  /** Pauses or resumes. */
  update(wanted: boolean): void {
    if (wanted && !this.#released) this.#pause();
    else this.#resume();
  }

  /** Pauses until its turn comes, which somebody else sees to. */
  holdUp(wait: boolean): void {
    if (this.#released || wait === this.#heldUp) return;
    this.#heldUp = wait;
    if (wait) this.#pty.pause();
    else if (this.#patience === null) this.#pty.resume();
  }

  /** Resumes for good, because the rest of the output must be read. */
  release(): void {
    this.holdUp(false);
    this.#released = true;
    this.#resume();
  }

  #pause(): void {
    if (this.#patience !== null) return;
    this.#pty.pause();
    this.#patience = setTimeout(() => {
      this.#resume();
      this.#giveUp();
    }, PATIENCE_MS);
  }

  #resume(): void {
    if (this.#patience === null) return;
    clearTimeout(this.#patience);
    this.#patience = null;
    if (!this.#heldUp) this.#pty.resume();
  }
}
