import type { Result } from '../../../shared/result';
import type { SettledStatus, Task, TaskResult } from '../../../shared/task';
import type { KillReport } from '../../../shared/terminal';
import type { Clock, Files, Terminals } from '../ports';
import type { Notice } from './notification';
import type { NewOutput, OutputReader } from './output-reader';

/**
 * One kind of background work. To add one: a file with a runner beside the others in `runners/`, and its line in
 * `runners.ts`. Nothing else knows a kind by name.
 */
export interface TaskRunner<Spec> {
  /** The name of the kind in states and logs, e.g. `local_bash`. */
  readonly type: string;
  /** The beginning of its tasks' ids, so that people and models can tell kinds apart. */
  readonly idPrefix: string;
  /** The name people have for such a task, e.g. "Background command". */
  readonly kind: string;
  /** Starts the work; an error means that nothing runs. Never rejects. */
  start(spec: Spec, host: TaskHost): Promise<Result<RunningTask>>;
  /**
   * Takes up work that an earlier process of Lathe started; null when it is gone. `memo` is what the runner left in
   * {@link RunningTask.memo}, read from a file. Left out: such work never outlives its process. Never rejects.
   */
  resume?(task: Task, memo: unknown, host: TaskHost): Promise<RunningTask | null>;
}

/** The surroundings of one task, given to its runner. */
export interface TaskHost {
  readonly terminals: Terminals;
  readonly files: Files;
  readonly clock: Clock;
  readonly taskId: string;
  readonly sessionId: string;
  /** The id of the call that started it; undefined when no call did. */
  readonly callId: string | undefined;
  readonly title: string;
  /** No call waits for it. */
  readonly isBackgrounded: boolean;
  /** The file that its output goes to, byte by byte as it comes. */
  readonly outputFile: string;
  /** The place up to which the model has read the output, in bytes: 0 but for work that is taken up again. */
  readonly readTo: number;
  /** The place in the output up to which the model was told, in bytes, as {@link tell} last said. */
  readonly toldTo: number;
  /** Reports how far the work has come. */
  progress(progress: TaskProgress): void;
  /** Tells the agent what the work found; `toldTo` is how far into the output that goes, in bytes. */
  tell(text: string, toldTo: number): void;
  /** Stops the task for a reason that goes to people and the model. */
  stop(reason: string): void;
}

/** The size of a task's output so far. `tail` is its last lines in plain text. */
export interface TaskProgress {
  readonly bytes: number;
  readonly lines: number;
  readonly tail: string;
  /** The user has typed into it. */
  readonly typed?: true;
  /** The end of the output as it came, escapes included, where its file lacks that, and why. */
  readonly unsaved?: { readonly tail: string; readonly why: string };
}

/** Work that has started. */
export interface RunningTask {
  readonly terminalId?: string;
  readonly output: OutputReader;
  /** The data that {@link TaskRunner.resume} needs beyond the task itself. Goes to a file as JSON. */
  readonly memo?: unknown;
  /** A note for people and the model, until the work is heard of. */
  readonly note?: string;
  /** It had ended before it was taken up again. */
  readonly endedBefore?: boolean;
  /** Resolves once, when the work has ended and its output is complete. Never rejects. */
  readonly settled: Promise<TaskEnd>;
  /** Tells what is left to tell; called once it has settled and before its end is told. Never rejects. */
  flush?(): Promise<void>;
  /** Ends everything the work started, within `graceMs` or by force. */
  stop(graceMs: number): Promise<KillReport>;
  /** Gives the work a further message. Left out: it takes none. */
  message?(text: string, signal: AbortSignal): Promise<Result<null>>;
}

/** The end of a task's work. */
export interface TaskEnd {
  readonly status: SettledStatus;
  readonly result: TaskResult;
  /** Bytes of output in all. */
  readonly bytes: number;
  /** A note for people about the end. */
  readonly note?: string;
  /** The time it ended, in epoch milliseconds. Left out: now. */
  readonly endedAt?: number;
  /** The reason nobody saw the end. */
  readonly lost?: string;
  /** All of a short output as it came, escapes included. */
  readonly output?: string;
  /** The words the work ends with, for the agent that started it. */
  readonly report?: string;
  /** The agent need not hear of the end. */
  readonly quiet?: true;
}

/** The time a stopped task may take to come down by itself. docs/spec.md G4, milliseconds. */
export const STOP_GRACE_MS = 2000;

/** The report of a kill that had nothing to kill. */
export const NOTHING_KILLED: KillReport = { killed: [], survivors: [] };

/** The facts about a task that people see, and whether its call waits for it. */
export interface TaskStart {
  readonly callId?: string;
  readonly title: string;
  readonly command?: string;
  readonly background: boolean;
  /** The sub-agent that does the work. */
  readonly subAgentId?: string;
}

/** A task that was registered and is being started. */
export interface StartedTask {
  readonly taskId: string;
  readonly outputFile: string;
  /** Resolves when the task runs; an error when it could not be started, and then nothing is told of it any more. */
  readonly running: Promise<Result<Task>>;
  /** Resolves when the task has ended. Never rejects. */
  readonly settled: Promise<TaskEnd>;
  /** Forgets a foreground task whose call has its result; does nothing once it was moved to the background. */
  cleanup(): void;
}

/** The outcome of a stop. `report` names every process that was ended and every one that was not. */
export interface StopOutcome {
  readonly ok: boolean;
  readonly message: string;
  readonly report: KillReport;
}

/** Hears how far a task has come. */
export type ProgressListener = (task: Task, progress: TaskProgress) => void;

/** The tasks of a session, as one of its agents and that agent's tools see them. */
export interface AgentTasks {
  /** Returns the background tasks of the session, oldest first. */
  list(): readonly Task[];
  get(id: string): Task | null;
  /** Registers a task and starts it; gives its id at once. */
  start<Spec>(runner: TaskRunner<Spec>, spec: Spec, start: TaskStart): StartedTask;
  /** Lets a foreground task go on without its call; false when it has ended. */
  moveToBackground(id: string): boolean;
  /** Ends everything a task started, by force after `graceMs`. `why` is shown to people and told to the model. */
  stop(id: string, why: string, graceMs?: number): Promise<StopOutcome>;
  /** Gives a running task a further message, if its kind takes any. */
  message(id: string, text: string, signal: AbortSignal): Promise<Result<null>>;
  /** Resolves when the task is settled, after `timeoutMs`, or on abort; null when there is no such task. */
  settled(id: string, timeoutMs: number, signal: AbortSignal): Promise<Task | null>;
  /** Calls back as output comes and when the task changes; returns a function that ends it. */
  onProgress(id: string, listener: ProgressListener): () => void;
  /** Reads plain output since the last call for this task; `readTo` is how far that goes, in bytes. */
  readNewOutput(id: string): Promise<NewOutput & { readonly readTo: number }>;
  /** Notes that the agent sees the end of a task in the result of a call: it is not told again. */
  endSeen(id: string): void;
  /** Returns the news the agent was not told yet, oldest first. */
  notices(): readonly Notice[];
  /** Notes that the agent was told: the notice is not given again. */
  noticeTold(notice: Notice): void;
}
