import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '../../shared/result';
import type { Clock, Log } from '../engine/ports';
import { fileFault } from './file-fault';
import { makeFolderSync } from './make-folder';

/** A debug log and its file. */
export interface DebugLog extends Log {
  readonly path: string;
}

/** The needs of {@link openDebugLog}. */
export interface DebugLogOptions {
  /** A file of the user's choice, absolute; it grows when it is there. */
  readonly file?: string;
  /** The folder of the log where no file was chosen, one file for each run. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'date'>;
  readonly pid: number;
  /** Tells the user, once, that the log ends here. */
  readonly onFailure: (why: string) => void;
  readonly limits?: Partial<DebugLogLimits>;
}

/** The sizes of a debug log. */
interface DebugLogLimits {
  /** Of the file; the one before it is kept with `.1` behind its name. Bytes. */
  readonly fileBytes: number;
  /** Of one kept text, and of all together; the oldest go. Characters. */
  readonly textChars: number;
  readonly textsChars: number;
  /** Earlier runs whose logs are kept. */
  readonly runs: number;
}

const LIMITS: DebugLogLimits = {
  fileBytes: 16 * 1024 * 1024,
  textChars: 16 * 1024 * 1024,
  textsChars: 64 * 1024 * 1024,
  runs: 4,
};

/**
 * Opens the debug log: one JSON object a line, and long texts as files in a folder beside it. All of it is its owner's only
 * (0600) and bounded. Writes at once and blocks for it, so that nothing is lost when the process dies. Returns the
 * reason, for the user, when the file cannot be opened.
 */
export function openDebugLog(options: DebugLogOptions): Result<DebugLog, string> {
  const limits = { ...LIMITS, ...options.limits };
  const path = options.file ?? join(options.folder, nameOf(options.clock.date(), options.pid));
  try {
    tryToMakeFolder(dirname(path));
    if (options.file === undefined) removeOldRuns(options.folder, limits.runs);
    const file = openRotating(path, limits.fileBytes);
    const texts = openTexts(`${path}.texts`, limits);
    return ok(logOver(path, file, texts, options));
  } catch (thrown) {
    return err(fileFault(path, thrown).message);
  }
}

function logOver(
  path: string,
  file: { write(line: string): void },
  texts: { keep(text: string): string },
  { clock, onFailure }: DebugLogOptions,
): DebugLog {
  let failed = false;
  const attempt = <T>(act: () => T): T | null => {
    if (failed) return null;
    try {
      return act();
    } catch (thrown) {
      failed = true;
      onFailure(fileFault(path, thrown).message);
      return null;
    }
  };
  return {
    path,
    record: (what, facts) => {
      const at = new Date(clock.date()).toISOString();
      attempt(() => file.write(`${JSON.stringify({ at, what, ...facts })}\n`));
    },
    keep: (text) => attempt(() => texts.keep(text)),
  };
}

/** Makes a folder; where that fails, opening the file tells why. */
function tryToMakeFolder(path: string): void {
  try {
    makeFolderSync(path);
  } catch {}
}

/** Opens a file for appending that is renamed when it is full, and begins again. A device only grows. */
function openRotating(path: string, maxBytes: number): { write(line: string): void } {
  const open = () => openSync(path, 'a', 0o600);
  let descriptor = open();
  const found = fstatSync(descriptor);
  let size = found.size;
  return {
    write: (line) => {
      const bytes = Buffer.from(line);
      if (found.isFile() && size > 0 && size + bytes.byteLength > maxBytes) {
        closeSync(descriptor);
        renameSync(path, `${path}.1`);
        descriptor = open();
        size = 0;
      }
      for (let at = 0; at < bytes.byteLength; ) at += writeSync(descriptor, bytes, at);
      size += bytes.byteLength;
    },
  };
}

/** Keeps texts as numbered files in a folder, made at the first; removes the oldest when they grow too many. */
function openTexts(
  folder: string,
  { textChars, textsChars }: DebugLogLimits,
): { keep(text: string): string } {
  const kept: { readonly path: string; readonly length: number }[] = [];
  let count = 0;
  let total = 0;
  return {
    keep: (text) => {
      if (count === 0) makeFolderSync(folder);
      count += 1;
      const part = text.slice(0, textChars);
      total += part.length;
      while (total > textsChars && kept.length > 0) {
        const oldest = kept.shift();
        total -= oldest?.length ?? 0;
        if (oldest) rmSync(oldest.path, { force: true });
      }
      const path = join(folder, `${String(count).padStart(4, '0')}.json`);
      writeFileSync(path, part, { mode: 0o600 });
      kept.push({ path, length: part.length });
      return path;
    },
  };
}

/** Names the log of a run so that names sort by time. */
const nameOf = (now: number, pid: number): string =>
  `debug-${new Date(now).toISOString().replace(/[:.]/g, '-')}-${pid}.log`;

const RUN = /^debug-[-\dTZ]+\.log$/;

/** Removes all but the newest logs of earlier runs, with what lies beside them. */
function removeOldRuns(folder: string, kept: number): void {
  const names = readdirSync(folder);
  const old = names
    .filter((name) => RUN.test(name))
    .toSorted()
    .toReversed()
    .slice(kept);
  for (const run of old)
    for (const name of names.filter((one) => one.startsWith(run)))
      rmSync(join(folder, name), { recursive: true, force: true });
}
