import { z } from 'zod';
import { ok } from '../../../../shared/result';
import type { Clock } from '../../ports';
import { escapeMarkup } from '../notification';
import { createOutputReader, type OutputReader } from '../output-reader';
import type { RunningTask, TaskHost, TaskRunner } from '../task-runner';
import { withUnsaved } from '../unsaved-output';
import { type CommandSpec, localBash } from './local-bash';

/** Lines that came close together are told together, and no sooner than this after the last ones. Milliseconds. */
export const NEWS_EVERY_MS = 2_000;
/** Each telling may wake the model and costs a request: after so many a monitor has to be started anew. */
export const MAX_NEWS = 100;
const MAX_LINES = 50;
const MAX_LINE_CHARS = 500;

/** A command whose lines are told to the model as they come. */
export interface MonitorSpec extends CommandSpec {
  /** A regular expression: only lines that match are told. Null: all that are not blank. */
  readonly pattern: string | null;
  /** Ends the monitor after this long; null: never. */
  readonly timeoutMs: number | null;
}

/** The data that a monitor needs to go on after a restart. Times are epoch milliseconds. */
const Memo = z.object({ pattern: z.string().nullable(), endsAt: z.number().nullable() });
type Memo = z.infer<typeof Memo>;

/** Commands that tell the model of the lines they print. docs/spec.md G7. */
export const monitor: TaskRunner<MonitorSpec> = {
  type: 'monitor',
  idPrefix: 'm',
  kind: 'Monitor',
  start: async ({ pattern, timeoutMs, ...spec }, host) => {
    const { listening, watch } = prepareWatch(host, pattern);
    const started = await localBash.start(spec, listening);
    if (!started.ok) return started;
    const endsAt = timeoutMs === null ? null : host.clock.date() + timeoutMs;
    return ok(watch(started.value, { pattern, endsAt }));
  },
  resume: async (task, memo, host) => {
    const parsed = Memo.safeParse(memo);
    if (!parsed.success) return null;
    const { listening, watch } = prepareWatch(host, parsed.data.pattern);
    const found = (await localBash.resume?.(task, null, listening)) ?? null;
    return found && watch(found, parsed.data);
  },
};

/** Prepares a watch over a command that is about to start: `listening` is the host to start it with. */
function prepareWatch(host: TaskHost, pattern: string | null) {
  const output = withUnsaved(createOutputReader(host.files, host.outputFile, host.toldTo));
  const lines = createLineWatcher({
    pattern: pattern === null ? null : new RegExp(pattern, 'u'),
    output,
    clock: host.clock,
    tell: (news) => host.tell(lineNews(host, news), output.offset()),
    exhausted: () => host.stop(TOO_MUCH_NEWS),
  });
  const listening: TaskHost = {
    ...host,
    progress: (progress) => {
      host.progress(progress);
      output.heard(progress);
      lines.moreOutput();
    },
  };
  const watch = (command: RunningTask, memo: Memo): RunningTask => {
    const over = new AbortController();
    const settled = command.settled.finally(() => over.abort('over'));
    const timing = memo.endsAt === null ? null : limitTime(host, memo.endsAt, over.signal);
    return {
      ...command,
      memo,
      settled,
      flush: async () => {
        await timing;
        await lines.finish();
      },
    };
  };
  return { listening, watch };
}

async function limitTime(host: TaskHost, endsAt: number, over: AbortSignal): Promise<void> {
  await host.clock.sleep(Math.max(endsAt - host.clock.date(), 0), over);
  if (!over.aborted) host.stop('Its time was up.');
}

const TOO_MUCH_NEWS =
  'It had too much to tell and was stopped. Start another with a narrower pattern.';

/** Lines that are told, and how many more there were. */
export interface LineNews {
  readonly lines: readonly string[];
  readonly leftOut: number;
}

/** Returns the notification of new lines of a monitor. */
function lineNews({ taskId, title }: TaskHost, { lines, leftOut }: LineNews): string {
  const more =
    leftOut === 0 ? [] : ['(more lines came than are shown; all are in the output file)'];
  return [
    '<task-notification>',
    `<task-id>${escapeMarkup(taskId)}</task-id>`,
    `<task-type>${monitor.type}</task-type>`,
    `<summary>${escapeMarkup(`Monitor "${title}" saw:`)}</summary>`,
    '<lines>',
    ...lines.map(escapeMarkup),
    ...more,
    '</lines>',
    '</task-notification>',
  ].join('\n');
}

interface LineWatcher {
  /** Notes that there is more output; its lines are told when it is time. */
  moreOutput(): void;
  /** Tells what is left: the output is complete. */
  finish(): Promise<void>;
}

interface LineWatcherDeps {
  readonly pattern: RegExp | null;
  readonly output: OutputReader;
  readonly clock: Clock;
  readonly tell: (news: LineNews) => void;
  /** Hears that the last telling it may do was done. */
  readonly exhausted: () => void;
}

/** Creates a watcher of a growing output. Never rejects. */
function createLineWatcher(deps: LineWatcherDeps): LineWatcher {
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

/** Returns the lines that are told, the newest kept when there are too many. Pure. */
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
