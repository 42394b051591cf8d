import { z } from 'zod';

/** Settled states (completed, failed, killed) never change. */
export const TaskStatus = z.enum(['pending', 'running', 'completed', 'failed', 'killed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** The states that never change again. */
export type SettledStatus = Extract<TaskStatus, 'completed' | 'failed' | 'killed'>;

/** The result of a task's work. */
export const TaskResult = z.object({
  /** The exit code; null when a signal ended it or nobody saw the end. */
  code: z.number().nullable(),
  signal: z.number().optional(),
  /** It did not end by itself: a user, the model or a limit stopped it. */
  interrupted: z.boolean(),
});
export type TaskResult = z.infer<typeof TaskResult>;

/** One task as every screen and tool sees it. Times are epoch milliseconds. */
export const Task = z.object({
  id: z.string(),
  /** The name of its runner, e.g. `local_bash`. */
  type: z.string(),
  /** The name people have for such a task, e.g. "Background command". */
  kind: z.string().default('Task'),
  sessionId: z.string(),
  /** The agent that started it, and is told how it ends. */
  agentId: z.string().default('main'),
  /** The call that started it. */
  callId: z.string().optional(),
  title: z.string(),
  command: z.string().optional(),
  status: TaskStatus,
  /** False while the call that started it waits for its end. */
  isBackgrounded: z.boolean().default(true),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  /** Absent until it has ended. */
  result: TaskResult.optional(),
  terminalId: z.string().optional(),
  /** The sub-agent that does the work. */
  subAgentId: z.string().optional(),
  outputFile: z.string().optional(),
  /** Bytes written to `outputFile` as last reported. */
  outputBytes: z.number(),
  /** Lines in `outputFile` as last reported. */
  outputLines: z.number().default(0),
  /** The last line of plain output, for the list. */
  lastLine: z.string(),
  /** It has been silent for a while and its last line looks like a question. */
  waitsForInput: z.boolean().optional(),
  /** The user has typed into its terminal. */
  userTyped: z.boolean().exactOptional(),
  /** The reason it ended otherwise than by itself, or nobody hears of it. */
  note: z.string().optional(),
  /** The agent that started it knows that it has ended. */
  endTold: z.boolean().default(false),
});
export type Task = z.infer<typeof Task>;

/** Returns whether a status is final. */
export const isSettled = (status: TaskStatus): status is SettledStatus =>
  status === 'completed' || status === 'failed' || status === 'killed';
