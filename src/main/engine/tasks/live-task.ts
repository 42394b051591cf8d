import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import { type Fault, ok, type Result } from '../../../shared/result';
import { isSettled, type Task } from '../../../shared/task';
import { type KillReport, livesOn } from '../../../shared/terminal';
import type { Clock, Files, Terminals } from '../ports';
import { changeTask, type TaskChange } from './lifecycle';
import type { LoggedTask } from './notification';
import { aboutText, endNotice, type Notice, stallNotice } from './notification';
import type { ProgressListener } from './task-runner';
import {
  NOTHING_KILLED,
  type RunningTask,
  STOP_GRACE_MS,
  type TaskEnd,
  type TaskHost,
  type TaskProgress,
  type TaskRunner,
} from './task-runner';

/** Progress of one task is an event at most this often. Milliseconds. */
const PROGRESS_EVERY_MS = 250;

/** The longest wait for the report of an end after everything was killed. Milliseconds. */
const END_REPORT_MS = 5000;

/** The services and callbacks of a live task. */
interface LiveTaskDeps {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly clock: Clock;
  /** Records an event of an agent; of a background task it is the main agent's, whose log outlives the others. */
  readonly emit: (event: AgentEvent, agentId: string) => void;
  /** Passes a notice on to the agent; a quiet one wakes nobody. */
  readonly notify: (notice: Notice, quiet: boolean) => void;
  /** Rouses who waits for the end of its work, where no notice tells it. */
  readonly wake: () => void;
  /** Hears that the task is settled and that was said. */
  readonly onSettled: () => Promise<void>;
}

/** One task, from its registration until its end was told. */
export class LiveTask {
  readonly #deps: LiveTaskDeps;
  #task: Task;
  #running: RunningTask | null = null;
  #progress: TaskProgress;
  /** Epoch milliseconds. */
  #lastOutputAt: number;
  #stopping: string | null = null;
  #waitTold = false;
  #outlives = true;
  /** It ended before this process looked: nobody is woken for that. */
  #quiet = false;
  readonly #listeners = new Set<ProgressListener>();
  /** Aborts when the work has ended, before that is said. */
  readonly #over = new AbortController();
  readonly #settled = new AbortController();
  readonly #end = Promise.withResolvers<TaskEnd>();
  #watching: Promise<void> | null = null;
  #telling: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;
  readonly #stops: Promise<unknown>[] = [];
  readonly #kills: Promise<KillReport>[] = [];

  /** Registers a task; a background one is on screen from now on. */
  constructor(task: Task, deps: LiveTaskDeps) {
    this.#deps = deps;
    this.#task = task;
    this.#progress = { bytes: task.outputBytes, lines: task.outputLines, tail: '' };
    this.#lastOutputAt = deps.clock.now();
    if (isSettled(task.status)) this.#settled.abort('over');
    else if (task.status === 'pending') this.#announce();
  }

  get task(): Task {
    return this.#task;
  }

  get running(): RunningTask | null {
    return this.#running;
  }

  /** Its work goes on without this process, and a later one can take it up. */
  get outlives(): boolean {
    return this.#outlives;
  }

  /** Aborts when the task is settled. */
  get settled(): AbortSignal {
    return this.#settled.signal;
  }

  /** Resolves when the task is settled. Never rejects. */
  get end(): Promise<TaskEnd> {
    return this.#end.promise;
  }

  /** Starts the work. When that fails the task is settled, and the call that wanted it has the error. */
  async begin<Spec>(runner: TaskRunner<Spec>, spec: Spec): Promise<Result<Task>> {
    this.#outlives = runner.resume !== undefined;
    const started = await runner.start(spec, this.#host({ readTo: 0, toldTo: 0 }));
    if (!started.ok) {
      this.#change({ type: 'end_told' });
      this.#settle(neverStarted(started.error));
      return started;
    }
    this.#follow(started.value);
    this.#record();
    if (this.#stopping !== null) this.#stops.push(this.#kill(started.value, STOP_GRACE_MS));
    return ok(this.#task);
  }

  /**
   * Takes up a task that an earlier process left open, as a background task: `runner` finds the work, null when it
   * cannot be found. Wakes nobody.
   */
  async takeUp(
    logged: LoggedTask,
    runner: Pick<TaskRunner<never>, 'resume'> | null,
    lostBecause: string,
  ): Promise<void> {
    this.#waitTold = logged.waitTold;
    if (this.settled.aborted) return this.#deps.notify(endNotice(this.#task), true);
    const found = (await runner?.resume?.(this.#task, logged.memo, this.#host(logged))) ?? null;
    this.#quiet = found === null || found.endedBefore === true;
    if (found === null) return this.#lose(lostBecause);
    const wasForeground = this.#change({ type: 'backgrounded' });
    this.#follow(found);
    if (wasForeground) this.#record();
    else this.#announce();
    if (this.#quiet) await this.#finishing;
  }

  /** Lets the task go on without the call that waits for it; false when it has ended or does so already. */
  moveToBackground(): boolean {
    if (this.#running === null || !this.#change({ type: 'backgrounded' })) return false;
    this.#record();
    return true;
  }

  /** Ends everything it started, for a reason that people and the model are told. */
  async stop(graceMs: number, why: string): Promise<KillReport> {
    this.#stopping ??= why;
    const report =
      this.#running === null ? NOTHING_KILLED : await this.#kill(this.#running, graceMs);
    const waiting = new AbortController();
    await Promise.race([this.end, this.#deps.clock.sleep(END_REPORT_MS, waiting.signal)]);
    waiting.abort('over');
    return report;
  }

  #kill(running: RunningTask, graceMs: number): Promise<KillReport> {
    const report = running.stop(graceMs);
    this.#kills.push(report);
    return report;
  }

  /** Wakes nobody from here on: what is still to tell waits for the next prompt. */
  keepQuiet(): void {
    this.#quiet = true;
  }

  /** Makes another agent the one that is told of it. */
  handTo(agentId: string): void {
    this.#task = { ...this.#task, agentId };
    this.#announce();
  }

  /** Notes that the agent knows of the end. */
  endTold(): void {
    if (this.#change({ type: 'end_told' })) this.#announce();
  }

  /** Calls back as output comes and when the task changes; returns a function that ends it. */
  onProgress(listener: ProgressListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the watchdog; what runs goes on. */
  letGo(): void {
    this.#over.abort('over');
  }

  #change(what: TaskChange): boolean {
    const changed = changeTask(this.#task, what);
    if (changed === this.#task) return false;
    this.#task = changed;
    for (const listener of this.#listeners) listener(changed, this.#progress);
    return true;
  }

  #emit(event: AgentEvent): void {
    const { isBackgrounded, agentId } = this.#task;
    this.#deps.emit(event, isBackgrounded ? MAIN_AGENT : agentId);
  }

  #announce(): void {
    if (this.#task.isBackgrounded) this.#emit({ type: 'task_changed', task: this.#task });
  }

  /** Writes down that the task runs, so that a later process can take it up. */
  #record(): void {
    const memo = this.#running?.memo === undefined ? {} : { memo: this.#running.memo };
    this.#emit({ type: 'task_started', task: this.#task, ...memo });
  }

  #notify(notice: Notice): void {
    if (this.#task.isBackgrounded) this.#deps.notify(notice, this.#quiet);
  }

  #host(known: Pick<LoggedTask, 'readTo' | 'toldTo'>): TaskHost {
    const { terminals, files, clock } = this.#deps;
    const { id, sessionId, callId, title, isBackgrounded, outputFile = '' } = this.#task;
    return {
      ...{ terminals, files, clock, taskId: id, sessionId, callId, title, outputFile },
      isBackgrounded,
      readTo: known.readTo,
      toldTo: known.toldTo,
      progress: (progress) => this.#advance(progress),
      tell: (text, toldTo) =>
        this.#notify({
          ...{ agentId: this.#task.agentId, taskId: id, text },
          about: aboutText(id, { kind: 'output', toldTo }),
        }),
      stop: (why) => void this.#stops.push(this.stop(STOP_GRACE_MS, why)),
    };
  }

  #follow(running: RunningTask): void {
    this.#running = running;
    this.#change({ type: 'started', terminalId: running.terminalId, note: running.note });
    this.#finishing = this.#finish(running);
  }

  #advance(progress: TaskProgress): void {
    if (progress.bytes !== this.#progress.bytes) this.#lastOutputAt = this.#deps.clock.now();
    this.#progress = progress;
    this.#change({ type: 'progress', progress });
    if (this.#over.signal.aborted) return;
    this.#watching ??= watchForSilence(
      {
        clock: this.#deps.clock,
        lastOutputAt: () => this.#lastOutputAt,
        onSilent: () => this.#onSilent(),
      },
      this.#over.signal,
    );
    if (this.#task.isBackgrounded) this.#telling ??= this.#announceLater();
  }

  async #announceLater(): Promise<void> {
    await this.#deps.clock.sleep(PROGRESS_EVERY_MS, this.settled);
    this.#telling = null;
    if (!this.settled.aborted) this.#announce();
  }

  #onSilent(): void {
    if (!this.#change({ type: 'silent' })) return;
    this.#announce();
    if (this.#waitTold || !this.#task.isBackgrounded) return;
    this.#waitTold = true;
    this.#notify(stallNotice(this.#task));
  }

  /** The order at an end: the watchdog stops, what is left is told, kills are verified, the status is set, the end is told. */
  async #finish(running: RunningTask): Promise<void> {
    const end = await running.settled;
    this.#over.abort('over');
    await running.flush?.();
    const reports = await Promise.all(this.#kills);
    const left = [...new Set(reports.map(livesOn))].filter((said) => said !== '');
    if (this.#stopping !== null) this.#stopping = [this.#stopping, ...left].join(' ');
    this.#settle(end);
    await Promise.all([this.#watching, this.#telling, ...this.#stops]);
    await this.#deps.onSettled();
  }

  #settle(end: TaskEnd): void {
    this.#over.abort('over');
    if (end.quiet === true) this.#change({ type: 'end_told' });
    // The end is told by another process's clock.
    const at = Math.max(this.#task.startedAt, end.endedAt ?? this.#deps.clock.date());
    this.#change({ type: 'settled', end, stopped: this.#stopping, at });
    this.#settled.abort('over');
    if (this.#task.isBackgrounded) this.#emit({ type: 'task_settled', task: this.#task });
    if (!this.#task.endTold) this.#notify(endNotice(this.#task, end.report));
    if (end.quiet === true) this.#deps.wake();
    this.#end.resolve(end);
  }

  async #lose(why: string): Promise<void> {
    const size = await this.#deps.files.stat(this.#task.outputFile ?? '');
    const wasForeground = !this.#task.isBackgrounded;
    // Of a call that was cut off the model knows already that nobody saw its end.
    if (wasForeground) this.#change({ type: 'end_told' });
    this.#settle({
      status: 'failed',
      result: { code: null, interrupted: false },
      bytes: size.ok ? size.value.size : this.#task.outputBytes,
      lost: why,
      note: why,
    });
    if (wasForeground) this.#emit({ type: 'task_settled', task: this.#task });
  }
}

const neverStarted = ({ message }: Fault): TaskEnd => ({
  status: 'failed',
  result: { code: null, interrupted: false },
  bytes: 0,
  note: `It could not be started: ${message}`,
});

/** A task that has been silent this long while its last line looks like a question waits for input. docs/spec.md G5. */
export const SILENT_MS = 45_000;

/** The inputs and the callback of a watchdog. */
interface StallWatchdogDeps {
  readonly clock: Clock;
  /** Returns when output came last, in epoch milliseconds. */
  readonly lastOutputAt: () => number;
  /** Hears of each silence once, when it has lasted {@link SILENT_MS}. */
  readonly onSilent: () => void;
}

/** Watches for silences until the signal aborts. Never rejects. */
async function watchForSilence(deps: StallWatchdogDeps, signal: AbortSignal): Promise<void> {
  const { clock, lastOutputAt, onSilent } = deps;
  let reported: number | null = null;
  while (!signal.aborted) {
    const since = lastOutputAt();
    const left = since + SILENT_MS - clock.now();
    if (left <= 0 && since !== reported) {
      reported = since;
      onSilent();
    }
    await clock.sleep(left > 0 ? left : SILENT_MS, signal);
  }
}
