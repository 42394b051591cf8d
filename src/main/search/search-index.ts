import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { OtherOrigin, type SearchAnswer, type SearchHit } from '../../shared/session-search';
import { ANSWER_MS, breathe, createHitCollector, hitOf, type SessionSearch } from './hits';
import {
  type LogFile,
  type LogFolders,
  listLogs,
  NO_FACTS,
  readBytes,
  readParts,
  type SessionFacts,
  type TimedEntry,
} from './log-files';
import { type Term, wordsOf } from './words';

/** The version of the index; one of another version is made anew. */
const VERSION = 3;

/**
 * Ids of entries hold their times (milliseconds times this), so that the newest come first without sorting. The words
 * are taken apart by us: the tokenizer only splits them at spaces.
 */
const IDS_PER_MS = 1024;
const SCHEMA = `
  CREATE TABLE log (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, session TEXT NOT NULL,
    origin TEXT, place TEXT,
    project TEXT, title TEXT NOT NULL, titled INTEGER NOT NULL,
    size INTEGER NOT NULL, mtime REAL NOT NULL, end INTEGER NOT NULL, tail BLOB NOT NULL
  );
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY, log INTEGER NOT NULL, who TEXT NOT NULL, item TEXT NOT NULL, text TEXT NOT NULL
  );
  CREATE INDEX entry_log ON entry(log);
  CREATE VIRTUAL TABLE words USING fts5(
    text, content='', contentless_delete=1, tokenize='ascii', prefix='2 3'
  );
  PRAGMA user_version = ${VERSION};
`;

/** The bytes before the end of what was read, by which a log that was replaced is noticed. */
const TAIL_BYTES = 64;
/** Of a search that finds more entries, the older ones are left out. */
const MAX_FOUND = 20_000;
/** The time to wait for another process that writes. Milliseconds. */
const BUSY_MS = 5_000;
/** Mode of the folder: the user's alone. */
const PRIVATE = 0o700;

type OpenDatabase = (path: string) => DatabaseSync;

/**
 * Creates a search over an index of all logs in a file of its own, which is brought up to date before each search. An
 * index that is gone, broken or of another version is made anew. Throws where there is no full-text index at all.
 */
export function createSearchIndex(
  folders: LogFolders,
  file: string,
  openDatabase: OpenDatabase,
): SessionSearch {
  let index = openIndex(file, openDatabase);
  const renew = () => {
    index.close();
    discard(file);
    index = openIndex(file, openDatabase);
  };
  return {
    search: async function* (terms, ownOnly = false) {
      if (index.isGone()) renew();
      try {
        yield* searchIn(index, listLogs(folders, ownOnly), terms);
      } catch (thrown) {
        if (!isBroken(thrown)) throw thrown;
        renew();
        yield* searchIn(index, listLogs(folders, ownOnly), terms);
      }
    },
    close: () => index.close(),
  };
}

async function* searchIn(index: Index, logs: readonly LogFile[], terms: readonly Term[]) {
  let told = performance.now();
  index.forgetOthers(logs);
  const stale = logs.filter((log) => !index.isCurrent(log));
  for (const [done, log] of stale.entries()) {
    for (const _ of index.read(log)) {
      await breathe();
      if (performance.now() - told < ANSWER_MS) continue;
      yield { ...index.find(terms), progress: { done, total: stale.length }, note: null };
      told = performance.now();
    }
  }
  yield { ...index.find(terms), progress: null, note: null };
}

interface Index {
  /** Tells whether the file was deleted or replaced since it was opened. */
  isGone(): boolean;
  isCurrent(log: LogFile): boolean;
  /** Takes in what a log has new, a part in each step. */
  read(log: LogFile): Generator<void, void>;
  /** Takes out the entries of all other logs. */
  forgetOthers(logs: readonly LogFile[]): void;
  find(terms: readonly Term[]): Pick<SearchAnswer, 'hits' | 'more'>;
  close(): void;
}

interface LogRow extends SessionFacts {
  readonly id: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly end: number;
  readonly tail: Uint8Array;
}

function openIndex(file: string, openDatabase: OpenDatabase): Index {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE });
  chmodSync(dirname(file), PRIVATE);
  try {
    return indexIn(openSound(file, openDatabase), file);
  } catch (thrown) {
    if (!isBroken(thrown)) throw thrown;
    discard(file);
    return indexIn(openSound(file, openDatabase), file);
  }
}

function openSound(file: string, openDatabase: OpenDatabase): DatabaseSync {
  let db = openDatabase(file);
  try {
    db.exec(
      `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`,
    );
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version !== VERSION && version !== 0) {
      db.close();
      discard(file);
      db = openDatabase(file);
    }
    inTransaction(db, () => {
      const now = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
      if (now !== VERSION) db.exec(SCHEMA);
    });
    return db;
  } catch (thrown) {
    if (db.isOpen) db.close();
    throw thrown;
  }
}

/** Deletes the index with what belongs to it. */
function discard(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** SQLite's codes for a file that is damaged, for one that is none of its own, and for one that is too short. */
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const SHORT_READ = 522;

/** Tells whether the index itself is damaged: it can be made anew. An extended code has the kind in its low byte. */
function isBroken(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return false;
  const code = Number(thrown.errcode);
  const kind = code & 0xff;
  // A table that is missing is reported as a plain error, with these words only.
  return (
    code === SHORT_READ ||
    kind === CORRUPT ||
    kind === NOT_A_DATABASE ||
    /no such (?:table|column)/.test(thrown.message)
  );
}

function inTransaction(db: DatabaseSync, act: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    act();
    db.exec('COMMIT');
  } catch (thrown) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
}

function indexIn(db: DatabaseSync, file: string): Index {
  const opened = statSync(file).ino;
  const logOf = db.prepare('SELECT * FROM log WHERE path = ?');
  const logById = db.prepare('SELECT * FROM log WHERE id = ?');
  const addLog = db.prepare(
    "INSERT INTO log (path, session, origin, place, title, titled, size, mtime, end, tail) VALUES (?, ?, ?, ?, '', 0, 0, 0, 0, x'')",
  );
  const setLog = db.prepare(
    'UPDATE log SET project = ?, title = ?, titled = ?, size = ?, mtime = ?, end = ?, tail = ? WHERE id = ?',
  );
  const lastId = db.prepare('SELECT max(id) AS id FROM entry WHERE id >= ? AND id < ?');
  const isTaken = db.prepare('SELECT 1 FROM entry WHERE id = ?');
  const addEntry = db.prepare(
    'INSERT INTO entry (id, log, who, item, text) VALUES (?, ?, ?, ?, ?)',
  );
  const addWords = db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const entryById = db.prepare('SELECT * FROM entry WHERE id = ?');
  const logOfEntry = db.prepare('SELECT log FROM entry WHERE id = ?');
  const matching = db.prepare(
    'SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?',
  );

  const rowOf = (path: string): LogRow | null => {
    const row = logOf.get(path);
    return row === undefined ? null : logRow(row);
  };
  const freeId = (at: number): number => {
    const first = Math.max(0, Math.floor(at)) * IDS_PER_MS;
    const last = lastId.get(first, first + IDS_PER_MS)?.['id'];
    let id = typeof last === 'number' ? last + 1 : first;
    while (isTaken.get(id) !== undefined) id += 1;
    return id;
  };
  const add = (log: number, { at, who, itemId, text }: TimedEntry) => {
    const id = freeId(at);
    addEntry.run(id, log, who, itemId, text);
    addWords.run(
      id,
      wordsOf(text)
        .map(({ folded }) => folded)
        .join(' '),
    );
  };
  const forgetEntries = (log: number) => {
    db.prepare('DELETE FROM words WHERE rowid IN (SELECT id FROM entry WHERE log = ?)').run(log);
    db.prepare('DELETE FROM entry WHERE log = ?').run(log);
  };
  const forgetLog = (log: number) => {
    forgetEntries(log);
    db.prepare('DELETE FROM log WHERE id = ?').run(log);
  };

  /** Returns where to go on in a log; from its beginning when it is not the one that was read. */
  const startOf = ({ path, size, sessionId, other }: LogFile): LogRow => {
    const row = rowOf(path);
    const tail = row === null ? null : readBytes(path, row.end - row.tail.length, row.tail.length);
    if (row !== null && row.end <= size && tail?.equals(row.tail)) return row;
    if (row !== null) forgetLog(row.id);
    addLog.run(path, sessionId, other?.origin ?? null, other?.log ?? null);
    const added = rowOf(path);
    if (added === null) throw new Error('The index does not keep what is written.');
    return added;
  };

  return {
    isGone: () => statSync(file, { throwIfNoEntry: false })?.ino !== opened,
    isCurrent: ({ path, size, mtimeMs }) => {
      const row = rowOf(path);
      return row !== null && row.size === size && row.mtimeMs === mtimeMs;
    },
    read: function* (log) {
      let more = true;
      while (more) {
        // Another process may read the same log: each part begins where the index then stands.
        inTransaction(db, () => {
          const { id, end, tail, ...facts } = startOf(log);
          const part = readParts(log, end, facts).next().value;
          more = part !== undefined && part.end < log.size;
          for (const entry of part?.entries ?? []) add(id, entry);
          const now = part?.facts ?? facts;
          const read = part?.end ?? end;
          const length = Math.min(TAIL_BYTES, read);
          const last = part === undefined ? tail : readBytes(log.path, read - length, length);
          const seen = more ? { size: 0, mtimeMs: 0 } : log;
          const titled = now.titled ? 1 : 0;
          setLog.run(now.project, now.title, titled, seen.size, seen.mtimeMs, read, last, id);
        });
        yield;
      }
    },
    forgetOthers: (logs) => {
      const there = new Set(logs.map(({ path }) => path));
      const gone = db
        .prepare('SELECT id, path FROM log')
        .all()
        .filter((row) => !there.has(String(row['path'])));
      if (gone.length === 0) return;
      inTransaction(db, () => {
        for (const row of gone) forgetLog(Number(row['id']));
      });
    },
    find: (terms) => {
      const hits = createHitCollector<number>();
      for (const row of matching.iterate(matchOf(terms), MAX_FOUND)) {
        const id = Number(row['rowid']);
        const log = logOfEntry.get(id)?.['log'];
        if (typeof log === 'number' && !hits.add(log, id)) break;
      }
      return {
        more: hits.more,
        hits: hits.taken.flatMap((id) => {
          const entry = entryById.get(id);
          const log = entry === undefined ? undefined : logById.get(Number(entry['log']));
          if (entry === undefined || log === undefined) return [];
          return [
            hitOf(String(log['session']), logRow(log), timedEntry(entry), terms, otherOf(log)),
          ];
        }),
      };
    },
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}

/** Writes the terms as a query of the full-text index. Words are letters and digits only, so nothing in them is a command. */
const matchOf = (terms: readonly Term[]): string =>
  terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? '*' : ''}`).join(' AND ');

type Row = Readonly<Record<string, unknown>>;

const logRow = (row: Row): LogRow => ({
  id: Number(row['id']),
  project: row['project'] === null ? NO_FACTS.project : String(row['project']),
  title: String(row['title']),
  titled: row['titled'] === 1,
  size: Number(row['size']),
  mtimeMs: Number(row['mtime']),
  end: Number(row['end']),
  tail: row['tail'] instanceof Uint8Array ? row['tail'] : new Uint8Array(),
});

/** Returns where a log of another agent is; undefined for one of Lathe's own. */
function otherOf(row: Row): SearchHit['other'] {
  const origin = OtherOrigin.safeParse(row['origin']);
  return origin.success ? { origin: origin.data, log: String(row['place']) } : undefined;
}

const WHO = ['user', 'assistant', 'tool'] as const;

const timedEntry = (row: Row): TimedEntry => ({
  at: Math.floor(Number(row['id']) / IDS_PER_MS),
  who: WHO.find((who) => who === row['who']) ?? 'tool',
  itemId: String(row['item']),
  text: String(row['text']),
});
