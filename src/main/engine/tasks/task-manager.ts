import type { AgentEvent } from '../../../shared/agent-event';
import { isSettled, type Task } from '../../../shared/task';
import type { KillReport } from '../../../shared/terminal';
import type { Clock, Files, TerminalExit, Terminals } from '../ports';
import { changeTask, judgeExit, type TaskChange } from './lifecycle';
import { createLineWatcher } from './line-news';
import { lineNotification, taskNotification } from './notification';
import { createNotificationQueue } from './notification-queue';
import { createOutputReader, type NewOutput, type OutputReader } from './output-reader';
import { lastLineOf, plainText } from './plain-text';

/** Finished tasks that are kept for the list; older ones go (their output files stay). */
const MAX_FINISHED = 50;

/** Progress of one task is told at most this often. */
const PROGRESS_EVERY_MS = 250;

/** How long a stopped task may take to come down by itself. SPEC G4. */
const STOP_GRACE_MS = 2000;

/** How long to wait for the report of an end after everything was killed. */
const END_REPORT_MS = 5000;

/** What a task manager works with. `emit` records an event of the session. */
export interface TaskManagerDeps {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly clock: Clock;
  readonly sessionId: string;
  readonly emit: (event: AgentEvent) => void;
}

/** A running terminal that becomes a task. */
export interface AdoptedTerminal {
  readonly taskId: string;
  readonly callId: string;
  readonly terminalId: string;
  readonly title: string;
  readonly command: string;
  readonly outputFile: string;
  /** It is a monitor: lines of its output are told to the model as they come. */
  readonly monitor?: MonitorChoice;
}

/** How a monitor listens. */
export interface MonitorChoice {
  /** Only lines that match are told; null: all that are not blank. */
  readonly pattern: RegExp | null;
  /** Ends the monitor after this long; null: never. */
  readonly timeoutMs: number | null;
}

/** What became of a stop. `report` names every process that was ended and every one that was not. */
export interface StopOutcome {
  readonly ok: boolean;
  readonly message: string;
  readonly report: KillReport;
}

/** The background work of one session. Every change is an event; every end is one notification. */
export interface TaskManager {
  list(): readonly Task[];
  get(id: string): Task | null;
  /** Takes a running terminal over as a task: `local_bash`, or `monitor`. */
  adoptTerminal(args: AdoptedTerminal): Task;
  /** Ends a task's whole process tree. */
  stop(id: string): Promise<StopOutcome>;
  /** Ends every running task; afterwards all are settled, or the report says what survived. */
  stopAll(graceMs: number): Promise<KillReport>;
  /** Resolves when the task is settled, after `timeoutMs`, or on abort; null when there is no such task. */
  settled(id: string, timeoutMs: number, signal: AbortSignal): Promise<Task | null>;
  /** Plain output since the last call for this task. */
  readNewOutput(id: string): Promise<NewOutput>;
  /** `<task-notification>` texts that nobody has taken yet, oldest first. Each is given exactly once. */
  takeNotifications(): readonly string[];
  /** Calls back when a notification waits, so that an idle session wakes; gives a function that ends it. */
  onNotification(listener: () => void): () => void;
}

interface Entry {
  task: Task;
  readonly terminalId: string;
  readonly output: OutputReader;
  readonly ended: AbortController;
  /** Resolves when the task is settled. */
  done: Promise<void>;
  /** Why it is being ended; null while nobody asked. */
  stopping: string | null;
}

/** The tasks of one session, none at first. */
export function createTaskManager(deps: TaskManagerDeps): TaskManager {
  const { terminals, clock, emit } = deps;
  const entries = new Map<string, Entry>();
  const notifications = createNotificationQueue();

  const update = (entry: Entry, change: TaskChange) => {
    entry.task = changeTask(entry.task, change);
  };

  const tellLater = async (entry: Entry) => {
    await clock.sleep(PROGRESS_EVERY_MS, entry.ended.signal);
    if (!isSettled(entry.task.status)) emit({ type: 'task_changed', task: entry.task });
  };

  const settle = (entry: Entry, exit: TerminalExit) => {
    update(entry, {
      type: 'settled',
      ...judgeExit(exit, entry.stopping),
      at: clock.now(),
      exitCode: exit.exitCode,
      outputBytes: exit.bytes,
    });
    entry.ended.abort();
    emit({ type: 'task_settled', task: entry.task });
    notifications.add(taskNotification(entry.task));
  };

  const evictOld = async () => {
    const finished = [...entries.values()].filter((entry) => isSettled(entry.task.status));
    const evicted = entriesToEvict(finished, MAX_FINISHED);
    for (const { task } of evicted) {
      entries.delete(task.id);
      emit({ type: 'task_evicted', taskId: task.id });
    }
    await Promise.all(evicted.map((entry) => terminals.dismiss(entry.terminalId)));
  };

  const kill = (entry: Entry, graceMs: number, why: string): Promise<KillReport> => {
    entry.stopping ??= why;
    return terminals.kill(entry.terminalId, graceMs);
  };

  const end = async (entry: Entry, graceMs: number): Promise<KillReport> => {
    const report = await kill(entry, graceMs, ON_REQUEST);
    const waiting = new AbortController();
    await Promise.race([entry.done, clock.sleep(END_REPORT_MS, waiting.signal)]);
    waiting.abort();
    return report;
  };

  /** Ends a monitor when its time is up. */
  const limitTime = async (entry: Entry, timeoutMs: number) => {
    await clock.sleep(timeoutMs, entry.ended.signal);
    if (!entry.ended.signal.aborted) await kill(entry, STOP_GRACE_MS, TIME_UP);
  };

  const watchLines = (
    entry: Entry,
    { outputFile, monitor }: AdoptedTerminal,
    exhausted: () => void,
  ) =>
    createLineWatcher({
      pattern: monitor?.pattern ?? null,
      output: createOutputReader(deps.files, outputFile),
      clock,
      tell: (news) => notifications.add(lineNotification(entry.task, news)),
      exhausted,
    });

  const follow = async (entry: Entry, args: AdoptedTerminal) => {
    const ending: Promise<unknown>[] = [];
    const tooMuch = () => ending.push(kill(entry, STOP_GRACE_MS, TOO_MUCH_NEWS));
    const watcher = args.monitor ? watchLines(entry, args, tooMuch) : null;
    if (args.monitor?.timeoutMs) ending.push(limitTime(entry, args.monitor.timeoutMs));
    let telling: Promise<void> | null = null;
    const unfollow = terminals.onProgress(entry.terminalId, (progress) => {
      watcher?.moreOutput();
      update(entry, {
        type: 'progress',
        outputBytes: progress.bytes,
        lastLine: lastLineOf(plainText(progress.tail)),
      });
      telling ??= tellLater(entry).then(() => {
        telling = null;
      });
    });
    const exit = await terminals.exited(entry.terminalId);
    unfollow();
    await watcher?.finish();
    settle(entry, exit);
    await Promise.all([telling, ...ending]);
    await evictOld();
  };

  return {
    list: () => [...entries.values()].map((entry) => entry.task),
    get: (id) => entries.get(id)?.task ?? null,
    adoptTerminal: (args) => {
      const entry: Entry = {
        task: startedTask(args, deps.sessionId, clock.now()),
        terminalId: args.terminalId,
        output: createOutputReader(deps.files, args.outputFile),
        ended: new AbortController(),
        done: Promise.resolve(),
        stopping: null,
      };
      entries.set(args.taskId, entry);
      emit({ type: 'task_changed', task: entry.task });
      entry.done = follow(entry, args);
      return entry.task;
    },
    stop: async (id) => {
      const entry = entries.get(id);
      if (entry === undefined) return notStopped(`There is no task ${id}.`);
      if (isSettled(entry.task.status)) {
        return notStopped(`Task ${id} has already ended (${entry.task.status}).`);
      }
      const report = await end(entry, STOP_GRACE_MS);
      return report.survivors.length === 0
        ? { ok: true, message: `Task ${id} was stopped.`, report }
        : {
            ok: false,
            message: `Processes of task ${id} would not end: ${report.survivors.join(', ')}.`,
            report,
          };
    },
    stopAll: async (graceMs) => {
      const running = [...entries.values()].filter((entry) => !isSettled(entry.task.status));
      const reports = await Promise.all(running.map((entry) => end(entry, graceMs)));
      return {
        killed: reports.flatMap((report) => report.killed),
        survivors: reports.flatMap((report) => report.survivors),
      };
    },
    settled: async (id, timeoutMs, signal) => {
      const entry = entries.get(id);
      if (entry === undefined) return null;
      await clock.sleep(timeoutMs, AbortSignal.any([signal, entry.ended.signal]));
      return entry.task;
    },
    readNewOutput: async (id) => (await entries.get(id)?.output.readNew()) ?? NOTHING_NEW,
    takeNotifications: notifications.take,
    onNotification: notifications.onAdd,
  };
}

/** The finished tasks beyond `limit`, oldest first: those are also the ones whose end was told first. */
const entriesToEvict = (finished: readonly Entry[], limit: number): readonly Entry[] =>
  finished
    .toSorted((a, b) => (a.task.endedAt ?? 0) - (b.task.endedAt ?? 0))
    .slice(0, Math.max(finished.length - limit, 0));

const ON_REQUEST = 'Stopped on request.';
const TIME_UP = 'Its time was up.';
const TOO_MUCH_NEWS =
  'It had too much to tell and was stopped. Start another with a narrower pattern.';

const NOTHING_NEW: NewOutput = { text: '', skippedBytes: 0 };

const notStopped = (message: string): StopOutcome => ({
  ok: false,
  message,
  report: { killed: [], survivors: [] },
});

const startedTask = (args: AdoptedTerminal, sessionId: string, now: number): Task => ({
  id: args.taskId,
  type: args.monitor ? 'monitor' : 'local_bash',
  sessionId,
  callId: args.callId,
  title: args.title,
  command: args.command,
  status: 'running',
  startedAt: now,
  terminalId: args.terminalId,
  outputFile: args.outputFile,
  outputBytes: 0,
  lastLine: '',
});
