import type { ReadStream } from 'node:tty';
import { type IPty, spawn } from 'node-pty';
import { err, fault, ok, type Result } from '../../../shared/result';
import { messageOf } from '../run-folder';

/** What to start, all checked: the folder exists and the program can be executed. */
export interface PtySpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
}

/** How a pty's program ended: a code, or the signal that killed it. */
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

/** What comes out of a pty. `exited` is called once, after the last `output`. */
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

/** A pty that has just exited refuses everything; the exit itself is on its way. */
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
