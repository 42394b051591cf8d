import { LOG_LEVELS, type LogLevel, type ServerLogEntry } from '../../../shared/tool-server';
import type { Clock } from '../ports';

/** The most lines of one server that are kept. */
const MAX_ENTRIES = 300;
/** The longest line. Characters. */
const MAX_CHARS = 2000;

/** The log of a server: its words and its states, the newest lines of them. */
export interface ServerLog {
  add(from: ServerLogEntry['from'], level: LogLevel, text: string): void;
  entries(): readonly ServerLogEntry[];
}

/** Creates the log of one server; `changed` hears of each line. */
export function createServerLog(clock: Pick<Clock, 'date'>, changed: () => void): ServerLog {
  const kept: ServerLogEntry[] = [];
  return {
    add: (from, level, text) => {
      if (kept.length === MAX_ENTRIES) kept.shift();
      kept.push({ at: clock.date(), level, from, text: text.slice(0, MAX_CHARS).toWellFormed() });
      changed();
    },
    entries: () => [...kept],
  };
}

/** Returns a logging message of a server as a line. Pure. */
export function logLine({
  level,
  logger,
  data,
}: {
  readonly level: string;
  readonly logger?: string | undefined;
  readonly data?: unknown;
}): { readonly level: LogLevel; readonly text: string } {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  return {
    level: LOG_LEVELS.find((one) => one === level) ?? 'info',
    text: logger === undefined ? text : `${logger}: ${text}`,
  };
}
