import path from 'node:path';
import { type AgentEvent, type DurableEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { plainLine } from '../../../shared/plain-line';
import { err, fault } from '../../../shared/result';
import { isSettled, type Task } from '../../../shared/task';
import { type KillReport, livesOn, unheardEndPath } from '../../../shared/terminal';
import type { Clock, Files, Ids, Terminals } from '../ports';
import { LiveTask } from './live-task';
import { aboutText, type LoggedTask, type Notice, openTasksIn, pastTasksIn } from './notification';
import { createOutputReader, type OutputReader } from './output-reader';
import type { AnyTaskRunner } from './runners';
import type { AgentTasks, StartedTask, StopOutcome, TaskStart } from './task-runner';
import { NOTHING_KILLED, STOP_GRACE_MS, type TaskRunner } from './task-runner';

/** Finished tasks that are kept for the list; older ones whose end was told go. Their output files stay. */
const MAX_FINISHED = 50;

/** Finished tasks that are kept at most, told or not. */
const MAX_UNTOLD = 500;

/** Longer titles are cut. Characters. */
const MAX_TITLE = 500;

/** Tasks that are on no list any more and whose output can still be read. */
const MAX_PAST = 1000;

/** A task that is on no list any more. */
interface PastTask {
  readonly task: Task;
  readonly output: OutputReader;
}

/** The parts of a task manager. */
export interface TaskManagerDeps {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sessionId: string;
  /** Output files go to `tasks/` in it. */
  readonly sessionFolder: string;
  /** Takes up tasks that a log tells of. */
  readonly runners: readonly AnyTaskRunner[];
  /** Records an event of an agent. */
  readonly emit: (event: AgentEvent, agentId: string) => void;
}

/** The tasks that go on when their session is closed: all that can, none, or those in these terminals. */
export type KeptTasks = boolean | ReadonlySet<string>;

/**
 * The background work of one session. It knows states, notices and eviction, and no kind of work by name. Every
 * change of a background task is an event; a foreground task is shown by its call.
 */
export interface TaskManager extends Pick<AgentTasks, 'list' | 'stop'> {
  /** Stops a task as the user wishes: the model hears of it with the next prompt, and is not woken by it. */
  stopByUser(taskId: string): ReturnType<AgentTasks['stop']>;
  /** Ends every running task; afterwards all are settled, or the report says what survived. */
  stopAll(graceMs: number, why: string, kept?: KeptTasks): Promise<KillReport>;
  /** Returns the tasks as one agent and its tools see them. */
  forAgent(agentId: string): AgentTasks;
  /** Calls back when a notice comes, or work ended without one, so that an idle session wakes; returns a function that ends it. */
  onNotice(listener: () => void): () => void;
  /** Gives the tasks of an agent that ends, and the notices it was not told, to another agent. */
  handOver(from: string, to: string): void;
  /**
   * Takes up what the log of an earlier process left open: work that still runs goes on as a background task, other
   * work is settled as lost, and what nobody was told of waits as a notice. All of it is the main agent's, since no
   * sub-agent outlives its process. Wakes nobody.
   */
  resume(events: readonly DurableEvent[]): Promise<void>;
  /** Records and tells nothing from here on; what runs goes on. */
  close(): void;
}

/** Creates the tasks of one session, none at first. */
export function createTaskManager(deps: TaskManagerDeps): TaskManager {
  const { terminals, files, clock, sessionId } = deps;
  const outputFolder = path.join(deps.sessionFolder, 'tasks');
  const tasks = new Map<string, LiveTask>();
  const past = new Map<string, PastTask>();
  const wakers = new Set<() => void>();
  let notices: readonly Notice[] = [];
  let closed = false;

  const emit = (event: AgentEvent, agentId: string = MAIN_AGENT) => {
    if (!closed) deps.emit(event, agentId);
  };

  const notify = (notice: Notice, quiet: boolean) => {
    if (closed) return;
    notices = [...notices, quiet ? { ...notice, quiet } : notice];
    if (!quiet) wakeAll();
  };
  const wakeAll = () => {
    for (const wake of wakers) wake();
  };

  const outputFrom = ({ outputFile = '' }: Task, readTo: number) =>
    createOutputReader(files, outputFile, readTo);

  const remember = (task: Task, output: OutputReader) => {
    past.set(task.id, { task, output });
    for (const id of past.keys()) if (past.size > MAX_PAST) past.delete(id);
  };

  const evictOld = async () => {
    const evicted = tasksToEvict([...tasks.values()].map(({ task }) => task));
    for (const task of evicted) {
      const { id } = task;
      remember(task, tasks.get(id)?.running?.output ?? outputFrom(task, 0));
      tasks.delete(id);
      emit({ type: 'task_evicted', taskId: id });
    }
    const ended = evicted.flatMap(({ terminalId }) => terminalId ?? []);
    await Promise.all(ended.map((id) => terminals.dismiss(id)));
  };

  const register = (task: Task): LiveTask => {
    const live = new LiveTask(task, { ...deps, emit, notify, wake: wakeAll, onSettled: evictOld });
    tasks.set(task.id, live);
    return live;
  };

  const start = <Spec>(
    agentId: string,
    runner: TaskRunner<Spec>,
    spec: Spec,
    { background, ...about }: TaskStart,
  ): StartedTask => {
    const id = deps.ids.next(runner.idPrefix);
    const outputFile = path.join(outputFolder, `${id}.output`);
    const live = register({
      id,
      type: runner.type,
      kind: runner.kind,
      sessionId,
      agentId,
      ...about,
      title: plainLine(about.title, MAX_TITLE),
      status: 'pending',
      isBackgrounded: background,
      startedAt: clock.date(),
      outputFile,
      outputBytes: 0,
      outputLines: 0,
      lastLine: '',
      endTold: false,
    });
    return {
      taskId: id,
      outputFile,
      running: live.begin(runner, spec),
      settled: live.end,
      cleanup: () => {
        if (!live.task.isBackgrounded) tasks.delete(id);
      },
    };
  };

  const stop: AgentTasks['stop'] = async (id, why, graceMs = STOP_GRACE_MS) => {
    const live = tasks.get(id);
    const task = live?.task ?? past.get(id)?.task;
    if (task === undefined) return notStopped(`There is no task ${id}.`);
    if (live === undefined || live.settled.aborted)
      return notStopped(`Task ${id} has already ended (${task.status}).`);
    const report = await live.stop(graceMs, why);
    const ok = report.survivors.length === 0;
    const said = ok ? `Task ${id} was stopped.` : `Task ${id} was stopped, but not all of it.`;
    const message = [said, livesOn(report)].join(' ').trim();
    return { ok, message, report };
  };

  const endTold = (live: LiveTask) => {
    const about = aboutText(live.task.id, { kind: 'ended' });
    notices = notices.filter((notice) => notice.about !== about);
    live.endTold();
  };

  const list = () =>
    [...tasks.values()].map(({ task }) => task).filter(({ isBackgrounded }) => isBackgrounded);

  return {
    list,
    stop,
    stopByUser: (id) => {
      tasks.get(id)?.keepQuiet();
      return stop(id, 'Stopped by the user.');
    },
    stopAll: async (graceMs, why, kept = false) => {
      const isKept = ({ outlives, task }: LiveTask) =>
        kept === true ? outlives : kept !== false && kept.has(task.terminalId ?? '');
      const running = [...tasks.values()].filter((live) => !live.settled.aborted && !isKept(live));
      const reports = await Promise.all(running.map((live) => live.stop(graceMs, why)));
      return {
        killed: reports.flatMap(({ killed }) => killed),
        survivors: reports.flatMap(({ survivors }) => survivors),
      };
    },
    forAgent: (agentId) => ({
      list,
      stop,
      get: (id) => tasks.get(id)?.task ?? past.get(id)?.task ?? null,
      start: (runner, spec, about) => start(agentId, runner, spec, about),
      moveToBackground: (id) => tasks.get(id)?.moveToBackground() ?? false,
      message: async (id, text, signal) => {
        const live = tasks.get(id);
        return live?.running?.message && !live.settled.aborted
          ? live.running.message(text, signal)
          : err(fault('no_messages', `Task ${id} takes no messages.`));
      },
      settled: async (id, timeoutMs, signal) => {
        const live = tasks.get(id);
        if (live === undefined) return past.get(id)?.task ?? null;
        await clock.sleep(timeoutMs, AbortSignal.any([signal, live.settled]));
        return live.task;
      },
      onProgress: (id, listener) => tasks.get(id)?.onProgress(listener) ?? (() => {}),
      readNewOutput: async (id) => {
        const output = tasks.get(id)?.running?.output ?? past.get(id)?.output;
        if (output === undefined) return { text: '', skippedBytes: 0, readTo: 0 };
        return { ...(await output.readNew()), readTo: output.offset() };
      },
      endSeen: (id) => {
        const live = tasks.get(id);
        if (live?.task.agentId === agentId && live.settled.aborted) endTold(live);
      },
      notices: () => notices.filter((notice) => notice.agentId === agentId),
      noticeTold: (notice) => {
        notices = notices.filter((other) => other !== notice);
        const live = tasks.get(notice.taskId);
        if (live && notice.about === aboutText(notice.taskId, { kind: 'ended' })) endTold(live);
      },
    }),
    onNotice: (listener) => {
      wakers.add(listener);
      return () => void wakers.delete(listener);
    },
    handOver: (from, to) => {
      notices = notices.map((notice) =>
        notice.agentId === from ? { ...notice, agentId: to } : notice,
      );
      for (const live of tasks.values()) if (live.task.agentId === from) live.handTo(to);
    },
    resume: async (events) => {
      for (const { task, readTo } of pastTasksIn(events).slice(-MAX_PAST))
        remember({ ...task, agentId: MAIN_AGENT, endTold: true }, outputFrom(task, readTo));
      const open = openTasksIn(events);
      const takeUps = open.map((logged) => {
        const task = { ...logged.task, agentId: MAIN_AGENT };
        const live = register(task);
        if (task.sessionId !== sessionId) return live.takeUp(logged, null, LEFT_BEHIND);
        const runner = deps.runners.find(({ type }) => type === task.type);
        return live.takeUp(logged, runner ?? null, LOST);
      });
      await Promise.all([...takeUps, removeToldEnds(files, outputFolder, open)]);
    },
    close: () => {
      closed = true;
      for (const live of tasks.values()) live.letGo();
    },
  };
}

/** Returns the finished tasks that go: the oldest whose end was told, and beyond a bound any. Pure. */
function tasksToEvict(all: readonly Task[]): readonly Task[] {
  const finished = all
    .filter(({ status, isBackgrounded }) => isBackgrounded && isSettled(status))
    .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const told = finished.filter(({ endTold }) => endTold);
  const evicted = told.slice(0, Math.max(finished.length - MAX_FINISHED, 0));
  const left = finished.filter((task) => !evicted.includes(task));
  return [...evicted, ...left.slice(0, Math.max(left.length - MAX_UNTOLD, 0))];
}

const LOST =
  'Lost: Lathe ended while it ran, and nobody saw how it went on. Processes it started may still be there.';
const LEFT_BEHIND = 'It stayed with the session this one was forked from.';

const notStopped = (message: string): StopOutcome => ({
  ok: false,
  message,
  report: NOTHING_KILLED,
});

/** The end of the name of an end that stands beside an output file. */
const SUFFIX = unheardEndPath('');

/** Removes the ends that were left beside output files in a folder, but those of tasks in `open`: the log has the others. */
async function removeToldEnds(
  files: Files,
  folder: string,
  open: readonly Pick<LoggedTask, 'task'>[],
): Promise<void> {
  const kept = new Set(open.map(({ task }) => unheardEndPath(task.outputFile ?? '')));
  const listed = await files.list(folder);
  const left = (listed.ok ? listed.value : [])
    .filter(({ name, kind }) => kind === 'file' && name.endsWith(SUFFIX))
    .map(({ name }) => path.join(folder, name))
    .filter((end) => !kept.has(end));
  await Promise.all(left.map((end) => files.remove(end)));
}
