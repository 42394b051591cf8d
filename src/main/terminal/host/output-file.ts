import { accessSync, close, constants, open, write, writeFileSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type UnheardEnd, unheardEndPath } from '../../../shared/terminal';
import { messageOf } from '../run-folder';

/** The most that waits for the disk; beyond it output is left out until the disk has caught up. Bytes. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;
/** With more than this waiting the program should wait, too. Bytes. */
const BEHIND_BYTES = 2 * 1024 * 1024;

/** Up to this much is written without asking another thread. Bytes. */
const AT_ONCE_BYTES = 16 * 1024;

/** Errors of the system in words. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['EFBIG', 'its file would be larger than the system allows'],
  ['EROFS', 'the disk is read-only'],
  ['EACCES', 'its folder cannot be written to'],
]);

/** The part of a file handle that writing needs. */
export interface Sink {
  /** Resolves when the file is there; fails when it cannot be made. */
  opened(): Promise<unknown>;
  write(bytes: Buffer, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  close(): Promise<void>;
}

/**
 * Appends a terminal's output to its file as it comes, in order. Never waits: {@link behind} asks for a pause, and where the
 * disk is full or stays too slow, bytes are left out, the file says where, and {@link truncated} says why.
 */
export class OutputFile {
  readonly #sink: Sink;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #skippedBytes = 0;
  #writing: Promise<void> | null = null;
  #truncated: string | null = null;
  #broken = false;
  #caughtUp: () => void = () => undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** True while the disk is so far behind that the program should wait. */
  get behind(): boolean {
    return this.#queuedBytes > BEHIND_BYTES;
  }

  /** Calls `act` after each write that leaves it not {@link behind}. */
  onCaughtUp(act: () => void): void {
    this.#caughtUp = act;
  }

  /**
   * Creates the file or appends to it; only its owner may read it. Its folder is there when this resolves; the file comes while
   * the program starts ({@link written} waits for it). If one of them does not, {@link truncated} says what is missing.
   */
  static async open(path: string): Promise<OutputFile> {
    try {
      await prepareFolder(dirname(path));
      return new OutputFile(appendingTo(path));
    } catch (error) {
      const file = new OutputFile(NOWHERE);
      file.#giveUp(error);
      return file;
    }
  }

  /** The reason why the end of the output is not in the file, because the disk refused it; null when it is. */
  get unsaved(): string | null {
    return this.#broken ? this.#truncated : null;
  }

  /** The reason why bytes are missing in the file; null when none are. */
  get truncated(): string | null {
    return this.#truncated;
  }

  append(batch: Buffer): void {
    if (this.#broken) return;
    if (this.#queuedBytes + batch.byteLength > MAX_BACKLOG_BYTES) {
      this.#skippedBytes += batch.byteLength;
      this.#truncated = 'the disk did not keep up with the output';
      return;
    }
    this.#noteSkipped();
    this.#enqueue(batch);
    this.#writing ??= this.#drain();
  }

  /**
   * Resolves when the file is there with everything so far in it, as far as it can be. Never fails: see {@link
   * truncated}.
   */
  async written(): Promise<void> {
    if (!this.#broken) this.#noteSkipped();
    await (this.#writing ?? this.#drain());
    // Where nothing was printed, nothing has waited for the file yet.
    await this.#sink.opened().catch(() => undefined);
  }

  /** Writes what is left and closes the file. */
  async finish(): Promise<void> {
    await this.written();
    await this.#sink.close().catch(() => undefined);
  }

  #noteSkipped(): void {
    if (this.#skippedBytes === 0) return;
    this.#enqueue(Buffer.from(`\n[${this.#skippedBytes} bytes of output were not written here]\n`));
    this.#skippedBytes = 0;
  }

  #enqueue(batch: Buffer): void {
    this.#queue.push(batch);
    this.#queuedBytes += batch.byteLength;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const bytes = Buffer.concat(this.#queue);
      this.#queue = [];
      try {
        await this.#writeAll(bytes);
      } catch (error) {
        this.#giveUp(error);
      }
      this.#queuedBytes = Math.max(0, this.#queuedBytes - bytes.byteLength);
      if (!this.behind) this.#caughtUp();
    }
    this.#writing = null;
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      at += (await this.#sink.write(bytes, at, bytes.byteLength - at)).bytesWritten;
    }
  }

  #giveUp(error: unknown): void {
    this.#broken = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    const { code = '' } = error as NodeJS.ErrnoException;
    this.#truncated = REASONS.get(code) ?? messageOf(error);
  }
}

/** The sink of a file that cannot be made. */
const NOWHERE: Sink = {
  opened: async () => undefined,
  write: async (_bytes, _offset, length) => ({ bytesWritten: length }),
  close: async () => undefined,
};

/** Makes the folder unless it is there, as it nearly always is. */
async function prepareFolder(folder: string): Promise<void> {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}

/**
 * Opens a file for appending. Making one takes up to a millisecond, so another thread does it meanwhile. Little is written at once, which takes
 * microseconds; asking another thread can take milliseconds on a busy machine.
 */
function appendingTo(path: string): Sink {
  const opening = openLater(path, 'a', 0o600);
  // Whoever writes hears of it.
  opening.catch(() => undefined);
  return {
    opened: () => opening,
    write: async (bytes, offset, length) => {
      const descriptor = await opening;
      return length <= AT_ONCE_BYTES
        ? { bytesWritten: writeSync(descriptor, bytes, offset, length) }
        : writeLater(descriptor, bytes, offset, length);
    },
    close: async () => closeLater(await opening),
  };
}

const openLater = promisify(open);
const writeLater = promisify(write);
const closeLater = promisify(close);

/** Writes down how a terminal ended beside its output file, at once. A full disk costs no more than that. */
export function leaveEnd(outputFile: string, end: UnheardEnd): void {
  try {
    writeFileSync(unheardEndPath(outputFile), JSON.stringify(end), { mode: 0o600 });
  } catch {
    // Nowhere to write to.
  }
}

/** Returns what is missing of a terminal's output: its end, or what could not be saved; null when nothing is. */
export function missingOutputNote(
  file: Pick<OutputFile, 'truncated'> | null,
  unread: string | undefined,
): string | null {
  if (unread !== undefined) return `The end of the output may be missing: ${unread}.`;
  if (file === null || file.truncated === null) return null;
  return `Part of the output was not saved: ${file.truncated}.`;
}
