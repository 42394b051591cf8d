import type { Result } from '../../../shared/result';
import type { Task } from '../../../shared/task';
import type { KillReport } from '../../../shared/terminal';
import type { Notice } from './notification';
import type { NewOutput } from './output-reader';
import type { TaskEnd, TaskProgress, TaskRunner } from './task-runner';

/** What people see of a task, and whether its call waits for it. */
export interface TaskStart {
  readonly callId?: string;
  readonly title: string;
  readonly command?: string;
  readonly background: boolean;
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

/** What became of a stop. `report` names every process that was ended and every one that was not. */
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
