import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { SearchHit } from '../../shared/session-search';
import { type Entry, entryOf } from '../engine/sessions/entries';
import { titleFromPrompt } from '../engine/sessions/list';
import { type LogLine, parseLine } from '../engine/sessions/load';
import type { OtherFolder } from '../engine/sessions/other-log-page';
import { type OtherLine, readOtherLine } from '../engine/sessions/other-logs';
import { isSessionId } from '../engine/sessions/paths';

/** The log of one session on disk. */
export interface LogFile {
  readonly path: string;
  readonly sessionId: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Another agent wrote it, and where it is below that agent's folder. */
  readonly other?: NonNullable<SearchHit['other']>;
}

/** The folders that logs are in. Absolute. */
export interface LogFolders {
  /** Of Lathe's own, by project. */
  readonly projects: string;
  readonly others: readonly OtherFolder[];
}

/** Of another agent's logs so many are searched, those written last, and of each so much. */
const MAX_OTHER_LOGS = 5_000;
const MAX_OTHER_BYTES = 64 * 1024 * 1024;
/** The folders below which one agent keeps logs: by project, or by year, month and day. */
const OTHER_DEPTH = { claude: 1, codex: 3 } as const;

/** Lists the logs in all folders, or in Lathe's own only, the one written last first. What cannot be read is passed over. */
export function listLogs({ projects, others }: LogFolders, ownOnly: boolean): readonly LogFile[] {
  const logs = [...ownLogs(projects), ...(ownOnly ? [] : others.flatMap(otherLogs))];
  return logs.sort(newestFirst);
}

const newestFirst = (a: LogFile, b: LogFile): number => b.mtimeMs - a.mtimeMs;

const ownLogs = (projects: string): readonly LogFile[] =>
  foldersIn(projects).flatMap((folder) =>
    namesIn(folder).flatMap((name): LogFile[] => {
      const sessionId = name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : '';
      if (!isSessionId(sessionId)) return [];
      return logAt(join(folder, name), sessionId);
    }),
  );

function otherLogs({ origin, folder }: OtherFolder): readonly LogFile[] {
  let folders: readonly string[] = [folder];
  for (let depth = OTHER_DEPTH[origin]; depth > 0; depth -= 1) folders = folders.flatMap(foldersIn);
  const logs = folders.flatMap((place) =>
    namesIn(place).flatMap((name): LogFile[] => {
      // What sub-agents of it said stands in files of their own.
      if (!name.endsWith('.jsonl') || name.startsWith('agent-')) return [];
      const path = join(place, name);
      const other = { origin, log: relative(folder, path) };
      return logAt(path, basename(name, '.jsonl')).map((log) => ({
        ...log,
        other,
        size: Math.min(log.size, MAX_OTHER_BYTES),
      }));
    }),
  );
  return logs.sort(newestFirst).slice(0, MAX_OTHER_LOGS);
}

function logAt(path: string, sessionId: string): LogFile[] {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? [{ path, sessionId, size: stat.size, mtimeMs: stat.mtimeMs }] : [];
  } catch {
    return [];
  }
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

/** Longer lines of another agent are not read, nor what stands behind them. Bytes. */
const MAX_OTHER_LINE = 32 * 1024 * 1024;

/** Reads the whole lines of a log from a byte on, part by part. Ends where it cannot be read. */
export function* readParts(
  { path, other, size }: Pick<LogFile, 'path' | 'other' | 'size'>,
  from: number,
  facts: SessionFacts,
): Generator<LogPart, void> {
  let [at, known, bytes] = [from, facts, PART_BYTES];
  for (;;) {
    const most = other === undefined ? bytes : Math.min(bytes, Math.max(0, size - at));
    const part = readBytes(path, at, most);
    const length = part.lastIndexOf(NEWLINE) + 1;
    if (length === 0) {
      // A line longer than a part is read again with more room; what has no end yet waits for it.
      if (part.length < bytes || (other !== undefined && bytes >= MAX_OTHER_LINE)) return;
      bytes *= 2;
      continue;
    }
    const lines = part.toString('utf8', 0, length).split('\n');
    const entries: TimedEntry[] = [];
    let offset = at;
    for (const text of lines) {
      if (other !== undefined) {
        const said = text === '' ? null : readOtherLine(other.origin, text, offset);
        offset += Buffer.byteLength(text) + 1;
        if (said === null) continue;
        known = otherFacts(known, said);
        for (const entry of said.entries) entries.push({ ...entry, at: said.at });
        continue;
      }
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

function otherFacts(facts: SessionFacts, { project, title, entries }: OtherLine): SessionFacts {
  const known = { ...facts, project: facts.project ?? project ?? null };
  if (title !== undefined && title !== '') return { ...known, title, titled: true };
  const prompt = entries.find(({ who }) => who === 'user');
  if (prompt === undefined || facts.titled || facts.title !== '') return known;
  return { ...known, title: titleFromPrompt([{ type: 'text', text: prompt.text }]) };
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
