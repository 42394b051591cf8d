import { join } from 'node:path';
import { z } from 'zod';
import type { CostView, DayCosts } from '../../../shared/cost-view';
import type { AppendFile, Clock, Files } from '../ports';
import { createDaySums, type DaySums, dayOf, MAX_REASON, type Spent } from './day-sums';

/** The days whose costs are kept, today included. */
const KEPT_DAYS = 31;
/** The days that people see. */
const SHOWN_DAYS = 30;
/** A day's file is read in parts of this size. Bytes. */
const PART_BYTES = 1024 * 1024;
/** Lines that were written and not read back yet: once there are so many, they are. */
const MAX_UNREAD = 100;
const NEWLINE = 0x0a;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The money that all sessions and processes spend in a day: a line for each request in the file of its day, which
 * every process appends to and reads on. Nothing here fails: what the disk refuses is counted in this process alone.
 */
export interface DayLedger {
  /** Counts a request at once, and writes it down. */
  add(spent: Omit<Spent, 'at'>): void;
  /** Counts that the prompt cache was missed, by the reason. */
  miss(reason: string): void;
  /** Raises the limit of today for everybody. */
  raise(usd: number): void;
  /** Returns the dollars spent today, as far as this process has read. */
  spentUsd(): number;
  /** Returns the dollars by which the limit of today was raised. */
  raisedUsd(): number;
  /** Reads what other processes wrote, once all of this one is written. */
  refresh(): Promise<void>;
  today(): Promise<DayCosts>;
  /** Returns the costs of the days up to today, oldest first. */
  days(): Promise<CostView['days']>;
}

export interface DayLedgerOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** The folder of the files of days. */
  readonly folder: string;
}

/** A line of the file, and what it counts for until it is read back. */
interface Line {
  readonly line: string;
  readonly usd: number;
  readonly raisedUsd: number;
}

/** The one number that is kept of a day that is over. */
const Folded = z.object({ usd: z.number() });

/** Opens the ledger. Nothing is read or written before it is used. */
export function createDayLedger({ files, clock, folder }: DayLedgerOptions): DayLedger {
  let day = '';
  let sums: DaySums = createDaySums('');
  let read = 0;
  /** Counted, and not written yet. */
  let waiting: Line[] = [];
  /** Counted and written, and not read back from the file yet. */
  let unread: Line[] = [];
  /** The file that lines go to, and its day. It stays open: a request costs one write. */
  let target: { readonly of: string; readonly file: AppendFile } | null = null;
  let work: Promise<void> = Promise.resolve();
  let tidied = false;

  const logOf = (of: string) => join(folder, `${of}.ndjson`);
  const foldedOf = (of: string) => join(folder, `${of}.json`);

  /** Begins a new day when it has come. */
  const turnDay = () => {
    const today = dayOf(clock.date());
    if (today === day) return;
    day = today;
    sums = createDaySums(today);
    read = 0;
    unread = [];
  };

  const write = async (): Promise<void> => {
    turnDay();
    const [of, lines] = [day, [...waiting]];
    if (lines.length === 0) return;
    const written = await append(of, lines);
    // In one step, as below: nothing is counted twice in between, or not at all.
    waiting = waiting.slice(lines.length);
    if (!written) sums.readLines(lines.map(({ line }) => line).join('\n'));
    else if (of === day) unread = [...unread, ...lines];
    if (!tidied) await tidy();
    if (unread.length >= MAX_UNREAD) await readBack();
  };

  /** Appends lines to the file of a day; false when the disk refuses. */
  const append = async (of: string, lines: readonly Line[]): Promise<boolean> => {
    if (target?.of !== of) {
      await target?.file.close();
      target = null;
      const opened = await files.openAppend(logOf(of));
      if (!opened.ok) return false;
      target = { of, file: opened.value };
    }
    // What a killed process left of a line must not take this one with it.
    const written = await target.file.append(lines.map(({ line }) => `\n${line}\n`).join(''));
    return written.ok;
  };

  /** Reads what this process and others wrote since the last time. */
  const readBack = async (): Promise<void> => {
    turnDay();
    const [of, from] = [day, read];
    const news = await readOn(files, logOf(of), from);
    if (of !== day) return;
    for (const text of news.texts) sums.readLines(text);
    read = news.end;
    unread = [];
  };

  const enqueue = (act: () => Promise<void>): Promise<void> => {
    work = work.then(act, act);
    return work;
  };

  const put = (line: object, usd: number, raisedUsd: number) => {
    turnDay();
    waiting.push({ line: JSON.stringify({ at: clock.date(), ...line }), usd, raisedUsd });
    enqueue(write).catch(() => {});
  };

  /** Keeps one number of each day that no process writes to any more, and forgets the oldest days. */
  const tidy = async (): Promise<void> => {
    tidied = true;
    const listed = await files.list(folder);
    const oldest = dayOf(clock.date() - (KEPT_DAYS - 1) * DAY_MS);
    const yesterday = dayOf(clock.date() - DAY_MS);
    for (const { name } of listed.ok ? listed.value : []) {
      const [, of, ending] = /^(\d{4}-\d{2}-\d{2})\.(ndjson|json)$/.exec(name) ?? [];
      if (of === undefined) continue;
      if (of < oldest) await files.remove(join(folder, name));
      else if (ending === 'ndjson' && of < yesterday) await fold(of);
    }
  };

  const fold = async (of: string): Promise<void> => {
    const usd = await usdOf(of);
    const written = await files.write(foldedOf(of), JSON.stringify({ usd }), 0o600);
    if (written.ok) await files.remove(logOf(of));
  };

  const usdOf = async (of: string): Promise<number> => {
    const bytes = await files.read(foldedOf(of), 1024);
    if (bytes.ok) return foldedUsd(bytes.value);
    const past = createDaySums(of);
    for (const text of (await readOn(files, logOf(of), 0)).texts) past.readLines(text);
    return past.usd();
  };

  const pending = (of: 'usd' | 'raisedUsd') =>
    [...unread, ...waiting].reduce((sum, one) => sum + one[of], 0);
  const refresh = () =>
    enqueue(async () => {
      await write();
      await readBack();
    });

  return {
    add: (spent) => put(spent, spent.usd, 0),
    miss: (reason) => put({ miss: reason.slice(0, MAX_REASON) }, 0, 0),
    raise: (raisedUsd) => put({ raisedUsd }, 0, raisedUsd),
    spentUsd: () => {
      turnDay();
      return sums.usd() + pending('usd');
    },
    raisedUsd: () => {
      turnDay();
      return sums.raisedUsd() + pending('raisedUsd');
    },
    refresh,
    today: async () => {
      await refresh();
      return sums.costs(clock.date());
    },
    days: async () => {
      await enqueue(tidy);
      const shown: { day: string; usd: number }[] = [];
      for (const of of lastDays(clock.date(), SHOWN_DAYS)) {
        shown.push({ day: of, usd: of === day ? sums.usd() + pending('usd') : await usdOf(of) });
      }
      return shown;
    },
  };
}

/** Returns the days up to one, oldest first. Pure. */
export function lastDays(now: number, count: number): readonly string[] {
  const last = new Date(now);
  return Array.from({ length: count }, (_, i) => {
    // Noon: no change of the clocks moves it to another day.
    const noon = new Date(last.getFullYear(), last.getMonth(), last.getDate() - i, 12);
    return dayOf(noon.getTime());
  }).toReversed();
}

/** Reads the whole lines of a file from a byte on. `end`: the byte to go on from. */
async function readOn(files: Files, path: string, from: number) {
  const texts: string[] = [];
  let end = from;
  for (;;) {
    const part = await files.readRange(path, end, end + PART_BYTES);
    const length = part.ok ? part.value.lastIndexOf(NEWLINE) + 1 : 0;
    if (!part.ok || length === 0) return { texts, end };
    texts.push(new TextDecoder().decode(part.value.subarray(0, length)));
    end += length;
    if (part.value.byteLength < PART_BYTES) return { texts, end };
  }
}

function foldedUsd(bytes: Uint8Array): number {
  try {
    return Folded.parse(JSON.parse(new TextDecoder().decode(bytes))).usd;
  } catch {
    return 0;
  }
}
