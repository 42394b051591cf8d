import type { Result } from '../../shared/result';
import type { KillReport, TerminalInfo } from '../../shared/terminal';

/**
 * The needs of the engine from the outside world. Production gives Node's versions (`src/main/node`,
 * `src/main/terminal`); tests give fakes where the real thing would wait or touch the user's files.
 */

/** Time. Milliseconds since the epoch. */
export interface Clock {
  /** Never goes back: for what is measured and waited for in this process, and nothing that is shown or kept. */
  now(): number;
  /** Returns the system's date, which goes back when that is set back: for what is shown, told or kept. */
  date(): number;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Fresh identifiers: `next('qry')` → `qry_…`; `uuid()` for sessions. */
export interface Ids {
  next(prefix: string): string;
  uuid(): string;
}

/** Uniform over [0, 1); for jitter only. */
export type Random = () => number;

/** The reason a file operation failed. `message` is for a user and names the path. */
export interface FileFault {
  readonly code:
    | 'not_found'
    | 'denied'
    | 'is_directory'
    | 'not_directory'
    | 'exists'
    | 'too_large'
    | 'no_space'
    | 'over_quota'
    | 'loop'
    /** The place is no longer the one that was decided on. */
    | 'moved'
    | 'other';
  readonly path: string;
  readonly message: string;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Epoch milliseconds, with fractions where the disk has them. */
  readonly mtimeMs: number;
  /** Permission bits. */
  readonly mode: number;
  /** Device and inode: the identity of the file, whatever its path. */
  readonly identity: string;
}

/** A place on the disk that can be decided on and later be held to. */
export interface Place {
  /** Free of links. */
  readonly realPath: string;
  /** Device and inode of what is there; null when nothing is. */
  readonly identity: string | null;
  /** It is a pipe, a socket or a device: using it may wait for ever or reach another program. */
  readonly special?: true;
  /** The same file has more than one name. */
  readonly shared?: true;
}

/** A regular file, open for reading: whatever happens to its path meanwhile, this file is what is read. */
export interface OpenFile {
  readonly stat: FileStat;
  /** Leads to it as long as it is open, for other programs too. */
  readonly path: string;
  /** Bytes [start, end) as far as they exist. */
  read(start: number, end: number): Promise<Result<Uint8Array, FileFault>>;
  close(): Promise<void>;
}

/** An open folder. `path` leads to it as long as it is held, whatever happens to its name. */
interface HeldFolder {
  readonly path: string;
  release(): Promise<void>;
}

/** An open append-only file. Writes keep their order; `append` resolves when the bytes are with the system. */
export interface AppendFile {
  append(data: string): Promise<Result<null, FileFault>>;
  close(): Promise<void>;
}

/** The disk. Paths are absolute. */
export interface Files {
  stat(path: string): Promise<Result<FileStat, FileFault>>;
  /** Whole file. `too_large` when it has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Result<Uint8Array, FileFault>>;
  /** Bytes [start, end) as far as they exist. */
  readRange(path: string, start: number, end: number): Promise<Result<Uint8Array, FileFault>>;
  /** Atomic replacement (temporary file, rename); keeps an existing file's mode; makes missing folders. */
  write(path: string, data: Uint8Array | string, mode?: number): Promise<Result<null, FileFault>>;
  openAppend(path: string): Promise<Result<AppendFile, FileFault>>;
  /** Shortens a file: repairs a torn tail. */
  truncate(path: string, size: number): Promise<Result<null, FileFault>>;
  /** Sets the time at which a file was changed. Epoch milliseconds. */
  touch(path: string, at: number): Promise<Result<null, FileFault>>;
  list(path: string): Promise<Result<readonly DirectoryEntry[], FileFault>>;
  makeDirectory(path: string): Promise<Result<null, FileFault>>;
  remove(path: string): Promise<Result<null, FileFault>>;
  /** Gives a file or folder another path on the same disk; makes missing folders. A file that is there is replaced. */
  move(from: string, to: string): Promise<Result<null, FileFault>>;
  /**
   * Finds out where a path really leads, links followed. For a path that does not exist yet: its deepest existing
   * parent resolved, and the rest appended. A link that leads nowhere resolves to where it points.
   */
  realPath(path: string): Promise<Result<string, FileFault>>;
  /** Finds out where a path leads, as {@link realPath} says, and what is there now. */
  locate(path: string): Promise<Result<Place, FileFault>>;
  /** Opens the very file that was decided on; `moved` when a link or another file took its place. Never waits. */
  open(place: Place): Promise<Result<OpenFile, FileFault>>;
  /** As {@link write}, at the very place that was decided on, or `moved`. Gives the new file's stat. */
  writeAt(
    place: Place,
    data: Uint8Array | string,
    mode?: number,
  ): Promise<Result<FileStat, FileFault>>;
  /** Makes a link to a folder; `exists` when something is at its path. */
  link(folder: string, path: string): Promise<Result<null, FileFault>>;
  /** Holds on to a folder that was decided on, or `moved`. */
  holdFolder(place: Place): Promise<Result<HeldFolder, FileFault>>;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/** The process that holds a lock; null in the moment before it has said so. */
export interface LockHolder {
  readonly pid: number | null;
}

/** The debug log, when the user asked for one. Its methods never throw and never wait; leave secrets out. */
export interface Log {
  /** Adds a record: its name, and facts that can be JSON. */
  record(what: string, facts: Readonly<Record<string, unknown>>): void;
  /** Keeps a long text in a file of its own. Returns its path; null when it could not be written. */
  keep(text: string): string | null;
}

/** Locks between processes. The holder's end, however it comes, frees them. */
export interface Locks {
  /**
   * Takes the lock at a path, or says who has it. With `waiting` it waits for its turn until that signal aborts.
   * The value gives the lock back.
   */
  acquire(path: string, waiting?: AbortSignal): Promise<Result<() => Promise<void>, LockHolder>>;
  /** Asks the holder of a lock to end where the program that started this process started it too; false where it did not. */
  endSibling(path: string): Promise<boolean>;
}

/** The result of a finished program. `truncated` when it printed more than it was allowed. */
export interface ProgramOutput {
  readonly exitCode: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
  readonly truncated: boolean;
}

/** The reason a helper program gave no output. */
export interface ProgramFault {
  readonly code: 'not_found' | 'timeout' | 'memory' | 'aborted' | 'other';
  readonly message: string;
}

/** Helper programs of Lathe's own (ripgrep, git): never a shell, always an argument vector. */
export interface Programs {
  run(
    argv: readonly string[],
    options: {
      readonly cwd: string;
      readonly maxBytes: number;
      readonly timeoutMs: number;
      /** It is ended when it takes more memory, where the system tells. */
      readonly maxMemoryBytes?: number;
      readonly env?: Readonly<Record<string, string>>;
      /** Where it is ended, so is what it started. Not on Windows. */
      readonly asGroup?: true;
    },
    signal?: AbortSignal,
  ): Promise<Result<ProgramOutput, ProgramFault>>;
  /** The path of the bundled ripgrep. */
  readonly ripgrep: string;
}

/** The end of a user's command; a signal leaves no exit code. Output is cut at the limit it was given. */
export type CommandEnd =
  | {
      readonly kind: 'exited' | 'aborted';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** A command to run with exactly this environment, `input` on standard input, `maxBytes` kept of each output. */
export interface CommandSpec {
  readonly id: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly maxBytes: number;
}

/** The output of a command, as much as it was started with. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs and is talked to over its standard input and output. Nothing here rejects. */
export interface RunningCommand {
  /** Writes to its standard input; resolves when the text was taken, or the program is gone. */
  write(text: string): Promise<void>;
  /** Returns the newest of what it printed on standard error, as much as it was started with. */
  stderr(): string;
  /** Resolves when it ended by itself, was ended, or could not be started; with the reason, for a user. */
  readonly ended: Promise<string>;
  /** Ends it and everything that grew from it. */
  end(): Promise<void>;
}

/** Commands that a user configured: hooks, tool servers. */
export interface Commands {
  /**
   * Runs one to its end. An abort ends the whole process tree. Never rejects. `onStart` is given what returns the output
   * so far; `onStdout` is called whenever more of standard output was kept.
   */
  run(
    command: CommandSpec,
    signal: AbortSignal,
    onStart?: (outputSoFar: () => CommandOutput) => void,
    onStdout?: () => void,
  ): Promise<CommandEnd>;
  /** Starts one that is talked to; `onOutput` hears its standard output as it comes. Never throws. */
  start(command: Omit<CommandSpec, 'input'>, onOutput: (chunk: Uint8Array) => void): RunningCommand;
}

/** A program to start in a pty. */
export interface TerminalSpec {
  readonly id: string;
  readonly kind: 'shell' | 'command';
  readonly sessionId: string;
  readonly project: string;
  readonly callId?: string;
  readonly taskId?: string;
  readonly title: string;
  /** Shown to people; what really runs is `argv`. */
  readonly command?: string;
  /** The user's profile that it is opened with. */
  readonly profile?: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  /** Lines to keep above its screen. */
  readonly scrollback?: number;
  /** Every byte of output is appended here as it comes. */
  readonly outputFile?: string;
  /** It is to go on when this process is killed, so that a later one finds it. */
  readonly outlives?: boolean;
}

/** The progress of a terminal's output. `tail` is its last lines as they came, escapes included. */
export interface TerminalProgress {
  readonly bytes: number;
  readonly lines: number;
  readonly tail: string;
  /** The user has typed into it. */
  readonly typed?: true;
  /** The reason why its file lacks the end of the output: what is left of that is the tail. */
  readonly unsaved?: string;
}

/** The end of a terminal. Its output file is complete when this is reported. */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal?: number;
  readonly bytes: number;
  /**
   * All of a short output, escapes included: nobody needs to read the file for it. Of a longer one that no file has, what is left.
   * Only for who asks first.
   */
  readonly output?: string;
  /** The last lines of a longer one, for the same. */
  readonly tail?: string;
  /** Lines of output in all. */
  readonly lines?: number;
  /** As in the progress. */
  readonly unsaved?: string;
  /** Set when the terminal host died or refused: the command did not end by itself. */
  readonly lost?: string;
  /** The reason the terminal host stopped it: its output passed the limit. */
  readonly stopped?: string;
  /** A note for people about its output, e.g. that part of it was not saved. */
  readonly note?: string;
}

/** The terminal host, seen from the engine. Started at the first use. */
export interface Terminals {
  spawn(spec: TerminalSpec): Promise<Result<TerminalInfo>>;
  /** Calls back at most ten times a second while output comes; gives a function that ends it. */
  onProgress(id: string, listener: (progress: TerminalProgress) => void): () => void;
  /** Resolves when the terminal has ended (at once when it has already). */
  exited(id: string): Promise<TerminalExit>;
  /** Ends the whole process tree: TERM, `graceMs`, KILL, verify. */
  kill(id: string, graceMs: number): Promise<KillReport>;
  list(): Promise<readonly TerminalInfo[]>;
  /**
   * Tells whether a terminal that is not listed may run, because the host that held it does not answer. Its end is then waited
   * for: it is known when that host answers or is gone.
   */
  mayRun(id: string): Promise<boolean>;
  /** Returns what a terminal shows, with the lines above its screen; bounded. */
  text(id: string): Promise<Result<string>>;
  /** Forgets an ended terminal. */
  dismiss(id: string): Promise<void>;
}

/** A text that nobody but this user may read. Nothing here throws. */
export interface SecretFile {
  /** Returns the text; null where there is none, or it cannot be read any more. */
  read(): Promise<string | null>;
  /** Replaces the text, or says why it could not be kept. What stands there and is not ours is kept as a copy, where it can be told. */
  write(text: string, isOurs: (text: string) => boolean): Promise<Result<null>>;
}

/** An address of this machine that a browser is sent back to. */
interface Callback {
  /** `http://127.0.0.1:port/callback`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens for browsers that come back. */
export interface Callbacks {
  /**
   * Listens on a port, or on any free one. `visit` reads what a browser brings and returns what its page says, or null for
   * one that nobody waits for. The error says why nobody can listen there.
   */
  open(
    port: number | undefined,
    visit: (query: URLSearchParams) => string | null,
  ): Promise<Result<Callback, string>>;
}
