import type { Clock } from '../ports';
import type { OutputReader } from './output-reader';

/** What a monitor listens for. */
export interface LineFilter {
  /** Only lines it matches are news; null: all that are not blank. */
  readonly pattern: RegExp | null;
}

/** Lines that came close together are told together, and no sooner than this after the last news. Milliseconds. */
export const NEWS_EVERY_MS = 2_000;
/** Each news may wake the model and costs a request: after so many a monitor has to be started anew. */
export const MAX_NEWS = 100;
const MAX_LINES = 50;
const MAX_LINE_CHARS = 500;

/** Lines that are news, and how many more there were. */
export interface LineNews {
  readonly lines: readonly string[];
  readonly leftOut: number;
}

/** Follows the output of one monitor. */
export interface LineWatcher {
  /** There is more output; news of it come when it is time. */
  moreOutput(): void;
  /** The output is complete: tells what is left. */
  finish(): Promise<void>;
}

export interface LineWatcherDeps extends LineFilter {
  readonly output: OutputReader;
  readonly clock: Clock;
  readonly tell: (news: LineNews) => void;
  /** The last news it may give was given. */
  readonly exhausted: () => void;
}

/** A watcher of a growing output. Never rejects. */
export function createLineWatcher(deps: LineWatcherDeps): LineWatcher {
  let told = 0;
  let partial = '';
  let watching: Promise<void> | null = null;
  let again = false;
  const finished = new AbortController();

  const gather = async (last: boolean): Promise<LineNews> => {
    const { text, skippedBytes } = await deps.output.readNew();
    // The reader gives an unfinished last line again once it has grown, and nothing when it has not.
    const lines = text === '' ? [partial] : text.split('\n');
    partial = lines.pop() ?? '';
    if (last && partial !== '') lines.push(partial);
    return newsIn(lines, deps.pattern, skippedBytes > 0);
  };

  const tell = (news: LineNews) => {
    if (news.lines.length === 0 || told >= MAX_NEWS) return;
    told += 1;
    deps.tell(news);
    if (told === MAX_NEWS) deps.exhausted();
  };

  const watch = async () => {
    do {
      again = false;
      tell(await gather(false));
      await deps.clock.sleep(NEWS_EVERY_MS, finished.signal);
    } while (again && !finished.signal.aborted);
    watching = null;
  };

  return {
    moreOutput: () => {
      again = true;
      watching ??= watch();
    },
    finish: async () => {
      finished.abort();
      await watching;
      tell(await gather(true));
    },
  };
}

/** The lines that are news, the newest kept when there are too many. Pure. */
export function newsIn(
  lines: readonly string[],
  pattern: RegExp | null,
  someSkipped: boolean,
): LineNews {
  const news = lines
    .map((line) => line.slice(0, MAX_LINE_CHARS).trimEnd())
    .filter((line) => line !== '' && (pattern === null || pattern.test(line)));
  const kept = news.slice(-MAX_LINES);
  return { lines: kept, leftOut: news.length - kept.length + (someSkipped ? 1 : 0) };
}
