import { join } from 'node:path';
import { z } from 'zod';
import type { CostView, DayCosts } from '../../../shared/cost-view';
import type { SettingsProblem } from '../../../shared/settings';
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
  /** Returns which files of days cannot be read as a whole; those of today are read on for it. */
  problems(): Promise<readonly SettingsProblem[]>;
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
  /** The last line of its file, where that has no end: whoever wrote it was killed. */
  let torn = '';
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
    torn = '';
    unread = [];
  };

  const write = async (): Promise<void> => {
    turnDay();
    const [of, lines] = [day, [...waiting]];
    if (lines.length === 0) return;
    const written = await append(of, lines);
    // In one step, as below: nothing is counted twice in between, or not at all.
    waiting = waiting.slice(lines.length);
    if (!written) for (const { line } of lines) sums.readLines(line);
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
    torn = news.rest;
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
      const [, of, ending] = DAY_FILE.exec(name) ?? [];
      if (of === undefined) continue;
      if (of < oldest) await files.remove(join(folder, name));
      else if (ending === 'ndjson' && of < yesterday) await fold(of);
    }
  };

  const fold = async (of: string): Promise<void> => {
    const { usd, damage } = await pastDay(of);
    // What cannot be read of it is nowhere else.
    if (damage !== null) return;
    const written = await files.write(foldedOf(of), JSON.stringify({ usd }), 0o600);
    if (written.ok) await files.remove(logOf(of));
  };

  /** Reads a day that is not today. */
  const pastDay = async (of: string): Promise<PastDay> => {
    const bytes = await files.read(foldedOf(of), 1024);
    const usd = bytes.ok ? foldedUsd(bytes.value) : null;
    if (usd !== null) return { usd, damage: null };
    const past = createDaySums(of);
    const { texts, rest } = await readOn(files, logOf(of), 0);
    for (const text of texts) past.readLines(text);
    const unread = bytes.ok ? { file: foldedOf(of), message: NO_NUMBER } : null;
    return { usd: past.usd(), damage: damageOf(logOf(of), past, rest) ?? unread };
  };

  /** The days before today that were looked at for problems: nobody writes to most of them any more. */
  const looked = new Map<string, PastDay['damage']>();
  const damages = async (): Promise<readonly PastDay['damage'][]> => {
    const listed = await files.list(folder);
    const found = (listed.ok ? listed.value : []).map(({ name }) => DAY_FILE.exec(name)?.[1] ?? '');
    const days = new Set(found);
    for (const of of days)
      if (of !== '' && of !== day && !looked.has(of)) looked.set(of, (await pastDay(of)).damage);
    return [
      damageOf(logOf(day), sums, torn),
      ...[...looked].flatMap(([of, one]) => (of === day || !days.has(of) ? [] : one)),
    ];
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
        shown.push({
          day: of,
          usd: of === day ? sums.usd() + pending('usd') : (await pastDay(of)).usd,
        });
      }
      return shown;
    },
    problems: async () => {
      await refresh();
      const found = (await damages()).filter((one) => one !== null);
      return found.slice(0, MAX_PROBLEMS).map((one) => ({ ...one, level: 'warning' }));
    },
  };
}

/** More broken days are not told one by one. */
const MAX_PROBLEMS = 5;

/** The files of a day. */
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.(ndjson|json)$/;

/** The cost of a day before today, and the part of its file that cannot be read. */
interface PastDay {
  readonly usd: number;
  readonly damage: Omit<SettingsProblem, 'level'> | null;
}

const NO_NUMBER = 'its sum cannot be read, so the day counts as what its other file holds.';

/** Returns what cannot be read of a day's lines; null where all can. */
function damageOf(file: string, sums: DaySums, rest: string): PastDay['damage'] {
  const damage = sums.damage(rest);
  if (damage === null) return null;
  const { line, count } = damage;
  const many = count === 1 ? 'a line' : `${count} lines`;
  const message = `${many} cannot be read, so what was paid there counts nowhere, for the limit of a day neither. The file stays as it is.`;
  return { file, line, message };
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

/** Reads the whole lines of a file from a byte on. `end`: the byte to go on from; `rest`: the line behind it without an end. */
async function readOn(files: Files, path: string, from: number) {
  const texts: string[] = [];
  let end = from;
  for (;;) {
    const part = await files.readRange(path, end, end + PART_BYTES);
    const length = part.ok ? part.value.lastIndexOf(NEWLINE) + 1 : 0;
    const rest = part.ok ? new TextDecoder().decode(part.value.subarray(length)) : '';
    if (!part.ok || length === 0) return { texts, end, rest };
    texts.push(new TextDecoder().decode(part.value.subarray(0, length)));
    end += length;
    if (part.value.byteLength < PART_BYTES) return { texts, end, rest };
  }
}

function foldedUsd(bytes: Uint8Array): number | null {
  try {
    return Folded.parse(JSON.parse(new TextDecoder().decode(bytes))).usd;
  } catch {
    return null;
  }
}
