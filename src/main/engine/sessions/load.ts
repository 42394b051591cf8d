import { basename } from 'node:path';
import { z } from 'zod';
import { DurableEvent, LOG_VERSION, MAIN_AGENT } from '../../../shared/agent-event';
import { foldFrom } from '../../../shared/apply-event';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { emptyTranscript, type Transcript } from '../../../shared/transcript';
import type { Files } from '../ports';
import { fitsSchema } from './fits-schema';

/** A durable event with its time, as one line of the log holds it. */
const LogLine = z.object({ at: z.number(), event: DurableEvent });
export type LogLine = z.infer<typeof LogLine>;

/** A record of a later version of Lathe: it is passed on as it is, and means nothing here. */
interface LaterRecord {
  /** The number of known lines before it. */
  readonly after: number;
  /** Its line, without the end of it. */
  readonly text: string;
}

/** The findings in a log file besides the lines that count. */
export interface LogFindings {
  /** Line numbers (from 1) that could not be read. */
  readonly badLines: readonly number[];
  readonly later: readonly LaterRecord[];
  /** Bytes up to the end of the last line that counts; what follows is torn. */
  readonly wholeBytes: number;
  readonly totalBytes: number;
  /** The last line that counts lacks only its end. */
  readonly endsOpen: boolean;
}

/** The content of a log file. */
export interface LoadedLog extends LogFindings {
  readonly lines: readonly LogLine[];
}

/** A log beyond this is not opened: it would not fit in memory beside its picture. */
const MAX_LOG_BYTES = 1024 * 1024 * 1024;
/** A log is read in pieces of this size, so that its bytes are not in memory beside what they mean. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** Lines become text in pieces of about this size: larger texts fill the old generation of the heap. */
const TEXT_BYTES = 128 * 1024;

const NEWLINE = 0x0a;

/** Takes a log apart, piece by piece. Lines that are no event of ours are counted, never silently lost. */
export class LogParser {
  readonly #give: (line: LogLine) => void;
  readonly #isWanted: (text: string) => boolean;
  #given = 0;
  readonly #badLines: number[] = [];
  readonly #later: LaterRecord[] = [];
  /** The line that the pieces so far did not end. */
  #open: Uint8Array[] = [];
  #number = 0;
  #wholeBytes = 0;
  #totalBytes = 0;

  /** `give` gets each line that counts, in order, as soon as it is read. `isWanted`: others are not looked into. Default: all. */
  constructor(give: (line: LogLine) => void, isWanted: (text: string) => boolean = () => true) {
    this.#give = give;
    this.#isWanted = isWanted;
  }

  push(piece: Uint8Array): void {
    this.#totalBytes += piece.byteLength;
    let from = 0;
    if (this.#open.length > 0) {
      from = piece.indexOf(NEWLINE) + 1;
      if (from > 0) {
        this.#takeAll(joined([...this.#open, piece.subarray(0, from)]));
        this.#open = [];
      }
    }
    const end = piece.lastIndexOf(NEWLINE) + 1;
    while (from < end) {
      const last = piece.lastIndexOf(NEWLINE, from + TEXT_BYTES) + 1;
      const to = last > from ? last : piece.indexOf(NEWLINE, from + TEXT_BYTES) + 1;
      this.#takeAll(piece.subarray(from, to));
      from = to;
    }
    if (end < piece.byteLength) this.#open.push(piece.slice(end));
  }

  end(): LogFindings {
    const rest = joined(this.#open);
    const text = withoutNuls(new TextDecoder().decode(rest));
    const last = lineOf(text);
    const endsOpen = last !== null;
    if (last === 'later') this.#later.push({ after: this.#given, text });
    else if (last !== null) this.#give(last);
    return {
      badLines: this.#badLines,
      later: this.#later,
      wholeBytes: this.#wholeBytes + (endsOpen ? rest.byteLength : 0),
      totalBytes: this.#totalBytes,
      endsOpen,
    };
  }

  /** Takes whole lines. */
  #takeAll(lines: Uint8Array): void {
    this.#wholeBytes += lines.byteLength;
    const whole = new TextDecoder().decode(lines);
    const isOdd = isOddText(whole);
    const hasNuls = whole.includes('\0');
    const texts = whole.split('\n');
    texts.pop();
    for (const written of texts) {
      const text = hasNuls ? withoutNuls(written) : written;
      this.#number += 1;
      if (!this.#isWanted(text)) continue;
      const found = text === '' ? null : lineOf(text, isOdd);
      if (found === 'later') {
        this.#later.push({ after: this.#given, text });
        continue;
      }
      if (found === null && written.trim() !== '') this.#badLines.push(this.#number);
      const line = found ?? behindTorn(text);
      if (line === null) continue;
      this.#given += 1;
      this.#give(line);
    }
  }
}

const withoutNuls = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '') : text;

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = pieces;
  if (only !== undefined && more.length === 0) return only;
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Takes a whole log apart. Pure. */
export function parseLog(bytes: Uint8Array): LoadedLog {
  const lines: LogLine[] = [];
  const parser = new LogParser((line) => void lines.push(line));
  parser.push(bytes);
  return { lines, ...parser.end() };
}

const LaterLine = z.object({ at: z.number(), event: z.object({ type: z.string() }) });

/** Parses one line of a log; null when it is no event of ours. */
export function parseLine(text: string): LogLine | null {
  const line = lineOf(text);
  return line === 'later' ? null : line;
}

/** Returns the whole line that was written right behind a torn one; null when there is none. */
function behindTorn(text: string): LogLine | null {
  const at = text.lastIndexOf(LINE_START);
  return at > 0 ? parseLine(text.slice(at)) : null;
}

/** Within texts its quotes would be escaped. */
const LINE_START = '{"at":';

/** Tells whether a text may hold a key that is no plain field once it is parsed. */
const isOddText = (text: string): boolean => text.includes('__proto__');

/**
 * Parses one line of a log: `later` for an event with a kind, of itself or of a part, that only later versions know; null for
 * no event. `isOdd`: it, or the text it is a part of, is one by {@link isOddText}.
 */
function lineOf(text: string, isOdd = isOddText(text)): LogLine | 'later' | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  // Most lines are as we wrote them; only others are worth the cost of a parse, which copies and cleans.
  if (!isOdd && isLogLine(json)) return json;
  const parsed = LogLine.safeParse(json);
  if (parsed.success) return parsed.data;
  const isLater = parsed.error.issues.every((issue) => isNewWord(issue, json));
  return isLater && LaterLine.safeParse(json).success ? 'later' : null;
}

/** Tells whether all that a schema refuses somewhere is a word: a kind or a state that later versions may know. */
function isNewWord({ code, path, ...issue }: z.core.$ZodIssue, json: unknown): boolean {
  const isKind = code === 'invalid_union' && 'discriminator' in issue;
  if (!isKind && code !== 'invalid_value') return false;
  const value = path.reduce<unknown>((inside, key) => Object(inside)[key], json);
  return typeof value === 'string' && /^[\w.:-]+$/.test(value);
}

const fits = fitsSchema(LogLine);
const isLogLine = (json: unknown): json is LogLine => fits(json);

/** Reads a session's log. Changes nothing; what follows the last whole line is left out. */
export async function loadLog(files: Files, path: string): Promise<Result<LoadedLog, Fault>> {
  const lines: LogLine[] = [];
  const read = await readLog(files, path, (line) => void lines.push(line));
  return read.ok ? ok({ lines, ...read.value }) : read;
}

/**
 * Reads a session's log and gives each line on as soon as it is read: what nobody keeps of a long one is gone before
 * the next is there. What was given counts only when the whole could be read.
 */
export async function readLog(
  files: Files,
  path: string,
  give: (line: LogLine) => void,
): Promise<Result<LogFindings, Fault>> {
  const stat = await files.stat(path);
  if (!stat.ok) return err(fault(stat.error.code, stat.error.message));
  const { size } = stat.value;
  if (size > MAX_LOG_BYTES) {
    return err(fault('too_large', `${path} is larger than ${MAX_LOG_BYTES} bytes.`));
  }
  let first: DurableEvent | null = null;
  const parser = new LogParser((line) => {
    first ??= line.event;
    give(line);
  });
  const read = (at: number) => files.readRange(path, at, Math.min(at + PIECE_BYTES, size));
  let next = read(0);
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const piece = await next;
    // The system reads the next piece while this one is taken apart.
    if (at + PIECE_BYTES < size) next = read(at + PIECE_BYTES);
    if (!piece.ok) return err(fault(piece.error.code, piece.error.message));
    parser.push(piece.value);
    if (isOfNewerLathe(first)) return err(newerLog(path));
  }
  const findings = parser.end();
  return isOfNewerLathe(first) ? err(newerLog(path)) : ok(findings);
}

const isOfNewerLathe = (first: DurableEvent | null): boolean =>
  first?.type === 'session_started' && first.version > LOG_VERSION;

const newerLog = (path: string): Fault =>
  fault(
    'newer_log',
    `The session in ${path} was written by a newer version of Lathe.`,
    'Update Lathe to open it.',
  );

/** The repair of the end of a log. */
export interface TornEnd {
  /** Goes before the next record: ends a line that was left open. */
  readonly prefix: string;
  /** A sentence for the user; absent when nothing was torn. */
  readonly told?: string;
}

/** More files with torn ends are not made beside one log. */
const MAX_TORN_FILES = 100;

/**
 * Takes the line that a crash tore out of the log and keeps its bytes in a file beside it; where that cannot be
 * written, they stay, as a line that is passed over. Only for who holds the session.
 */
export async function setTornEndAside(
  files: Files,
  path: string,
  log: LogFindings,
): Promise<Result<TornEnd, Fault>> {
  const torn = log.totalBytes - log.wholeBytes;
  if (torn === 0) return ok({ prefix: log.endsOpen ? '\n' : '' });
  const bytes = await files.readRange(path, log.wholeBytes, log.totalBytes);
  const aside = bytes.ok ? await freeName(files, `${path}.torn`) : null;
  const kept =
    bytes.ok && aside !== null && (await files.write(aside, bytes.value, 0o600)).ok ? aside : null;
  const where =
    kept === null ? 'It stays where it was.' : `Its bytes are kept in ${basename(kept)} beside it.`;
  const told = `The last line of this session's file is torn (${torn} bytes), because Lathe or the system stopped while it was written. ${where}`;
  if (kept === null) return ok({ prefix: '\n', told });
  const cut = await files.truncate(path, log.wholeBytes);
  return cut.ok ? ok({ prefix: '', told }) : err(fault(cut.error.code, cut.error.message));
}

async function freeName(files: Files, path: string): Promise<string | null> {
  for (let n = 1; n <= MAX_TORN_FILES; n++) {
    const name = n === 1 ? path : `${path}-${n}`;
    const found = await files.stat(name);
    if (!found.ok) return found.error.code === 'not_found' ? name : null;
  }
  return null;
}

/** Folds the transcript of a loaded log. */
export function transcriptOf(sessionId: string, lines: readonly LogLine[]): Transcript {
  const fold = foldTranscript(sessionId);
  for (const line of lines) fold.take(line);
  return fold.transcript();
}

/** Begins a transcript that takes the lines of a log one by one. */
export function foldTranscript(sessionId: string): {
  take(line: LogLine): void;
  transcript(): Transcript;
} {
  const agentId = MAIN_AGENT;
  const epoch = 'file';
  const fold = foldFrom(emptyTranscript(sessionId, epoch));
  let seq = 0;
  return {
    take: ({ at, event }) => {
      seq += 1;
      fold.apply({ sessionId, agentId, epoch, seq, at, event });
    },
    transcript: fold.transcript,
  };
}
