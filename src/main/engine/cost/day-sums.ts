import { z } from 'zod';
import type { CostRow, DayCosts } from '../../../shared/cost-view';
import { NO_USAGE } from '../../../shared/facts';
import { Usage } from '../../../shared/message';

/** The longest reason of a miss. Characters. */
export const MAX_REASON = 300;

/** One request that was paid for. */
export const Spent = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  session: z.string(),
  project: z.string(),
  /** The kind of agent, `main` for the one a user talks to. */
  agent: z.string(),
  /** `answers`, the name of a tool, or what else it was for. */
  use: z.string(),
  model: z.string(),
  usd: z.number(),
  usage: Usage,
});
export type Spent = z.infer<typeof Spent>;

/** A line of a day's file: a request, a limit that a user raised for that day, or the reason why a cache was missed. */
const Line = z.union([
  Spent,
  z.object({ at: z.number(), raisedUsd: z.number().positive() }),
  z.object({ at: z.number(), miss: z.string().max(MAX_REASON) }),
]);
type Line = z.infer<typeof Line>;

/** Reasons of misses that are counted apart, and shown. */
const MAX_REASONS = 100;
const SHOWN_REASONS = 10;

/** Names of one kind that are counted apart; what comes with others is counted as one. */
const MAX_NAMES = 500;
const OTHERS = 'others';

const MINUTE_MS = 60_000;

interface Damage {
  readonly line: number;
  readonly count: number;
}

/** The growing sums of one day. */
export interface DaySums {
  /** Counts the next lines of the day's file in; what is no such line is passed over, and one of a later version silently. */
  readLines(text: string): void;
  /** Returns how many lines cannot be read, and the number of the first; null when all can. `open`: the line without an end. */
  damage(open?: string): Damage | null;
  usd(): number;
  raisedUsd(): number;
  costs(now: number): DayCosts;
}

/** Returns the day of a moment in the time zone of this machine. Pure. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Begins the sums of a day. */
export function createDaySums(day: string): DaySums {
  const groups = {
    session: new Map(),
    model: new Map(),
    agent: new Map(),
    use: new Map(),
  } satisfies Record<string, Map<string, CostRow>>;
  const byHour = Array.from({ length: 24 }, () => 0);
  /** Dollars by minute since the epoch: a day has 1440 of them, some a few more. */
  const minutes = new Map<number, number>();
  const misses = new Map<string, number>();
  let [usd, requests, raisedUsd, usage] = [0, 0, 0, NO_USAGE];
  let ends = 0;
  let damage: Damage | null = null;
  const oneMore = (line: number): Damage => ({
    line: damage?.line ?? line,
    count: (damage?.count ?? 0) + 1,
  });

  const count = (kind: keyof typeof groups, name: string, spent: Spent) => {
    const rows: Map<string, CostRow> = groups[kind];
    const known = rows.has(name) || rows.size < MAX_NAMES ? name : OTHERS;
    const before = rows.get(known) ?? { name: known, usd: 0, requests: 0 };
    rows.set(known, {
      ...before,
      ...(kind === 'session' && known !== OTHERS ? { project: spent.project } : {}),
      usd: before.usd + spent.usd,
      requests: before.requests + 1,
    });
  };
  const add = (line: Line) => {
    if ('raisedUsd' in line) {
      raisedUsd += line.raisedUsd;
      return;
    }
    if ('miss' in line) {
      const before = misses.get(line.miss);
      if (before !== undefined || misses.size < MAX_REASONS)
        misses.set(line.miss, (before ?? 0) + 1);
      return;
    }
    for (const kind of ['session', 'model', 'agent', 'use'] as const) count(kind, line[kind], line);
    usd += line.usd;
    requests += 1;
    usage = {
      inputTokens: usage.inputTokens + line.usage.inputTokens,
      outputTokens: usage.outputTokens + line.usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens + line.usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens + line.usage.cacheWriteTokens,
    };
    const hour = new Date(line.at).getHours();
    byHour[hour] = (byHour[hour] ?? 0) + line.usd;
    const minute = Math.floor(line.at / MINUTE_MS);
    if (minutes.has(minute) || minutes.size < 1600) {
      minutes.set(minute, (minutes.get(minute) ?? 0) + line.usd);
    }
  };
  const rowsOf = (rows: ReadonlyMap<string, CostRow>): readonly CostRow[] =>
    [...rows.values()].toSorted((a, b) => b.usd - a.usd || b.requests - a.requests);

  return {
    readLines: (text) => {
      const lines = text.split('\n');
      for (const [at, line] of lines.entries()) {
        if (line === '') continue;
        const read = parseLine(line);
        if (typeof read === 'object') add(read);
        if (read === 'unread') damage = oneMore(ends + at + 1);
      }
      ends += lines.length - 1;
    },
    damage: (open = '') =>
      open !== '' && parseLine(open) === 'unread' ? oneMore(ends + 1) : damage,
    usd: () => usd,
    raisedUsd: () => raisedUsd,
    costs: (now) => ({
      ...{ day, usd, requests, usage, byHour: [...byHour] },
      lastHourUsd: [...minutes]
        .filter(([minute]) => minute > Math.floor(now / MINUTE_MS) - 60)
        .reduce((sum, [, spent]) => sum + spent, 0),
      bySession: rowsOf(groups.session),
      byModel: rowsOf(groups.model),
      byAgent: rowsOf(groups.agent),
      byUse: rowsOf(groups.use),
      misses: [...misses]
        .map(([reason, count]) => ({ reason, count }))
        .toSorted((a, b) => b.count - a.count)
        .slice(0, SHOWN_REASONS),
    }),
  };
}

const NOT_THERE = z.undefined().optional();

/** A line of a kind that only later versions know. */
const LaterLine = z.object({
  ...{ at: z.number(), usd: NOT_THERE, raisedUsd: NOT_THERE, miss: NOT_THERE },
});

function parseLine(text: string): Line | 'later' | 'unread' {
  try {
    const json: unknown = JSON.parse(text);
    const read = Line.safeParse(json);
    if (read.success) return read.data;
    return LaterLine.safeParse(json).success ? 'later' : 'unread';
  } catch {
    return 'unread';
  }
}
