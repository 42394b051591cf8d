import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, entryOf } from '../engine/sessions/entries';
import { titleFromPrompt } from '../engine/sessions/list';
import { type LogLine, parseLine } from '../engine/sessions/load';
import { isSessionId } from '../engine/sessions/paths';

/** The log of one session on disk. */
export interface LogFile {
  readonly path: string;
  readonly sessionId: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Lists the logs of all projects, the one written last first. What cannot be read is passed over. */
export function listLogs(projects: string): readonly LogFile[] {
  const logs = foldersIn(projects).flatMap((folder) =>
    namesIn(folder).flatMap((name): LogFile[] => {
      const sessionId = name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : '';
      if (!isSessionId(sessionId)) return [];
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, sessionId, size: stat.size, mtimeMs: stat.mtimeMs }] : [];
    }),
  );
  return logs.sort((a, b) => b.mtimeMs - a.mtimeMs);
}

const foldersIn = (projects: string): readonly string[] =>
  namesIn(projects).map((name) => join(projects, name));

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A text with the time of its event, epoch milliseconds. */
export interface TimedEntry extends Entry {
  readonly at: number;
}

/** The facts of a session that the events of its log so far say. */
export interface SessionFacts {
  /** Null before the log says it: then it is none of a session. */
  readonly project: string | null;
  readonly title: string;
  /** The title was given, not taken from the first prompt. */
  readonly titled: boolean;
}

export const NO_FACTS: SessionFacts = { project: null, title: '', titled: false };

/** A part of a log: what can be found in it, the facts after it, and its end in bytes. */
export interface LogPart {
  readonly entries: readonly TimedEntry[];
  readonly facts: SessionFacts;
  readonly end: number;
}

/** A log is read in parts of about this size. Bytes. */
const PART_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** Reads the whole lines of a log from a byte on, part by part. Ends where it cannot be read. */
export function* readParts(
  path: string,
  from: number,
  facts: SessionFacts,
): Generator<LogPart, void> {
  let [at, known, bytes] = [from, facts, PART_BYTES];
  for (;;) {
    const part = readBytes(path, at, bytes);
    const length = part.lastIndexOf(NEWLINE) + 1;
    if (length === 0) {
      // A line longer than a part is read again with more room; what has no end yet waits for it.
      if (part.length < bytes) return;
      bytes *= 2;
      continue;
    }
    const lines = part.toString('utf8', 0, length).split('\n');
    const entries: TimedEntry[] = [];
    for (const text of lines) {
      const line = text === '' ? null : parseLine(text);
      if (line === null) continue;
      known = factsAfter(known, line);
      const entry = known.project === null ? null : entryOf(line.event);
      if (entry !== null) entries.push({ ...entry, at: line.at });
    }
    at += length;
    bytes = PART_BYTES;
    yield { entries, facts: known, end: at };
  }
}

function factsAfter(facts: SessionFacts, { event }: LogLine): SessionFacts {
  if (event.type === 'session_started') return { ...facts, project: event.cwd };
  if (event.type === 'title_changed') return { ...facts, title: event.title, titled: true };
  if (event.type !== 'user_message' || event.synthetic === true || facts.titled) return facts;
  return facts.title === '' ? { ...facts, title: titleFromPrompt(event.content) } : facts;
}

/** Returns up to `length` bytes of a file from `start` on; none where it cannot be read. */
export function readBytes(path: string, start: number, length: number): Buffer {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const read = readSync(file, buffer, filled, length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== null) closeSync(file);
  }
}
